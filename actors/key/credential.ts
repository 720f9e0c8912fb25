import type { Collection, Effect } from '../runtime/index.ts';
import { plain } from '../terms/chart-tools.ts';
import type { KeyKind } from '../terms/principal.ts';
import type { KeyState } from './key-state.ts';

/**
 * The row that authenticates a key; its id is the key's digest. Account, key and kind never change, so gateways cache
 * them; the workspace may, so they read it again. Only the key actor decides whether the key is still valid.
 */
export interface Credential {
  /** Addresses of the account and of the key. */
  readonly account: string;
  readonly key: string;
  readonly kind: KeyKind;
  readonly label: string;
  readonly name: string;
  readonly status: 'active' | 'disabled' | 'revoked';
  /** Store times, ms. */
  readonly createdAt: number;
  readonly expiresAt: number | null;
  /** Public handle. */
  readonly handle: string;
  /** Id of the key's workspace; absent: the default one. */
  readonly workspace?: string;
}

/** Index column 0 is the account's address, for the list of its keys; column 1 the public handle, column 2 the id. */
export const CREDENTIAL_ACCOUNT = 0;
export const CREDENTIAL_HANDLE = 1;
export const CREDENTIAL_KEY = 2;
export const credentialCollection: Collection = {
  sort: (row: Credential) => row.createdAt,
  index: [
    (row: Credential) => row.account,
    (row: Credential) => row.handle,
    (row: Credential) => row.key.slice(row.key.indexOf('/') + 1),
  ],
};

export function putCredential(state: KeyState, status: Credential['status']): Effect {
  const { account, address: key, kind, label, name, createdAt, expiresAt, handle, workspace } = state;
  const credential: Credential = {
    ...{ account, key, kind, label, name, status, createdAt: createdAt ?? 0, expiresAt, handle },
    ...(workspace === null ? {} : { workspace }),
  };
  return { type: 'put', collection: 'credential', id: state.digest, body: plain(credential) };
}
