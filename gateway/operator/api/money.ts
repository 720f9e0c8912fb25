import { Type } from 'typebox';
import { PAID_IN_ALL, type PaidIn } from '../../../actors/account/deposits.ts';
import type { LedgerEntry } from '../../../actors/account/ledger.ts';
import { LEDGER, type LedgerOpening } from '../../../actors/account/prune-ledger.ts';
import { findPayment, paymentsOf, resolvePayment, uncreditedOf } from '../../../actors/payment/payment.ts';
import { PAYMENT, type PaymentRecord } from '../../../actors/payment/payment-state.ts';
import { ownerOf, type RowReader, type RowRecord } from '../../../actors/runtime/index.ts';
import { accountAddress } from '../../../actors/terms/ids.ts';
import { type Month, parseMonth } from '../../../actors/terms/month.ts';
import { refusalError } from '../../terms/gateway-error.ts';
import { type ChangePlan, change, quoted } from '../http/change.ts';
import { isAbsent, type OperatorRoute, operatorRoute } from '../http/operator-route.ts';
import { listOf, listQuery, pageOf, walked } from '../http/pages.ts';
import { accountNamed } from '../lists/named.ts';
import { type ListStream, PLACE, walk } from '../lists/walk.ts';
import { ActorNames } from '../names.ts';
import { ASK_MS } from './account/managing.ts';

const ACCOUNT = Type.String({ description: 'id, address or whole name of an account' });
const DEPOSIT = 'deposit';

export const moneyRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/api/ledger',
    policy: 'viewer',
    summary:
      'The ledger of an account, the newest entry first; each month that is removed is one entry with its balance.',
    query: listQuery({ account: ACCOUNT }),
    answers: listOf(Type.Object({}, { description: 'one entry' })),
    answer: async ({ cluster: { rows }, query }) => {
      const address = await accountNamed(rows, query.account);
      const streams = [LEDGER.entries, LEDGER.openings].map((collection) => ({ collection, address }));
      const found = await walk(rows, { streams, ...pageOf(query, PLACE) });
      const names = new ActorNames(rows);
      const entries = found.rows.map(async ({ collection, body }) =>
        collection === LEDGER.openings
          ? openingEntry(JSON.parse(body) as LedgerOpening)
          : ledgerEntry(rows, JSON.parse(body) as LedgerEntry, names),
      );
      return walked(await Promise.all(entries), found.next);
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/api/deposits',
    policy: 'viewer',
    summary: 'Deposits of all accounts and payments that are not credited, the newest first.',
    query: listQuery({
      account: Type.Optional(ACCOUNT),
      status: Type.Optional(Type.Enum(['review', 'pending', 'credited', 'failed'])),
    }),
    answers: listOf(Type.Object({}, { description: 'one deposit' })),
    answer: async ({ cluster: { rows }, query }) => {
      const { account, status } = query;
      const address = account === undefined ? undefined : await accountNamed(rows, account);
      const keeps = (row: RowRecord): boolean => status === undefined || status === statusOf(row);
      const found = await walk(rows, { streams: streamsOf(address, status), keeps, ...pageOf(query, PLACE) });
      const names = new ActorNames(rows);
      return walked(await Promise.all(found.rows.map((row) => depositEntry(row, names))), found.next);
    },
  }),
  change({
    path: '/api/deposits/:id/resolve',
    summary: 'End the review of a payment: credit it by its transaction, or let it fail.',
    members: {
      transaction: Type.Union([Type.String(), Type.Null()], { description: 'what paid it; null: nothing did' }),
    },
    answers: { status: Type.String(), amount: Type.String() },
    plan: async ({ cluster, params: { id }, body, principal: by }): Promise<ChangePlan> => {
      const { transaction, reason } = body;
      const payment = await findPayment(cluster, id);
      if (payment === null) throw isAbsent(id);
      const how = transaction === null ? '--unpaid' : `--transaction ${quoted(transaction)}`;
      return {
        would: `${transaction === null ? 'let the payment fail' : `credit ${payment.amount} USD by ${transaction}`}: ${id}`,
        command: `troupe deposits resolve ${id} ${how} --reason ${quoted(reason)}`,
        audit: null,
        run: async () => {
          const answer = await resolvePayment(cluster, id, { transaction, reason, by }, ASK_MS);
          if ('refusal' in answer) throw refusalError(answer.refusal, cluster.now());
          return { did: `${id} is ${answer.status}`, status: answer.status, amount: answer.amount };
        },
      };
    },
  }),
];

