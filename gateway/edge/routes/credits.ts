import type { FastifyInstance } from 'fastify';
import { showAccount } from '../../../actors/account/account.ts';
import { add } from '../../../actors/terms/usd.ts';
import { exactNumber, renderExact } from '../exact-json.ts';
import type { EdgeRoutes } from '../http/edge-routes.ts';

/** `GET /credits`: what was paid in, what was charged, what is held, with every digit. (spec: conventions 1.4) */
export function registerCredits(app: FastifyInstance, { gate, services }: EdgeRoutes): void {
  app.get('/credits', { onRequest: gate.guard('key') }, async (request, reply) => {
    const caller = await gate.charge(request.raw);
    const view = await showAccount(services.cluster, caller.account, services.askMs);
    return reply.type('application/json; charset=utf-8').send(
      renderExact({
        data: {
          total_credits: exactNumber(add(view.deposits, view.adjustments)),
          total_usage: exactNumber(view.charges),
          held: exactNumber(view.held),
          available: exactNumber(view.available),
        },
      }),
    );
  });
}
