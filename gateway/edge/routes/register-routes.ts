import type { FastifyInstance } from 'fastify';
import type { EdgeRoutes } from '../http/edge-routes.ts';
import { registerCredits } from './credits.ts';
import { registerGeneration } from './generation.ts';
import { registerKey } from './key.ts';
import { registerModels } from './models.ts';
import { registerOpenApi } from './openapi.ts';
import { registerTurns } from './turn-routes.ts';

/** Every route of the public API below its prefix. What stands here stands in the published document too. */
export function registerRoutes(api: FastifyInstance, routes: EdgeRoutes): void {
  // A liveness read: it reads nothing about the caller, and no budget is charged for it.
  const alive = JSON.stringify({ name: 'troupe', status: 'ok' });
  api.get('/', (_request, reply) => {
    reply.type('application/json; charset=utf-8').send(alive);
  });
  registerTurns(api, routes);
  registerCredits(api, routes);
  registerGeneration(api, routes);
  registerKey(api, routes);
  registerModels(api, routes);
  registerOpenApi(api, routes);
}
