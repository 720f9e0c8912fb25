import { Type } from 'typebox';
import { SPEND_DAYS_KEPT, spendersOf } from '../../../actors/account/spend-day.ts';
import { type KeyUsage, usageOf, usageOfAll } from '../../../actors/key/usage.ts';
import { type Cluster, ownerOf } from '../../../actors/runtime/index.ts';
import { accountAddress } from '../../../actors/terms/ids.ts';
import { windowStart } from '../../../actors/terms/spending.ts';
import { add, compare } from '../../../actors/terms/usd.ts';
import { isInvalid, OperatorFault, type OperatorRoute, operatorRoute } from '../http/operator-route.ts';
import { listOf } from '../http/pages.ts';
import { accountNamed } from '../lists/named.ts';
import { DAY_MS, dayStart } from '../lists/times.ts';
import { ActorNames } from '../names.ts';

const DAYS_USUALLY = 30;
const ACCOUNTS_MAX = 200;
const ACCOUNTS_USUALLY = 50;
/** Accounts next in rank that could have spent more than the last shown one. */
const CANDIDATES_MORE = 50;
/** Rows of keys that one answer sums at most. */
const ROWS_MAX = 20_000;

const DAY = { description: 'UTC day, `YYYY-MM-DD`; today if absent' };

const QUERY = Type.Object({
  by: Type.Enum(['account', 'model', 'day']),
  day: Type.Optional(Type.String(DAY)),
  from: Type.Optional(Type.String({ description: 'the first UTC day, of `by=day`' })),
  to: Type.Optional(Type.String({ description: 'the last UTC day, of `by=day`' })),
  account: Type.Optional(Type.String({ description: 'id, address or whole name of an account' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: ACCOUNTS_MAX, description: 'accounts, of `by=account`' })),
});

export const spendRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/api/spend',
    policy: 'viewer',
    summary: 'Charges and requests by account, model or day; the dearest first, days the newest first.',
    query: QUERY,
    answers: listOf(
      Type.Object({
        name: Type.String({ description: 'id of an account or a model, or a UTC day' }),
        label: Type.Union([Type.String(), Type.Null()]),
        requests: Type.Integer(),
        charged: Type.String(),
      }),
    ),
    answer: async ({ cluster, query }) => {
      const { by, limit = ACCOUNTS_USUALLY } = query;
      const owner = query.account === undefined ? null : ownerOf(await accountNamed(cluster.rows, query.account));
      const today = windowStart('daily', cluster.now());
      if (by === 'day') return { data: await byDay(cluster, owner, daysOf(query, today)), next: null };
      const day = query.day === undefined ? today : dayStart(query.day, 'day');
      if (by === 'model') return { data: await byModel(cluster, owner, day), next: null };
      return { data: await byAccount(cluster, owner, { day, today, limit }), next: null };
    },
  }),
];

interface Spend {
  readonly name: string;
  readonly label: string | null;
  readonly requests: number;
  /** Exact decimal USD. */
  readonly charged: string;
}

type Reader = Pick<Cluster, 'rows'>;

/** Newest first. */
function daysOf({ from, to }: { readonly from?: string; readonly to?: string }, today: number): readonly number[] {
  const last = to === undefined ? today : dayStart(to, 'to');
  const first = from === undefined ? last - (DAYS_USUALLY - 1) * DAY_MS : dayStart(from, 'from');
  const count = (last - first) / DAY_MS + 1;
  if (count < 1 || count > 400) throw isInvalid('from', 'must be at most 400 days before `to`');
  return Array.from({ length: count }, (_, at) => last - at * DAY_MS);
}

/** Days without a charge are left out. */
async function byDay(reader: Reader, owner: string | null, days: readonly number[]): Promise<readonly Spend[]> {
  const budget = { left: ROWS_MAX };
  const all: Spend[] = [];
  for (const day of days) {
    const name = new Date(day).toISOString().slice(0, 10);
    const sums = await summed(reader, owner, { day, nameOf: () => name, budget });
    all.push(...sums);
  }
  return all;
}

async function byModel(reader: Reader, owner: string | null, day: number): Promise<readonly Spend[]> {
  return dearest(await summed(reader, owner, { day, nameOf: ({ model }) => model, budget: { left: ROWS_MAX } }));
}

interface Summing {
  readonly day: number;
  readonly nameOf: (row: KeyUsage) => string;
  /** Rows that may still be read for this answer. */
  readonly budget: { left: number };
}

/** The sums of the keys' rows, which are written in the commits of the charges: the ledger's. */
async function summed(
  reader: Reader,
  owner: string | null,
  { day, nameOf, budget }: Summing,
): Promise<readonly Spend[]> {
  const sums = new Map<string, Spend>();
  const pages = owner === null ? usageOfAll(reader, day) : usageOf(reader, owner, day);
  for await (const page of pages) {
    budget.left -= page.length;
    if (budget.left < 0) throw tooMany();
    for (const row of page) {
      const name = nameOf(row);
      const { requests, charged } = sums.get(name) ?? { requests: 0, charged: '0' };
      sums.set(name, { name, label: null, requests: requests + row.requests, charged: add(charged, row.usage) });
    }
  }
  return [...sums.values()];
}

function tooMany(): OperatorFault {
  const message = `these days have more than ${ROWS_MAX} rows of keys; name an account, or use \`troupe export usage\``;
  return new OperatorFault(400, 'too_many_rows', message, 'account');
}

function dearest(all: readonly Spend[]): readonly Spend[] {
  return all.toSorted((a, b) => compare(b.charged, a.charged) || (a.name < b.name ? -1 : 1));
}

interface Top {
  readonly day: number;
  readonly today: number;
  readonly limit: number;
}

/** The kept ranks find the candidates, whose exact sums then put them in order. */
async function byAccount(reader: Reader, owner: string | null, top: Top): Promise<readonly Spend[]> {
  const { day, today, limit } = top;
  if (today - day >= SPEND_DAYS_KEPT * DAY_MS) throw isInvalid('day', `must be one of the last ${SPEND_DAYS_KEPT}`);
  const query = { ...spendersOf(day), order: 'descending', limit: limit + CANDIDATES_MORE } as const;
  const owners = owner === null ? (await reader.rows.rows(query)).map(({ address }) => ownerOf(address)) : [owner];
  const sums = owners.map((one) => summed(reader, one, { day, nameOf: () => one, budget: { left: ROWS_MAX } }));
  const names = new ActorNames(reader.rows);
  const shown = dearest((await Promise.all(sums)).flat()).slice(0, limit);
  return Promise.all(shown.map(async (one) => ({ ...one, label: await names.of(accountAddress(one.name)) })));
}