/** An entry of a list. */
export type ShownLedgerEntry = Awaited<ReturnType<typeof ledgerEntry>>;

/** A charge leads to its generation, and an adjustment has a reason. */
async function ledgerEntry(rows: RowReader, entry: LedgerEntry, names: ActorNames) {
  const { account, sequence, at, type, from, amount, ref, key, balance } = entry;
  const made = type === 'charge' ? null : await rows.row(account, type, ref);
  return {
    id: String(sequence),
    at,
    kind: type,
    amount: from === 'balance' && amount !== '0' ? `-${amount}` : amount,
    balance,
    source: ref,
    path: type === 'charge' ? `/generations/${ref}` : null,
    note: made === null ? null : (JSON.parse(made.body) as PaidIn).reason,
    key,
    keyName: key === null ? null : await names.of(key),
  };
}

/** The end of a month whose entries are removed. */
function openingEntry({ month, sequence, balance }: LedgerOpening): object {
  return {
    id: String(sequence),
    at: (parseMonth(month) as Month).till,
    kind: 'opening',
    amount: '0',
    balance,
    source: month,
    path: null,
    note: `the entries of ${month} are removed (retention.ledger)`,
    key: null,
    keyName: null,
  };
}

type DepositStatus = 'review' | 'pending' | 'credited' | 'failed';

/** A payment that is being credited is in both: the ledger is right, and the payment leaves with the next commit. */
function streamsOf(account: string | undefined, status: DepositStatus | undefined): readonly ListStream[] {
  if (account !== undefined) return [{ collection: DEPOSIT, address: account }, uncreditedOf(ownerOf(account))];
  const credited = { collection: DEPOSIT, where: PAID_IN_ALL };
  if (status !== undefined) return [status === 'credited' ? credited : paymentsOf(status)];
  return [credited, paymentsOf('review'), paymentsOf('pending'), paymentsOf('failed')];
}

function statusOf({ collection, body }: RowRecord): string {
  return collection === PAYMENT ? (JSON.parse(body) as PaymentRecord).status : 'credited';
}

/** A deposit, or a payment that is not credited. */
export interface ShownDeposit {
  readonly id: string;
  readonly at: number;
  readonly status: string;
  readonly account: string;
  readonly accountName: string | null;
  readonly amount: string;
  readonly rail: string;
  readonly why: string | null;
  readonly network: string | null;
  readonly payer: string | null;
  readonly transaction: string | null;
}

async function depositEntry(row: RowRecord, names: ActorNames): Promise<ShownDeposit> {
  const { id, sort: at, body } = row;
  if (row.collection !== PAYMENT) {
    const { amount, reason, source } = JSON.parse(body) as PaidIn;
    const { rail = 'operator', network = null, payer = null, transaction = null } = source ?? {};
    const of = await ownerOfDeposit(row.address, names);
    return { id, at, status: 'credited', ...of, amount, rail, why: reason, network, payer, transaction };
  }
  const { status, amount, reason, account, network, payer, transaction } = JSON.parse(body) as PaymentRecord;
  const of = await ownerOfDeposit(accountAddress(account), names);
  return { id, at, status, ...of, amount, rail: 'x402', why: reason, network, payer, transaction };
}

async function ownerOfDeposit(account: string, names: ActorNames) {
  return { account, accountName: await names.of(account) };
}
