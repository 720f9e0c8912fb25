import type { Clock } from '../../../actors/runtime/index.ts';
import { limitOf, textOf } from '../../edge/query/query-values.ts';
import { paramOf, type RequestContext } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/write-answer.ts';
import { exactNumber, renderExact } from '../../json/exact-json.ts';
import { type Deposit, isCredited, listDeposits, requireDeposit } from '../../management/deposits.ts';
import type { DepositConfig } from '../../terms/config/deposit-config.ts';
import type { Managing } from '../wire/managing.ts';
import { after, limitTo, type Operations } from '../wire/operation.ts';
import { depositListSchema, depositSchema, railsSchema } from './deposit-schema.ts';
import { payX402Route } from './pay-x402.ts';

const PAGE = { usual: 20, most: 100 } as const;

/** What the document says of the routes. */
export const DEPOSIT_OPERATIONS: Operations = {
  'GET /deposits/rails': {
    key: 'inference',
    summary: 'The ways to pay, with their bounds',
    description: 'Only the ways that the operator has configured.',
    answers: 'Every way to pay.',
    reply: { DepositRails: railsSchema },
  },
  'GET /deposits': {
    key: 'inference',
    summary: 'The deposits of this account, newest first',
    description: 'Payments on their way are listed too.',
    answers: 'A page of deposits.',
    query: { limit: limitTo(PAGE.most), after },
    reply: { DepositList: depositListSchema },
  },
  'GET /deposits/{id}': {
    key: 'inference',
    summary: 'One deposit, or payment on its way',
    description: 'A payment without a known outcome is `pending` or in `review`.',
    answers: 'How the deposit stands, and what it credited.',
    path: { id: 'Id of the deposit, as its payment or GET /deposits answered it.' },
    reply: { Deposit: depositSchema },
  },
};

interface DepositParts extends Managing {
  readonly deposits: DepositConfig;
  readonly clock: Clock;
}

/** Money in: the rails, the deposits of the caller's account, and payment by x402. (rule K49) */
export function depositRoutes(parts: DepositParts): readonly Route[] {
  return [
    { method: 'GET', path: '/deposits/rails', policy: 'key', answer: () => showRails(parts) },
    { method: 'GET', path: '/deposits', policy: 'key', answer: (context) => list(context, parts) },
    { method: 'GET', path: '/deposits/:id', policy: 'key', answer: (context) => show(context, parts) },
    payX402Route(parts),
  ];
}

function showRails({ deposits }: DepositParts): RouteAnswer {
  return jsonAnswer(renderExact({ rails: railsOf(deposits) }));
}

/** The rails that the configuration declares. */
function railsOf({ card, x402, minUsd, maxUsd }: DepositConfig): readonly object[] {
  const bounds = { min: exactNumber(minUsd), max: exactNumber(maxUsd) };
  const ofX402 = x402 && { network: x402.network, asset: x402.asset, pay_to: x402.payTo };
  return [
    ...(card === undefined ? [] : [{ id: 'card', currency: 'USD', ...bounds, url: card.url }]),
    ...(ofX402 === undefined ? [] : [{ id: 'x402', currency: 'USD', ...bounds, x402_version: 2, ...ofX402 }]),
  ];
}

async function list(context: RequestContext, { services, tenantOf }: Managing): Promise<RouteAnswer> {
  const query = new URLSearchParams(context.query);
  const page = { after: textOf(query, 'after'), limit: limitOf(query, PAGE) };
  const { deposits, hasMore } = await listDeposits(services, tenantOf(context), page);
  const ids = { first_id: deposits.at(0)?.id ?? null, last_id: deposits.at(-1)?.id ?? null };
  return jsonAnswer(renderExact({ object: 'list', data: deposits.map(depositObject), ...ids, has_more: hasMore }));
}

async function show(context: RequestContext, { services, tenantOf }: Managing): Promise<RouteAnswer> {
  const deposit = await requireDeposit(services, tenantOf(context), paramOf(context, 'id'));
  return jsonAnswer(renderExact(depositObject(deposit)));
}

/** A deposit as the API shows it: a ledger entry, or a payment that has none yet. */
function depositObject({ id, at, record }: Deposit): object {
  const credit = isCredited(record) ? record : null;
  const source = isCredited(record) ? record.source : record;
  const created = new Date(at).toISOString();
  return {
    id,
    object: 'deposit',
    rail: isCredited(record) ? (record.source?.rail ?? 'operator') : 'x402',
    status: isCredited(record) ? 'credited' : record.status,
    currency: 'USD',
    amount: exactNumber(record.amount),
    balance: exactNumber(credit?.balance ?? null),
    reason: record.reason,
    created_at: created,
    credited_at: credit === null ? null : created,
    network: source?.network ?? null,
    payer: source?.payer ?? null,
    transaction: source?.transaction ?? null,
  };
}
