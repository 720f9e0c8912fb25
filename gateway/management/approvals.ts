/** Approvals of keys for applications: by a person on the page `/auth`, by a management key, and by the operator. */
import { type Static, Type } from 'typebox';
import type { Approval } from '../../actors/issuance-code/issuance-code.machine.ts';
import { issueCode } from '../../actors/issuance-code/issuance-code.ts';
import { codeText, issuanceCodeAddress, localId, secretDigest } from '../../actors/terms/one-time.ts';
import { described, LABEL_CHARACTERS_MAX, maybe, named } from '../dialects/request/members.ts';
import { invalid } from '../terms/gateway-error.ts';
import { parseGrant } from './grant-request.ts';
import { amountOf, checker, expiryOf } from './input.ts';
import { amountSchema, expiryOrNull, windowOrNull } from './key-schema.ts';
import { namedWorkspace } from './keys.ts';
import type { ManagementServices, Tenant } from './services.ts';

const NAME_CHARACTERS_MAX = 100;

/** What is approved, body of `POST /auth/keys/code`. */
export const approvalSchema = Type.Object({
  callback_url: Type.String({
    description: 'Address of the application that receives the code: https, or http on localhost.',
  }),
  code_challenge: Type.String({ pattern: '^[A-Za-z0-9_-]{43}$', description: 'SHA-256 of the verifier, base64url.' }),
  code_challenge_method: maybe(
    Type.Literal('S256'),
    'S256, the only method: the challenge is the SHA-256 of the verifier.',
  ),
  limit: Type.Optional(
    Type.Union([amountSchema, Type.Null()], {
      description: 'What the issued key may spend per window, USD; null without a limit.',
    }),
  ),
  usage_limit_type: Type.Optional(
    described(windowOrNull, 'When the spend returns to zero: daily, weekly or monthly in UTC; null: never.'),
  ),
  expires_at: Type.Optional(described(expiryOrNull, 'When the issued key stops to authenticate; null: never.')),
  key_label: maybe(named(NAME_CHARACTERS_MAX), "The issued key's name, 1 to 100 characters."),
  workspace_id: maybe(
    named(LABEL_CHARACTERS_MAX),
    "Id or slug of the workspace whose rules the key's requests follow.",
  ),
});
type ApprovalBody = Static<typeof approvalSchema>;
const approvalOf = checker(approvalSchema);

interface Approved {
  /** The one-time code, which the application trades for the key. */
  readonly code: string;
  readonly origin: string;
  /** Exact decimal USD; null is none. */
  readonly limit: string | null;
  /** Store times, ms. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

/**
 * Approves a key and issues its one-time code. `grant` is the natural id of the approval: a repeat answers with the same
 * code. Throws 400, also for an id that was used for another approval.
 */
export async function approveKey(
  services: ManagementServices,
  tenant: Tenant,
  input: unknown,
  grant: string = localId(services.random),
): Promise<Approved> {
  const { cluster, pepper, askMs, config } = services;
  const createdAt = cluster.now();
  const wanted = await approvalFrom(services, tenant, approvalOf(input));
  const address = issuanceCodeAddress(tenant.account, grant);
  const code = codeText(pepper, address);
  const lifetimeMs = config.signIn.codeMs;
  const made = { digest: secretDigest(pepper, 'code', code), approval: wanted, lifetimeMs, by: tenant.by };
  const { approval, expiresAt } = await issueCode(cluster, address, made, askMs);
  if (approval.challenge !== wanted.challenge || approval.origin !== wanted.origin || approval.limit !== wanted.limit) {
    throw invalid('This approval was used for another request; open the page again');
  }
  return { code, origin: wanted.origin, limit: wanted.limit, createdAt, expiresAt };
}

async function approvalFrom(services: ManagementServices, tenant: Tenant, body: ApprovalBody): Promise<Approval> {
  const limit = amountOf('limit', body.limit ?? null);
  const expiresAt = expiryOf(body.expires_at ?? null, services.cluster.now());
  const workspace = body.workspace_id ? await namedWorkspace(services, tenant, body.workspace_id) : null;
  return {
    ...callbackOf(body),
    limit,
    ...(body.key_label ? { name: body.key_label } : {}),
    ...(body.usage_limit_type ? { limitWindow: body.usage_limit_type } : {}),
    ...(expiresAt === null ? {} : { expiresAt }),
    ...(workspace === null ? {} : { workspace }),
  };
}

/** Throws 400 for an address to which no code may go. */
function callbackOf(body: ApprovalBody): Pick<Approval, 'challenge' | 'origin'> {
  const known: Partial<Record<string, string | null | undefined>> = {
    callback_url: body.callback_url,
    code_challenge: body.code_challenge,
    code_challenge_method: body.code_challenge_method,
  };
  const request = parseGrant((name) => known[name] ?? null);
  if ('problem' in request) throw invalid(request.problem);
  return { challenge: request.challenge, origin: request.origin };
}
