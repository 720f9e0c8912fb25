import { endpointsOn } from '../../../actors/endpoint/endpoint.ts';
import { PROVIDERS_TOPIC } from '../../../actors/provider/provider.ts';
import { type Cluster, type Json, ownerOf } from '../../../actors/runtime/index.ts';
import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import type { WorkspaceRouting } from '../../../actors/terms/workspace.ts';
import { publishedSchema } from '../../catalogue/document/published-schema.ts';
import { modelBenchmarks, modelEndpoints, zdrEndpoints } from '../../catalogue/endpoint-listings.ts';
import { listFamilies } from '../../catalogue/families.ts';
import { imageEndpoints } from '../../catalogue/image-endpoints.ts';
import { listImageModels } from '../../catalogue/image-models.ts';
import { type Listing, listingOf } from '../../catalogue/listing.ts';
import { catalogueModels, findBareModel, findModel, retainsNothing } from '../../catalogue/models.ts';
import { listProviders } from '../../catalogue/providers.ts';
import { embeddingsModels, filterModels } from '../../edge/query/filter-models.ts';
import { callerOf, nameUnread, paramOf, type RequestContext } from '../../edge/request-context.ts';
import { type Route, withHead } from '../../edge/route.ts';
import type { RouteAnswer } from '../../http/write-answer.ts';
import { isNamed } from '../../routing/eligibility/preferences.ts';
import { unknownModel } from '../../routing/unknown-model.ts';
import type { Workspaces } from '../../routing/workspaces.ts';
import { notFound } from '../../terms/gateway-error.ts';
import { parametersOf } from './catalogue-operations.ts';
import type { PreparedAnswers } from './prepared-answers.ts';
import { PublicStats } from './public-stats.ts';

/** Declared facts change when a document does. */
const DECLARED = 'public, max-age=30';
/** Figures are published every few seconds. */
const MEASURED = 'public, max-age=5';
/** Public statistics are read once a minute. */
const COUNTED = 'public, max-age=60';
/** What depends on the key is kept by its own client only, and asked for each time. */
const OWN = 'private, no-cache';

interface CatalogueParts {
  readonly cluster: Pick<Cluster, 'board' | 'rows' | 'now'>;
  readonly workspaces: Pick<Workspaces, 'routingOf'>;
  readonly preparedAnswers: PreparedAnswers;
}

/** The catalogue routes, answered from the board without asking an actor. (rule C18) */
export function catalogueRoutes(parts: CatalogueParts): readonly Route[] {
  const stats = new PublicStats(parts.cluster);
  const open = (path: string, caching: string, list: (context: RequestContext) => Listing): Route =>
    openRoute(path, (context) => parts.preparedAnswers.answer(context.request, list(context), caching));
  return [
    ...withHead(
      open('/models', DECLARED, ({ query }) => filterModels(topicOf(parts), new URLSearchParams(query), nowOf(parts))),
    ),
    open('/embeddings/models', DECLARED, ({ query }) =>
      embeddingsModels(topicOf(parts), new URLSearchParams(query), nowOf(parts)),
    ),
    open('/models/count', DECLARED, () => listingOf({ data: { count: catalogueModels(topicOf(parts)).length } })),
    { method: 'GET', path: '/models/document.schema.json', policy: 'open', answer: documentSchema },
    {
      method: 'GET',
      path: '/models/user',
      policy: 'key',
      answer: (context) => listForCaller(context, parts),
    },
    open('/models/:id', DECLARED, (context) => {
      const id = paramOf(context, 'id');
      return listingOf(findBareModel(topicOf(parts), id) ?? unknown(parts, id));
    }),
    open('/models/:author/:slug', DECLARED, (context) => summary(context, parts)),
    open('/model/:author/:slug', DECLARED, (context) => summary(context, parts)),
    open('/models/:author/:slug/endpoints', MEASURED, (context) => {
      const id = idOf(context, parts);
      return modelEndpoints(topicOf(parts), id, nowOf(parts)) ?? unknown(parts, id);
    }),
    open('/models/:author/:slug/benchmarks', DECLARED, (context) => {
      const id = idOf(context, parts);
      return listingOf(modelBenchmarks(topicOf(parts), id) ?? unknown(parts, id));
    }),
    open('/images/models', DECLARED, () => listingOf({ data: listImageModels(topicOf(parts)) })),
    open('/images/models/:author/:slug/endpoints', DECLARED, (context) => {
      const id = idOf(context, parts);
      return imageEndpoints(topicOf(parts), id) ?? drawsNothing(parts, id);
    }),
    open('/endpoints/zdr', MEASURED, () => zdrEndpoints(topicOf(parts), nowOf(parts))),
    open('/providers', DECLARED, () =>
      listingOf({ data: listProviders(parts.cluster.board.topic(PROVIDERS_TOPIC), topicOf(parts)) }),
    ),
    open('/families', DECLARED, () => listingOf({ data: listFamilies(topicOf(parts)) })),
    {
      method: 'GET',
      path: '/stats/public',
      policy: 'open',
      answer: (context) => showStats(context, parts, stats),
    },
  ];
}

