import { ownerOf } from '../../../actors/runtime/index.ts';
import type { EdgeRoutes } from '../../edge/edge-routes.ts';
import { limitOf, textOf } from '../../edge/query/query-values.ts';
import { callerOf, paramOf, type RequestContext } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/route-answer.ts';
import type { DepositConfig } from '../../terms/deposit-config.ts';
import { invalid } from '../../terms/invalid.ts';
import { notFound } from '../../terms/not-found.ts';
import { exactNumber, renderExact } from '../wire/exact-json.ts';
import { findDeposit, listDeposits } from './list-deposits.ts';
import { payX402Route } from './pay-x402.ts';

const PAGE = { usual: 20, most: 100 } as const;
/** Longer ids are not looked up. */
const ID = /^[\x21-\x7e]{1,96}$/;

/** Money in: the rails, the deposits of the caller's account, and payment by x402. (conventions 1.6) */
export const depositRoutes: readonly Route[] = [
  { method: 'GET', path: '/deposits/rails', policy: 'key', body: 'none', answer: showRails },
  { method: 'GET', path: '/deposits', policy: 'key', body: 'none', answer: list },
  { method: 'GET', path: '/deposits/:id', policy: 'key', body: 'none', answer: show },
  payX402Route,
];

function showRails(_: RequestContext, { services }: EdgeRoutes): RouteAnswer {
  return jsonAnswer(renderExact({ rails: railsOf(services.inference.config.deposits) }));
}

/** The rails that the configuration declares. */
export function railsOf({ card, x402, minUsd, maxUsd }: DepositConfig): readonly object[] {
  const bounds = { min: exactNumber(minUsd), max: exactNumber(maxUsd) };
  const ofX402 = x402 && { network: x402.network, asset: x402.asset, pay_to: x402.payTo };
  return [
    ...(card === undefined ? [] : [{ id: 'card', currency: 'USD', ...bounds, url: card.url }]),
    ...(ofX402 === undefined ? [] : [{ id: 'x402', currency: 'USD', ...bounds, x402_version: 2, ...ofX402 }]),
  ];
}

async function list(context: RequestContext, { services }: EdgeRoutes): Promise<RouteAnswer> {
  const query = new URLSearchParams(context.query);
  const after = textOf(query, 'after');
  if (after !== null && !ID.test(after)) throw invalid('after must be the id of a deposit');
  const page = await listDeposits(services.cluster, accountOf(context), { limit: limitOf(query, PAGE), after });
  if (page === null) throw noSuchDeposit();
  const { deposits, hasMore } = page;
  const ids = { first_id: deposits.at(0)?.id ?? null, last_id: deposits.at(-1)?.id ?? null };
  return jsonAnswer(
    renderExact({ object: 'list', data: deposits.map(({ object }) => object), ...ids, has_more: hasMore }),
  );
}

async function show(context: RequestContext, { services }: EdgeRoutes): Promise<RouteAnswer> {
  const id = paramOf(context, 'id');
  const deposit = ID.test(id) ? await findDeposit(services.cluster, accountOf(context), id) : null;
  if (deposit === null) throw noSuchDeposit();
  return jsonAnswer(renderExact(deposit.object));
}

/** The same for an unknown id and for one of another account. */
function noSuchDeposit() {
  return notFound('No such deposit');
}

function accountOf(context: RequestContext): string {
  return ownerOf(callerOf(context).key);
}
