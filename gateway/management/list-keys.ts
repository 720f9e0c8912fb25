import type { Credential } from '../../actors/key/credential.ts';
import { pageOfKeys } from '../../actors/key/credential.ts';
import { showKey } from '../../actors/key/key.ts';
import type { KeyView } from '../../actors/key/statement.ts';
import { accountAddress } from '../../actors/terms/ids.ts';
import type { KeyKind } from '../../actors/terms/principal.ts';
import { GatewayError } from '../terms/gateway-error.ts';
import type { ManagementServices, Tenant } from './services.ts';
import { askEach, type Quarantined } from './services.ts';
import { workspaceOf } from './workspaces.ts';

export interface KeyListing {
  readonly offset: number;
  readonly limit: number;
  readonly includesDisabled: boolean;
  readonly includesRevoked: boolean;
  readonly kind: KeyKind | 'all';
  /** Id or slug; null lists the keys of every workspace. */
  readonly workspace: string | null;
}

/** One key of a list. */
export interface ListedKey {
  readonly credential: Credential;
  /** The key's own state, with what it spent; quarantined where that does not load. */
  readonly state: KeyView | Quarantined;
}

/** The keys of an account, newest first. An unknown workspace has none. */
export async function listKeys(
  services: ManagementServices,
  { account }: Tenant,
  { offset, limit, includesDisabled, includesRevoked, kind, workspace }: KeyListing,
): Promise<readonly ListedKey[]> {
  const found = workspace === null ? null : await workspaceOf(services, account, workspace).catch(unknown);
  if (found === undefined) return [];
  const isListed = (one: Credential): boolean =>
    (kind === 'all' || one.kind === kind) &&
    (workspace === null || (one.workspace ?? null) === found) &&
    (one.status === 'active' ||
      (one.status === 'disabled' && includesDisabled) ||
      (one.status === 'revoked' && includesRevoked));
  const query = { account: accountAddress(account), isListed, offset, limit };
  return statesOf(services, await pageOfKeys(services.cluster.rows, query));
}

function unknown(thrown: unknown): undefined {
  if (thrown instanceof GatewayError && thrown.status === 404) return undefined;
  throw thrown;
}

/** The keys of these rows as they are now, in the order of the rows. */
export async function statesOf(
  { cluster, askMs }: ManagementServices,
  credentials: readonly Credential[],
): Promise<readonly ListedKey[]> {
  const states = await askEach(
    credentials.map(({ key }) => key),
    (key) => showKey(cluster, key, askMs),
  );
  return credentials.map((credential, nth) => ({ credential, state: states[nth] as ListedKey['state'] }));
}
