import { ENDPOINTS_TOPIC } from '../../../actors/endpoint/endpoint.ts';
import type { Json } from '../../../actors/runtime/index.ts';
import { modelEndpoints } from '../../catalogue/endpoints.ts';
import { endpointsOf, findBareModel, findModel, listModels, modelIds, retainsNothing } from '../../catalogue/models.ts';
import { publishedSchema } from '../../catalogue/published-schema.ts';
import { unknownModel } from '../../routing/unknown-model.ts';
import type { EdgeRoutes } from '../http/edge-routes.ts';
import { type Route, withHead } from '../http/route.ts';
import { jsonAnswer, type RouteAnswer } from '../http/route-answer.ts';
import { paramOf, type RequestContext } from '../request-context.ts';
import { filterModels } from './model-filters.ts';

/** The catalogue routes, answered from the board without asking an actor. (spec: catalogue, Endpoints) */
export const modelRoutes: readonly Route[] = [
  ...withHead(open('/models', ({ query }, edge) => json(filterModels(topicOf(edge), new URLSearchParams(query))))),
  open('/models/count', (_context, edge) => json({ data: { count: listModels(topicOf(edge)).length } })),
  open('/models/document.schema.json', documentSchema),
  { method: 'GET', path: '/models/user', policy: 'key', body: 'none', answer: listForCaller },
  open('/models/:id', (context, edge) => {
    const id = paramOf(context, 'id');
    return json(findBareModel(topicOf(edge), id) ?? unknown(edge, id));
  }),
  open('/models/:author/:slug', summary),
  open('/model/:author/:slug', summary),
  open('/models/:author/:slug/endpoints', (context, edge) => {
    const id = idOf(context, edge);
    return json({ data: modelEndpoints(topicOf(edge), id, edge.services.cluster.now()) ?? unknown(edge, id) });
  }),
];

function open(path: string, answer: Route['answer']): Route {
  return { method: 'GET', path, policy: 'open', body: 'none', answer };
}

let schema: string | null = null;

function documentSchema(): RouteAnswer {
  schema ??= JSON.stringify(publishedSchema());
  return { type: 'application/schema+json; charset=utf-8', body: schema };
}

function listForCaller(_context: RequestContext, edge: EdgeRoutes): RouteAnswer {
  const topic = topicOf(edge);
  const all = listModels(topic);
  if (!edge.services.inference.config.workspace.zeroRetention) return json({ data: all });
  return json({ data: all.filter(({ id }) => endpointsOf(topic, id).some(retainsNothing)) });
}

function summary(context: RequestContext, edge: EdgeRoutes): RouteAnswer {
  const id = idOf(context, edge);
  return json({ data: findModel(topicOf(edge), id) ?? unknown(edge, id) });
}

function topicOf({ services }: EdgeRoutes): ReadonlyMap<string, Json> {
  return services.cluster.board.topic(ENDPOINTS_TOPIC);
}

/** An id whose author or slug contains an encoded slash is unknown. */
function idOf(context: RequestContext, edge: EdgeRoutes): string {
  const [author, slug] = [paramOf(context, 'author'), paramOf(context, 'slug')];
  const id = `${author}/${slug}`;
  if (author.includes('/') || slug.includes('/')) unknown(edge, id);
  return id;
}

function unknown(edge: EdgeRoutes, id: string): never {
  throw unknownModel(id, modelIds(topicOf(edge)));
}

function json(value: object): RouteAnswer {
  return jsonAnswer(JSON.stringify(value));
}
