import type { Route } from '../../edge/route.ts';
import { JSON_TYPE, type RouteAnswer } from '../../http/route-answer.ts';

const MESSAGE = 'This way to buy credits is gone for good; GET /deposits/rails lists the ways that exist';

/**
 * `POST /credits/coinbase`: always 410, whoever asks. Its error is the only one without `metadata.error_type`.
 * (rule K50)
 */
export const retiredPurchaseRoute: Route = {
  method: 'POST',
  path: '/credits/coinbase',
  policy: 'open',
  body: 'none',
  answer: (): RouteAnswer => ({
    status: 410,
    type: JSON_TYPE,
    body: JSON.stringify({ error: { code: 410, message: MESSAGE, metadata: {} } }),
  }),
};
