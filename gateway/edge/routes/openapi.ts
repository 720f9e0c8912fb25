import type { FastifyInstance, HTTPMethods } from 'fastify';
import type { EdgeRoutes } from '../http/edge-routes.ts';
import { openApiDocument } from '../openapi/document.ts';
import type { Operation } from '../openapi/operation.ts';
import { OPERATIONS } from '../openapi/operations.ts';

/**
 * `GET /openapi.json`: the routes that this node has, as it validates and answers them. Its bytes are made once, when
 * the first reader asks: then every route is registered.
 */
export function registerOpenApi(app: FastifyInstance, { gate }: EdgeRoutes): void {
  const exists = ({ method, path }: Operation): boolean =>
    app.hasRoute({
      method: method.toUpperCase() as HTTPMethods,
      url: `${app.prefix}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
    });
  let bytes: Buffer | null = null;
  app.get('/openapi.json', { onRequest: gate.guard('open') }, (_request, reply) => {
    bytes ??= Buffer.from(JSON.stringify(openApiDocument(OPERATIONS.filter(exists))));
    reply.type('application/json; charset=utf-8').send(bytes);
  });
}
