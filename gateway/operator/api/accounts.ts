import { Type } from 'typebox';
import { showAccount } from '../../../actors/account/account.ts';
import {
  findProfile,
  PROFILE,
  PROFILES,
  type Profile,
  profilesBeginning,
  profilesOf,
} from '../../../actors/account/profile.ts';
import { type Cluster, ownerOf, type RowRecord } from '../../../actors/runtime/index.ts';
import type { Generation } from '../../../actors/terms/hold.ts';
import { accountAddress } from '../../../actors/terms/ids.ts';
import { compare } from '../../../actors/terms/usd.ts';
import { type OperatorRoute, operatorRoute } from '../http/operator-route.ts';
import { listOf, listQuery, pageOf, walked } from '../http/pages.ts';
import { type AccountMoney, moneyOf } from '../lists/account-money.ts';
import { type ListStream, PLACE, walk } from '../lists/walk.ts';
import { requireProfile } from './account/changes.ts';
import { ASK_MS } from './account/managing.ts';

const FILTER = {
  query: Type.Optional(Type.String({ description: 'the beginning of the name, in any case, or the id' })),
  status: Type.Optional(Type.Enum(['active', 'suspended', 'quarantined'])),
};

export const accountRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/api/accounts',
    policy: 'viewer',
    summary:
      'Accounts with status, balance and holds: the newest first, or by name; one that does not load is listed too.',
    query: listQuery(FILTER),
    answers: listOf(Type.Object({}, { description: 'one account' })),
    answer: async ({ cluster, query }) => {
      const { limit, after } = pageOf(query, PLACE);
      const faults = await faultsOf(cluster);
      const { rows, next } = await walk(cluster.rows, {
        streams: await streamsOf(cluster, query, faults),
        after,
        limit,
        keeps: (row) => fits(profileIn(row), query, faults),
      });
      const entries = rows.map(async (row) => {
        const profile = profileIn(row);
        return entryOf(profile, faults, await moneyOf(cluster.rows, profile.account));
      });
      return walked(await Promise.all(entries), next);
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/api/accounts/:id',
    policy: 'viewer',
    summary: 'One account: balance, open holds and what each would release, and why it is as it is.',
    answer: ({ cluster, params }) => accountView(cluster, params.id),
  }),
  operatorRoute({
    method: 'GET',
    path: '/api/accounts/:id/sums',
    policy: 'viewer',
    summary: 'What was deposited, charged and adjusted over the whole life of an account, as its actor keeps it.',
    answer: async ({ cluster, params }) => showAccount(cluster, accountAddress(params.id), ASK_MS),
  }),
];

/** Why an account does not load, by address. */
type Faults = ReadonlyMap<string, string>;

async function faultsOf({ operator }: Cluster): Promise<Faults> {
  const { quarantined } = await operator.ps();
  return new Map(quarantined.map(({ address, fault }) => [address, fault]));
}

interface Wanted {
  readonly query?: string;
  readonly status?: string;
}

/** An id leads where there is such an account, then the few that do not load, then the name. */
async function streamsOf({ rows }: Cluster, { query, status }: Wanted, faults: Faults): Promise<readonly ListStream[]> {
  const of = (address: string): ListStream => ({ collection: PROFILE, address });
  if (query?.startsWith('acct_') && (await findProfile(rows, accountAddress(query))))
    return [of(accountAddress(query))];
  if (status === 'quarantined') return [...faults.keys()].filter((one) => one.startsWith(accountAddress(''))).map(of);
  if (query !== undefined) return [profilesBeginning(query)];
  return status === 'suspended' ? [profilesOf(status)] : [{ collection: PROFILE, where: PROFILES }];
}

function profileIn({ body }: RowRecord): Profile {
  return JSON.parse(body) as Profile;
}

function statusOf({ account, status }: Profile, faults: Faults): string {
  if (faults.has(account)) return 'quarantined';
  return status === 'open' ? 'active' : status;
}

function fits(profile: Profile, { query, status }: Wanted, faults: Faults): boolean {
  const { account, name } = profile;
  if (status !== undefined && status !== statusOf(profile, faults)) return false;
  return query === undefined || account === accountAddress(query) || beginsWith(name, query);
}

function beginsWith(name: string, beginning: string): boolean {
  return name.toLowerCase().startsWith(beginning.toLowerCase());
}

/** An account of a list. */
export type ListedAccount = ReturnType<typeof entryOf>;

function entryOf(profile: Profile, faults: Faults, { balance, held }: AccountMoney) {
  const { account, name, createdAt } = profile;
  const fault = faults.get(account) ?? null;
  return {
    id: ownerOf(account),
    name: name || null,
    status: statusOf(profile, faults),
    balance,
    held,
    createdAt,
    fault,
  };
}

async function accountView(cluster: Cluster, id: string): Promise<object> {
  const profile = await requireProfile(cluster, id);
  const [faults, money] = await Promise.all([faultsOf(cluster), moneyOf(cluster.rows, profile.account)]);
  return {
    ...entryOf(profile, faults, money),
    address: profile.account,
    available: money.available,
    why: reasonsOf(profile, money, faults.get(profile.account) ?? null),
    holds: money.holds.map(holdOf),
  };
}

/** A request that ends without a charge gives back all that it holds. */
function holdOf({ generation, amount, createdAt, deadlineAt, model, gateway }: Generation) {
  return { generation, amount, since: createdAt, releases: amount, deadlineAt, model, gateway };
}

function reasonsOf({ status }: Profile, money: AccountMoney, fault: string | null): readonly string[] {
  const { balance, held, available, holds, newest } = money;
  const lines = [
    fault === null ? '' : `Its stored state does not load (${fault}): it answers nothing until it is loaded again.`,
    status === 'suspended' ? 'It is suspended: every request with any of its keys is answered 401.' : '',
    compare(available, '0') > 0 ? '' : `Nothing is left to spend: new requests are answered 402 until a deposit.`,
    newest === null
      ? 'Its ledger is empty.'
      : `Entry ${newest.sequence} of its ledger left a balance of ${balance} USD.`,
    holds.length === 0 ? 'No request is running.' : `Running requests hold ${held} USD; ${available} USD can be held.`,
  ];
  return lines.filter((line) => line !== '');
}
