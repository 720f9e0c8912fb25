/** Look-ups of an account's keys in the store, on any node: by public handle, and page by page. */
import type { RowReader } from '../runtime/index.ts';
import { CREDENTIAL_ACCOUNT, CREDENTIAL_HANDLE, type Credential } from './credential.ts';

/** Rows that one read of the store returns. */
const PAGE_ROWS_MAX = 1_000;

type Rows = Pick<RowReader, 'rows'>;

/** `account` is an address. Null: no key of this account has the handle. */
export async function findKeyByHandle(rows: Rows, account: string, handle: string): Promise<Credential | null> {
  const where = { column: CREDENTIAL_HANDLE, equals: handle } as const;
  const found = await rows.rows({ collection: 'credential', where, limit: PAGE_ROWS_MAX });
  return found.map(({ body }) => JSON.parse(body) as Credential).find((one) => one.account === account) ?? null;
}

export interface KeyQuery {
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
