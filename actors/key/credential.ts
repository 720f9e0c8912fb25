import type { Cluster, Collection, Effect, RowReader } from '../runtime/index.ts';
import { plain } from '../terms/chart-tools.ts';
import type { KeyKind } from '../terms/principal.ts';
import type { KeyState, KeyStatus } from './key-state.ts';

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
  readonly status: KeyStatus;
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
const CREDENTIAL_HANDLE = 1;
export const CREDENTIAL_KEY = 2;
export const credentialCollection: Collection = {
  sort: (row: Credential) => row.createdAt,
  index: [
    (row: Credential) => row.account,
    (row: Credential) => row.handle,
    (row: Credential) => row.key.slice(row.key.indexOf('/') + 1),
  ],
};

export function putCredential(state: KeyState, status: KeyStatus): Effect {
  const { account, address: key, kind, label, name, createdAt, expiresAt, handle, workspace } = state;
  const credential: Credential = {
    account,
    key,
    kind,
    label,
    name,
    status,
    createdAt: createdAt ?? 0,
    expiresAt,
    handle,
    ...(workspace === null ? {} : { workspace }),
  };
  return { type: 'put', collection: 'credential', id: state.digest, body: plain(credential) };
}

/** Looks up the key of a digest in the store; null for an unknown one. The key's own state is not checked. */
export async function findCredential(cluster: Cluster, digest: string): Promise<Credential | null> {
  const row = await cluster.rows.rowById('credential', digest);
  return row === null ? null : (JSON.parse(row.body) as Credential);
}

/** Keys of an account, newest first. */
export async function listKeys(cluster: Cluster, account: string, limit: number): Promise<readonly Credential[]> {
  const where = { column: CREDENTIAL_ACCOUNT, equals: account } as const;
  const rows = await cluster.rows.rows({ collection: 'credential', where, order: 'descending', limit });
  return rows.map((row) => JSON.parse(row.body) as Credential);
}

/** Rows that one read of the store returns. */
const PAGE_ROWS_MAX = 1_000;

type Rows = Pick<RowReader, 'rows'>;

/** `account` is an address, here and below. Null: no key of this account has the handle. */
export async function findKeyByHandle(rows: Rows, account: string, handle: string): Promise<Credential | null> {
  const where = { column: CREDENTIAL_HANDLE, equals: handle } as const;
  const found = await rows.rows({ collection: 'credential', where, limit: PAGE_ROWS_MAX });
  return found.map(({ body }) => JSON.parse(body) as Credential).find((one) => one.account === account) ?? null;
}

interface KeyQuery {
  readonly account: string;
  readonly isListed: (credential: Credential) => boolean;
  readonly offset: number;
  readonly limit: number;
}

/** The keys of an account that are listed, newest first, from `offset` on. */
export async function pageOfKeys(
  rows: Rows,
  { account, isListed, offset, limit }: KeyQuery,
): Promise<readonly Credential[]> {
  const where = { column: CREDENTIAL_ACCOUNT, equals: account } as const;
  const query = { collection: 'credential', where, order: 'descending', limit: PAGE_ROWS_MAX } as const;
  const listed: Credential[] = [];
  let page = await rows.rows(query);
  for (;;) {
    for (const { body } of page) {
      const credential = JSON.parse(body) as Credential;
      if (isListed(credential)) listed.push(credential);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_ROWS_MAX || listed.length >= offset + limit) break;
    page = await rows.rows({ ...query, after: { sort: last.sort, id: last.id } });
  }
  return listed.slice(offset, offset + limit);
}
