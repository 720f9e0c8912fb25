import { Type } from 'typebox';
import { changeAccount, recordAdjustment } from '../../../actors/account/account.ts';
import {
  findProfile,
  PROFILE,
  PROFILES,
  type Profile,
  profilesBeginning,
  profilesOf,
} from '../../../actors/account/profile.ts';
import { type Cluster, ownerOf, type RowRecord, systemRandom } from '../../../actors/runtime/index.ts';
import type { Generation } from '../../../actors/terms/hold.ts';
import { accountAddress, adjustmentId } from '../../../actors/terms/ids.ts';
import { compare, parseUsd } from '../../../actors/terms/usd.ts';
import { type ChangePlan, change, quoted } from '../http/change.ts';
import { isAbsent, isInvalid, type OperatorRoute, operatorRoute } from '../http/operator-route.ts';
import { listOf, listQuery, pageOf, walked } from '../http/pages.ts';
import { type AccountMoney, moneyOf } from '../lists/account-money.ts';
import { type ListStream, PLACE, walk } from '../lists/walk.ts';

const ASK_MS = 4_000;

export interface AccountServices {
  /** Above it an adjustment names who else approved it; exact decimal USD. */
  readonly approvalAboveUsd: () => string;
}

const FILTER = {
  query: Type.Optional(Type.String({ description: 'the beginning of the name, in any case, or the id' })),
  status: Type.Optional(Type.Enum(['active', 'suspended', 'quarantined'])),
};

export const accountRoutes = (services: AccountServices): readonly OperatorRoute[] => [
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
  changeOf('suspend', 'Answer every request of an account with 401 until it is resumed.'),
  changeOf('resume', 'Let a suspended account send requests again.'),
  change({
    path: '/api/accounts/:id/adjust',
    summary: 'Correct the balance of an account.',
    members: {
      usd: Type.String({ description: 'exact; negative takes away' }),
      approvedBy: Type.Optional(
        Type.String({ minLength: 1, maxLength: 64, description: 'who else approved a large one' }),
      ),
    },
    plan: async ({ cluster, params, body, principal }) => {
      const { account } = await requireProfile(cluster, params.id);
      return adjustment(cluster, account, { ...body, by: principal, aboveUsd: services.approvalAboveUsd() });
    },
  }),
];

function changeOf(verb: 'suspend' | 'resume', summary: string): OperatorRoute {
  return change({
    path: `/api/accounts/:id/${verb}`,
    summary,
    plan: async ({ cluster, params, body: { reason }, principal }): Promise<ChangePlan> => {
      const { account, name } = await requireProfile(cluster, params.id);
      const what = name === '' ? account : `${account} (${name})`;
      const effect = verb === 'suspend' ? 'is answered 401 until it is resumed' : 'is answered again';
      return {
        would: `${verb} ${what}: every request with any of its keys ${effect}`,
        command: `troupe accounts ${verb} ${ownerOf(account)}`,
        audit: { action: `account.${verb}`, target: account, detail: {} },
        run: async () => {
          const { status } = await changeAccount(cluster, account, verb, ASK_MS, principal);
          return { did: `${account} is ${status} (${reason})` };
        },
      };
    },
  });
}

interface Adjusting {
  readonly usd: string;
  readonly approvedBy?: string;
  readonly reason: string;
  readonly by: Parameters<typeof recordAdjustment>[2]['by'];
  readonly aboveUsd: string;
}

function adjustment(cluster: Cluster, account: string, asked: Adjusting): ChangePlan {
  const { usd, reason, by, approvedBy, aboveUsd } = asked;
  const takes = usd.startsWith('-');
  const size = parseUsd(takes ? usd.slice(1) : usd);
  if (size === null) throw isInvalid('usd', 'must be an amount in USD, such as 2.50 or -2.50');
  if (compare(size, aboveUsd) > 0 && approvedBy === undefined) {
    throw isInvalid('approvedBy', `must name a second person: the amount is above ${aboveUsd} USD`);
  }
  const approved = approvedBy === undefined ? {} : { approvedBy };
  const options = `${takes ? ' --take' : ''}${approvedBy === undefined ? '' : ` --approved-by ${quoted(approvedBy)}`}`;
  return {
    would: `${takes ? 'take' : 'add'} ${size} USD ${takes ? 'from' : 'to'} the balance of ${account}`,
    command: `troupe accounts adjust ${ownerOf(account)} ${size}${options} --reason ${quoted(reason)}`,
    audit: null,
    run: async () => {
      const made = { id: adjustmentId(systemRandom), amount: `${takes ? '-' : ''}${size}`, reason, ...approved };
      const { amount, balance } = await recordAdjustment(cluster, account, { ...made, by }, ASK_MS);
      return { did: `adjusted ${account} by ${amount} USD; its balance is ${balance} USD` };
    },
  };
}

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

function entryOf(profile: Profile, faults: Faults, { balance, held }: AccountMoney) {
  const { account, name, createdAt } = profile;
  return { id: ownerOf(account), name: name || null, status: statusOf(profile, faults), balance, held, createdAt };
}

async function requireProfile({ rows }: Cluster, id: string): Promise<Profile> {
  const profile = await findProfile(rows, accountAddress(id));
  if (profile === null) throw isAbsent(id);
  return profile;
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
