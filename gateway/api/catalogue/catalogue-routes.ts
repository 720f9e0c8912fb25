import { endpointsOn } from '../../../actors/endpoint/endpoint.ts';
import { PROVIDERS_TOPIC } from '../../../actors/provider/provider.ts';
import { type Json, ownerOf } from '../../../actors/runtime/index.ts';
import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import type { WorkspaceRouting } from '../../../actors/terms/workspace.ts';
import { modelBenchmarks, modelEndpoints, zdrEndpoints } from '../../catalogue/endpoint-listings.ts';
import { listFamilies } from '../../catalogue/families.ts';
import { imageEndpoints } from '../../catalogue/image-endpoints.ts';
import { listImageModels } from '../../catalogue/image-models.ts';
import { type Listing, listingOf } from '../../catalogue/listing.ts';
import { catalogueModels, findBareModel, findModel, retainsNothing } from '../../catalogue/models.ts';
import { listProviders } from '../../catalogue/providers.ts';
import { publishedSchema } from '../../catalogue/published-schema.ts';
import type { EdgeRoutes } from '../../edge/edge-routes.ts';
import { embeddingsModels, filterModels } from '../../edge/query/filter-models.ts';
import { callerOf, paramOf, type RequestContext } from '../../edge/request-context.ts';
import { type Route, withHead } from '../../edge/route.ts';
import type { RouteAnswer } from '../../http/route-answer.ts';
import { isNamed } from '../../routing/eligibility/preferences.ts';
import { unknownModel } from '../../routing/unknown-model.ts';
import { notFound } from '../../terms/not-found.ts';
import { nameUnread } from '../wire/body-reader.ts';
import { parametersOf } from './catalogue-operations.ts';

/** Declared facts change when a document does. */
const DECLARED = 'public, max-age=30';
/** Figures are published every few seconds. */
const MEASURED = 'public, max-age=5';
/** Public statistics are read once a minute. */
const COUNTED = 'public, max-age=60';
/** What depends on the key is kept by its own client only, and asked for each time. */
const OWN = 'private, no-cache';

/** The catalogue routes, answered from the board without asking an actor. (rule C18) */
export const catalogueRoutes: readonly Route[] = [
  ...withHead(
    open('/models', DECLARED, ({ query }, edge) =>
      filterModels(topicOf(edge), new URLSearchParams(query), nowOf(edge)),
    ),
  ),
  open('/embeddings/models', DECLARED, ({ query }, edge) =>
    embeddingsModels(topicOf(edge), new URLSearchParams(query), nowOf(edge)),
  ),
  open('/models/count', DECLARED, (_, edge) => listingOf({ data: { count: catalogueModels(topicOf(edge)).length } })),
  { method: 'GET', path: '/models/document.schema.json', policy: 'open', body: 'none', answer: documentSchema },
  { method: 'GET', path: '/models/user', policy: 'key', body: 'none', answer: listForCaller },
  open('/models/:id', DECLARED, (context, edge) => {
    const id = paramOf(context, 'id');
    return listingOf(findBareModel(topicOf(edge), id) ?? unknown(edge, id));
  }),
  open('/models/:author/:slug', DECLARED, summary),
  open('/model/:author/:slug', DECLARED, summary),
  open('/models/:author/:slug/endpoints', MEASURED, (context, edge) => {
    const id = idOf(context, edge);
    return modelEndpoints(topicOf(edge), id, nowOf(edge)) ?? unknown(edge, id);
  }),
  open('/models/:author/:slug/benchmarks', DECLARED, (context, edge) => {
    const id = idOf(context, edge);
    return listingOf(modelBenchmarks(topicOf(edge), id) ?? unknown(edge, id));
  }),
  open('/images/models', DECLARED, (_, edge) => listingOf({ data: listImageModels(topicOf(edge)) })),
  open('/images/models/:author/:slug/endpoints', DECLARED, (context, edge) => {
    const id = idOf(context, edge);
    return imageEndpoints(topicOf(edge), id) ?? drawsNothing(edge, id);
  }),
  open('/endpoints/zdr', MEASURED, (_, edge) => zdrEndpoints(topicOf(edge), nowOf(edge))),
  open('/providers', DECLARED, (_, edge) =>
    listingOf({ data: listProviders(edge.services.cluster.board.topic(PROVIDERS_TOPIC), topicOf(edge)) }),
  ),
  open('/families', DECLARED, (_, edge) => listingOf({ data: listFamilies(topicOf(edge)) })),
  { method: 'GET', path: '/stats/public', policy: 'open', body: 'none', answer: showStats },
];

