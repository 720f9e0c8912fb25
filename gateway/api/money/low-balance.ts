import { takeBody } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/route-answer.ts';
import { exactNumber, renderExact } from '../../json/exact-json.ts';
import { setNotice } from '../../management/low-balance.ts';
import type { Managing } from '../wire/managing.ts';

/**
 * `POST /credits/notice` with a management key: below which balance the account's feed has the event `balance.low`, once
 * per crossing. Body `{"low_balance": "5"}`, a decimal text, or null for no notice.
 */
export function lowBalanceRoute({ services, tenantOf }: Managing): Route {
  return {
    method: 'POST',
    path: '/credits/notice',
    policy: 'management',
    body: 'json',
    answer: async (context): Promise<RouteAnswer> => {
      const lowBalance = await setNotice(services, tenantOf(context), takeBody(context).value);
      return jsonAnswer(renderExact({ data: { low_balance: exactNumber(lowBalance) } }));
    },
  };
}
