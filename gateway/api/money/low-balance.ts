import type { EdgeRoutes } from '../../edge/edge-routes.ts';
import { type RequestContext, takeBody } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/route-answer.ts';
import { exactNumber, renderExact } from '../../json/exact-json.ts';
import { setNotice } from '../../management/low-balance.ts';
import { tenantOf } from '../keys/tenant.ts';

/**
 * `POST /credits/notice` with a management key: below which balance the account's feed has the event `balance.low`, once
 * per crossing. Body `{"low_balance": "5"}`, a decimal text, or null for no notice.
 */
export const lowBalanceRoute: Route = {
  method: 'POST',
  path: '/credits/notice',
  policy: 'management',
  body: 'json',
  answer: async (context: RequestContext, edge: EdgeRoutes): Promise<RouteAnswer> => {
    const lowBalance = await setNotice(edge.services, tenantOf(context, edge), takeBody(context).value);
    return jsonAnswer(renderExact({ data: { low_balance: exactNumber(lowBalance) } }));
  },
};
