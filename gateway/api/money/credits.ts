import { showAccount } from '../../../actors/account/account.ts';
import type { AccountView } from '../../../actors/account/statement.ts';
import type { Cluster } from '../../../actors/runtime/index.ts';
import { add } from '../../../actors/terms/usd.ts';
import { callerOf, type RequestContext } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/route-answer.ts';
import { exactNumber, renderExact } from '../../json/exact-json.ts';

interface CreditsParts {
  readonly cluster: Cluster;
  readonly askMs: number;
}

/** `GET /credits`: deposits, charges and holds of the account, in full precision. (rule K51) */
export function creditsRoute(parts: CreditsParts): Route {
  return {
    method: 'GET',
    path: '/credits',
    policy: 'key',
    body: 'none',
    answer: (context) => showCredits(context, parts),
  };
}

async function showCredits(context: RequestContext, { cluster, askMs }: CreditsParts): Promise<RouteAnswer> {
  const view = await showAccount(cluster, callerOf(context).account, askMs);
  return jsonAnswer(renderExact({ data: creditsObject(view) }));
}

/** The account's money for `renderExact`. */
export function creditsObject(view: AccountView): object {
  return {
    total_credits: exactNumber(add(view.deposits, view.adjustments)),
    total_usage: exactNumber(view.charges),
    held: exactNumber(view.held),
    available: exactNumber(view.available),
    low_balance: exactNumber(view.lowBalance),
  };
}
