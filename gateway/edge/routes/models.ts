import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ENDPOINTS_TOPIC } from '../../../actors/endpoint/endpoint.ts';
import type { Json } from '../../../actors/runtime/index.ts';
import { modelEndpoints } from '../../catalogue/endpoints.ts';
import { findBareModel, findModel, listModels } from '../../catalogue/models.ts';
import { publishedSchema } from '../../catalogue/published-schema.ts';
import { withoutRetention } from '../../catalogue/without-retention.ts';
import { notFound } from '../../terms/not-found.ts';
import type { EdgeRoutes } from '../http/edge-routes.ts';
import { filterModels, type Query } from '../model-filters.ts';

interface Named {
  readonly Params: { readonly author: string; readonly slug: string };
}

/** The catalogue as far as it is built, read from the board and never from an actor. (spec: catalogue, Endpoints) */
export function registerModels(app: FastifyInstance, { gate, services }: EdgeRoutes): void {
  const offers = (): ReadonlyMap<string, Json> => services.cluster.board.topic(ENDPOINTS_TOPIC);
  const open = { onRequest: gate.guard('open') };

  app.get<{ Querystring: Query }>('/models', open, (request, reply) => {
    send(reply, filterModels(listModels(offers()), request.query, withoutRetention(offers())));
  });
  app.get('/models/count', open, (_request, reply) => {
    send(reply, { data: { count: listModels(offers()).length } });
  });
  let schema: string | null = null;
  app.get('/models/document.schema.json', open, (_request, reply) => {
    schema ??= JSON.stringify(publishedSchema());
    reply.header('content-type', 'application/schema+json; charset=utf-8').send(schema);
  });
  app.get('/models/user', { onRequest: gate.guard('key') }, async (request, reply) => {
    await gate.charge(request.raw);
    const all = listModels(offers());
    if (!services.inference.config.workspace.zeroRetention) return send(reply, { data: all });
    const kept = withoutRetention(offers());
    return send(reply, { data: all.filter(({ id }) => kept.has(id)) });
  });
  app.get<{ Params: { readonly id: string } }>('/models/:id', open, (request, reply) => {
    const { id } = request.params;
    send(reply, findBareModel(offers(), id) ?? unknown(id));
  });
  const summary = (request: FastifyRequest<Named>, reply: FastifyReply): void => {
    const id = idOf(request);
    send(reply, { data: findModel(offers(), id) ?? unknown(id) });
  };
  app.get<Named>('/models/:author/:slug', open, summary);
  app.get<Named>('/model/:author/:slug', open, summary);
  app.get<Named>('/models/:author/:slug/endpoints', open, (request, reply) => {
    const id = idOf(request);
    send(reply, { data: modelEndpoints(offers(), id) ?? unknown(id) });
  });
}

/** A segment with a slash of its own is no author and no slug. */
function idOf({ params: { author, slug } }: FastifyRequest<Named>): string {
  const id = `${author}/${slug}`;
  if (author.includes('/') || slug.includes('/')) unknown(id);
  return id;
}

function unknown(id: string): never {
  const metadata = { requested: id.slice(0, 200), resolved: null, reason: 'model_not_in_catalogue' };
  throw notFound('No such model', metadata);
}

function send(reply: FastifyReply, value: object): FastifyReply {
  return reply.header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(value));
}
