/** What the routes of an account's owner and of the operator have in common: the functions of `management`. */
import { showAccount } from '../../../../actors/account/account.ts';
import { AskError, type Cluster, systemRandom } from '../../../../actors/runtime/index.ts';
import { accountAddress } from '../../../../actors/terms/ids.ts';
import type { ManagementServices, Tenant } from '../../../management/services.ts';
import type { ChangeRequest } from '../../http/change.ts';

/** Longest wait for an actor, including a takeover of its shard. */
export const ASK_MS = 10_000;

export interface ManagementParts {
  /** Of this node: the configured defaults, and the secret that is mixed into the digests of keys. */
  readonly management: Pick<ManagementServices, 'config' | 'pepper'>;
}

export function servicesOf({ management }: ManagementParts, cluster: Cluster): ManagementServices {
  return { ...management, cluster, random: systemRandom, askMs: ASK_MS };
}

export function tenantOf(account: string, { principal }: Pick<ChangeRequest, 'principal'>): Tenant {
  return { account, by: principal };
}

/** Throws the error of an unknown account. One that is quarantined exists, and its rows can be read. */
export async function requireAccount(cluster: Cluster, id: string): Promise<void> {
  try {
    await showAccount(cluster, accountAddress(id), ASK_MS);
  } catch (error) {
    if (!(error instanceof AskError) || error.failure.code !== 'quarantined') throw error;
  }
}
