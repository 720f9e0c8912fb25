import type { FastifyInstance } from 'fastify';
import { findGeneration } from '../../../actors/account/account.ts';
import { invalid } from '../../terms/invalid.ts';
import { notFound } from '../../terms/not-found.ts';
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
      if (typeof id !== 'string' || id === '') throw invalid('The query parameter id is required, once');
      const found = id.length > ID_CHARACTERS_MAX ? null : await findGeneration(services.cluster, caller.account, id);
      if (found === null) throw notFound('Generation not found');
      return reply.type('application/json; charset=utf-8').send(renderExact({ data: renderGeneration(id, found) }));
    },
  );
}
