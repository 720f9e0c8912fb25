import type { FastifyInstance } from 'fastify';
import { findGeneration } from '../../../actors/account/account.ts';
import { GatewayError } from '../../terms/gateway-error.ts';
import { renderExact } from '../exact-json.ts';
import { renderGeneration } from '../generation-record.ts';
import type { EdgeRoutes } from '../http/edge-routes.ts';

/** Longest text that is looked up at all. */
const ID_CHARACTERS_MAX = 96;

/**
 * `GET /generation?id=`: one generation of the caller's account, from the moment its hold is written. An id that is
 * unknown and one of another account are the same 404. (spec: conventions 1.4)
 */
export function registerGeneration(app: FastifyInstance, { gate, services }: EdgeRoutes): void {
  app.get<{ Querystring: { id?: string | string[] } }>(
    '/generation',
    { onRequest: gate.guard('key') },
    async (request, reply) => {
      const caller = await gate.charge(request.raw);
      const { id } = request.query;
      if (typeof id !== 'string' || id === '') throw missingId();
      const found = id.length > ID_CHARACTERS_MAX ? null : await findGeneration(services.cluster, caller.account, id);
      if (found === null) throw unknownGeneration();
      return reply.type('application/json; charset=utf-8').send(renderExact({ data: renderGeneration(id, found) }));
    },
  );
}

function missingId(): GatewayError {
  return new GatewayError({
    status: 400,
    type: 'invalid_request',
    message: 'The query parameter id is required, once',
  });
}

function unknownGeneration(): GatewayError {
  return new GatewayError({ status: 404, type: 'not_found', message: 'Generation not found' });
}
