/** Long lists for files: pages of a bounded number of entries, oldest first, each continued by its cursor. */
import { Type } from 'typebox';
import type { LedgerEntry } from '../../../../actors/account/ledger.ts';
import { type KeyUsage, USAGE, usageWhere } from '../../../../actors/key/usage.ts';
import type { Cluster, RowQuery } from '../../../../actors/runtime/index.ts';
import { accountAddress } from '../../../../actors/terms/ids.ts';
import { monthEntries, openingOf, requireMonth } from '../../../management/statement.ts';
import { isInvalid, type OperatorRoute, operatorRoute } from '../../http/operator-route.ts';
import { listed, listOf, pageOf, walked } from '../../http/pages.ts';
import { PLACE } from '../../lists/walk.ts';
import { requireAccount } from './managing.ts';

/** Entries of one page; the store reads at most 1,000 rows at a time. */
const PAGE_MAX = 500;
const CURSOR = { cursor: Type.Optional(Type.String({ description: '`next` of the page before' })) };
const ENTRY = Type.Object({}, { description: 'an entry of the ledger, with its hash' });

export const exportRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/api/accounts/:id/ledger',
    policy: 'viewer',
    summary: `The whole ledger of an account as it is stored, the oldest entry first, ${PAGE_MAX} entries a page.`,
    query: Type.Object(CURSOR),
    answers: listOf(ENTRY),
    answer: async ({ cluster, params, query }) => {
      await requireAccount(cluster, params.id);
      const ledger = { collection: 'ledger', address: accountAddress(params.id) };
      return exported<LedgerEntry>(cluster, ledger, query);
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/api/accounts/:id/statement',
    policy: 'viewer',
    summary: 'The ledger of one UTC month and the balance before it, the oldest entry first, in pages.',
    query: Type.Object({
      month: Type.Optional(Type.String({ description: 'YYYY-MM; absent: the month of the newest entry' })),
      ...CURSOR,
    }),
    answer: async ({ cluster, params, query }) => {
      await requireAccount(cluster, params.id);
      const account = accountAddress(params.id);
      const month = await requireMonth({ cluster }, account, query.month ?? null);
      const opening = await openingOf({ cluster }, account, month);
      const { after } = pageOf(query, Type.Object({ sequence: Type.Integer({ minimum: 1 }) }));
      const behind = after?.sequence ?? opening.sequence;
      const { entries, hasMore } = await monthEntries({ cluster }, account, { month, after: behind });
      const sequence = entries.at(-1)?.sequence;
      return { month, opening: opening.balance, ...walked(entries, hasMore ? { sequence } : null) };
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/api/usage',
    policy: 'viewer',
    summary: `Requests, tokens and charges of one UTC day by key, model and endpoint, key by key, ${PAGE_MAX} rows a page.`,
    query: Type.Object({
      day: Type.String({ description: 'YYYY-MM-DD' }),
      account: Type.Optional(Type.String({ description: 'id of an account; absent: every account' })),
      ...CURSOR,
    }),
    answers: listOf(Type.Object({}, { description: 'what one key spent at one endpoint' })),
    answer: async ({ cluster, query: { day, account, cursor } }) => {
      const at = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(day) : Number.NaN;
      if (Number.isNaN(at)) throw isInvalid('day', 'must be a day, such as 2030-01-31');
      if (account !== undefined) await requireAccount(cluster, account);
      const query = { collection: USAGE, where: usageWhere(at, account) };
      return exported<KeyUsage>(cluster, query, cursor === undefined ? {} : { cursor });
    },
  }),
];

async function exported<Entry>(
  { rows }: Cluster,
  query: Pick<RowQuery, 'collection' | 'address' | 'where'>,
  asked: { readonly cursor?: string },
) {
  const { after } = pageOf(asked, PLACE);
  const found = await rows.rows({ ...query, limit: PAGE_MAX + 1, ...(after === null ? {} : { after }) });
  return listed(found, PAGE_MAX, {
    keyOf: ({ sort, id }) => ({ sort, id }),
    entryOf: ({ body }) => JSON.parse(body) as Entry,
  });
}