/** Parameters that the route does not read are named in a header, as members of bodies are. */
function openRoute(path: string, answer: Route['answer']): Route {
  const read = parametersOf(path);
  return {
    method: 'GET',
    path,
    policy: 'open',
    answer: (context) => {
      const answered = answer(context);
      if (read !== null) nameUnread(context, read, Object.fromEntries(new URLSearchParams(context.query)));
      return answered;
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
async function listForCaller(context: RequestContext, parts: CatalogueParts): Promise<RouteAnswer> {
  const { account, workspace = null } = callerOf(context);
  const routing = await parts.workspaces.routingOf(ownerOf(account), workspace);
  const all = catalogueModels(topicOf(parts));
  const kept = all.filter(({ endpoints }) => endpoints.some((endpoint) => mayServe(endpoint, routing)));
  const after = `],"total_count":${kept.length},"links":{"next":null}}`;
  const listing = { before: '{"data":[', entries: kept.map(({ entry }) => entry), after };
  return parts.preparedAnswers.answer(context.request, listing, OWN);
}

function mayServe(endpoint: Endpoint, { zeroRetention, allowed, ignored }: WorkspaceRouting): boolean {
  const isNamedIn = (names: readonly string[]): boolean => names.some((name) => isNamed({ endpoint }, name));
  if (zeroRetention && !retainsNothing(endpoint)) return false;
  return (allowed === null || isNamedIn(allowed)) && !isNamedIn(ignored);
}

async function showStats({ request }: RequestContext, parts: CatalogueParts, stats: PublicStats): Promise<RouteAnswer> {
  const { board } = parts.cluster;
  const listed = {
    models: catalogueModels(topicOf(parts)).length,
    endpoints: topicOf(parts).size,
    providers: board.topic(PROVIDERS_TOPIC).size,
  };
  return parts.preparedAnswers.answer(request, listingOf({ data: await stats.show(listed) }), COUNTED);
}

function summary(context: RequestContext, parts: CatalogueParts): Listing {
  const id = idOf(context, parts);
  return listingOf({ data: findModel(topicOf(parts), id) ?? unknown(parts, id) });
}

function topicOf({ cluster }: CatalogueParts): ReadonlyMap<string, Json> {
  return endpointsOn(cluster.board);
}

function nowOf({ cluster }: CatalogueParts): number {
  return cluster.now();
}

/** An id whose author or slug contains an encoded slash is unknown. */
function idOf(context: RequestContext, parts: CatalogueParts): string {
  const [author, slug] = [paramOf(context, 'author'), paramOf(context, 'slug')];
  const id = `${author}/${slug}`;
  if (author.includes('/') || slug.includes('/')) unknown(parts, id);
  return id;
}

function drawsNothing(parts: CatalogueParts, id: string): never {
  if (findModel(topicOf(parts), id) !== null) throw notFound(`${id} draws no pictures`);
  return unknown(parts, id);
}

function unknown(parts: CatalogueParts, id: string): never {
  throw unknownModel(id, topicOf(parts));
}
