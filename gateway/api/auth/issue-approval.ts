import type { Approval } from '../../../actors/issuance-code/issuance-code.machine.ts';
import { issueCode } from '../../../actors/issuance-code/issuance-code.ts';
import { codeText, issuanceCodeAddress, secretDigest } from '../../../actors/terms/one-time.ts';
import type { EdgeServices } from '../../edge/services.ts';
import { invalid } from '../../terms/invalid.ts';
import type { Tenant } from '../keys/tenant.ts';

export interface Grant {
  /** Natural id of the approval: a repeat answers with the same code. */
  readonly grant: string;
  readonly approval: Approval;
}

/** Issues the one-time code of an approval. Throws 400 if the natural id was used for another approval. */
export async function issueApproval(
  { cluster, pepper, askMs, signIn }: EdgeServices,
  { account, by }: Tenant,
  { grant, approval: wanted }: Grant,
): Promise<{ readonly code: string; readonly expiresAt: number }> {
  const address = issuanceCodeAddress(account, grant);
  const code = codeText(pepper, address);
  const made = { digest: secretDigest(pepper, 'code', code), approval: wanted, lifetimeMs: signIn.codeMs, by };
  const { approval, expiresAt } = await issueCode(cluster, address, made, askMs);
  if (approval.challenge !== wanted.challenge || approval.origin !== wanted.origin || approval.limit !== wanted.limit) {
    throw invalid('This approval was used for another request; open the page again');
  }
  return { code, expiresAt };
}
