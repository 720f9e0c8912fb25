import type { Cluster } from '../runtime/index.ts';
import type { Idempotency } from '../terms/hold.ts';
import { accountAddress } from '../terms/ids.ts';
import { CLAIM_MS, type Claim } from './idempotency.ts';

/**
 * The id of the job that an idempotency key with this body stands for; null without one. Read from the store, so that a
 * repeat is answered whatever has become of the endpoints and the credit meanwhile. A claim that is being made is found
 * by the account alone. (reliability, decision 5)
 */
export async function findSubmission(
  cluster: Cluster,
  account: string,
  { key, body }: Idempotency,
): Promise<string | null> {
  const row = await cluster.rows.row(accountAddress(account), 'claim', key);
  if (row === null) return null;
  const claim = JSON.parse(row.body) as Claim;
  return claim.body === body && claim.createdAt + CLAIM_MS > cluster.now() ? claim.generation : null;
}