/** Parameters that the route does not read are named in a header, as members of bodies are. */
function open(path: string, caching: string, list: (context: RequestContext, edge: EdgeRoutes) => Listing): Route {
  const read = parametersOf(path);
  return {
    method: 'GET',
    path,
    policy: 'open',
    body: 'none',
    answer: (context, edge) => {
      const listing = list(context, edge);
      if (read !== null) nameUnread(context, read, Object.fromEntries(new URLSearchParams(context.query)));
      return edge.preparedAnswers.answer(context.request, listing, caching);
    },
  };
}

let schema: string | null = null;

function documentSchema(): RouteAnswer {
  schema ??= JSON.stringify(publishedSchema());
  return { type: 'application/schema+json; charset=utf-8', body: schema };
}

/**
 * The models that an endpoint may serve for the key, by the settings of its workspace; all of them, with the members
 * that strict clients need to paginate (rule I49).
 */
async function listForCaller(context: RequestContext, edge: EdgeRoutes): Promise<RouteAnswer> {
  const { account, workspace = null } = callerOf(context);
  const routing = await edge.services.inference.workspaces.routingOf(ownerOf(account), workspace);
  const all = catalogueModels(topicOf(edge));
  const kept = all.filter(({ endpoints }) => endpoints.some((endpoint) => mayServe(endpoint, routing)));
  const after = `],"total_count":${kept.length},"links":{"next":null}}`;
  const listing = { before: '{"data":[', entries: kept.map(({ entry }) => entry), after };
  return edge.preparedAnswers.answer(context.request, listing, OWN);
}

function mayServe(endpoint: Endpoint, { zeroRetention, allowed, ignored }: WorkspaceRouting): boolean {
  const isNamedIn = (names: readonly string[]): boolean => names.some((name) => isNamed({ endpoint }, name));
  if (zeroRetention && !retainsNothing(endpoint)) return false;
  return (allowed === null || isNamedIn(allowed)) && !isNamedIn(ignored);
}

async function showStats({ request }: RequestContext, edge: EdgeRoutes): Promise<RouteAnswer> {
  const { board } = edge.services.cluster;
  const listed = {
    models: catalogueModels(topicOf(edge)).length,
    endpoints: topicOf(edge).size,
    providers: board.topic(PROVIDERS_TOPIC).size,
  };
  return edge.preparedAnswers.answer(request, listingOf({ data: await edge.publicStats.show(listed) }), COUNTED);
}

function summary(context: RequestContext, edge: EdgeRoutes): Listing {
  const id = idOf(context, edge);
  return listingOf({ data: findModel(topicOf(edge), id) ?? unknown(edge, id) });
}

function topicOf({ services }: EdgeRoutes): ReadonlyMap<string, Json> {
  return endpointsOn(services.cluster.board);
}

function nowOf({ services }: EdgeRoutes): number {
  return services.cluster.now();
}

/** An id whose author or slug contains an encoded slash is unknown. */
function idOf(context: RequestContext, edge: EdgeRoutes): string {
  const [author, slug] = [paramOf(context, 'author'), paramOf(context, 'slug')];
  const id = `${author}/${slug}`;
  if (author.includes('/') || slug.includes('/')) unknown(edge, id);
  return id;
}

function drawsNothing(edge: EdgeRoutes, id: string): never {
  if (findModel(topicOf(edge), id) !== null) throw notFound(`${id} draws no pictures`);
  return unknown(edge, id);
}

function unknown(edge: EdgeRoutes, id: string): never {
  throw unknownModel(id, topicOf(edge));
}
