import type { Collection, Effect } from '../runtime/index.ts';
import { plain } from '../terms/only.ts';
import type { KeyState } from './key-state.ts';

/**
 * The row that authenticates a key; its id is the key's digest. Account, key and kind never change, so gateways cache
 * them. Only the key actor decides whether the key is still valid.
 */
export interface Credential {
  /** Addresses of the account and of the key. */
  readonly account: string;
  readonly key: string;
  readonly kind: 'inference' | 'management';
  readonly label: string;
  readonly name: string;
  readonly status: 'active' | 'disabled' | 'revoked';
  /** Store times, ms. */
  readonly createdAt: number;
  readonly expiresAt: number | null;
}

/** Index column 0 is the account's address, for the list of an account's keys. */
export const credentialCollection: Collection = {
  sort: (row: Credential) => row.createdAt,
  index: [(row: Credential) => row.account],
};

export function putCredential(state: KeyState, status: Credential['status']): Effect {
  const { account, address: key, kind, label, name, createdAt, expiresAt } = state;
  const credential: Credential = { account, key, kind, label, name, status, createdAt: createdAt ?? 0, expiresAt };
  return { type: 'put', collection: 'credential', id: state.digest, body: plain(credential) };
}
