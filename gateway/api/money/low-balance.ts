import { setLowBalance } from '../../../actors/account/account.ts';
import { parseUsd } from '../../../actors/terms/usd.ts';
import type { EdgeRoutes } from '../../edge/edge-routes.ts';
import { callerOf, type RequestContext, takeBody } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/route-answer.ts';
import { invalid } from '../../terms/invalid.ts';
import { exactNumber, renderExact } from '../wire/exact-json.ts';

/**
 * `POST /credits/notice` with a management key: below which balance the account's feed has the event `balance.low`, once
 * per crossing. Body `{"low_balance": "5"}`, a decimal text, or null for no notice.
 */
export const lowBalanceRoute: Route = {
  method: 'POST',
  path: '/credits/notice',
  policy: 'management',
  body: 'json',
  answer: setNotice,
};

async function setNotice(context: RequestContext, { services }: EdgeRoutes): Promise<RouteAnswer> {
  const { account, key: id } = callerOf(context);
  const body = takeBody(context).value as { readonly low_balance?: unknown } | null;
  const wanted = { lowBalance: amountOf(body?.low_balance), by: { kind: 'key', id } } as const;
  const { lowBalance } = await setLowBalance(services.cluster, account, wanted, services.askMs);
  return jsonAnswer(renderExact({ data: { low_balance: exactNumber(lowBalance) } }));
}

function amountOf(value: unknown): string | null {
  if (value === null) return null;
  const amount = typeof value === 'string' ? parseUsd(value) : null;
  if (amount === null) throw invalid('low_balance must be a decimal number of USD as text, or null');
  return amount;
}
