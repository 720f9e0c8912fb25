import type { FastifyInstance } from 'fastify';
import type { EdgeRoutes } from '../http/edge-routes.ts';
import { openApiDocument } from '../openapi/document.ts';

/** `GET /openapi.json`: the API as it validates and answers. Its bytes are made once, when the node starts. */
export function registerOpenApi(app: FastifyInstance, { gate }: EdgeRoutes): void {
  const bytes = Buffer.from(JSON.stringify(openApiDocument()));
  app.get('/openapi.json', { onRequest: gate.guard('open') }, (_request, reply) => {
    reply.type('application/json; charset=utf-8').send(bytes);
  });
}
