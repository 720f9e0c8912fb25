import { endpointsOn } from '../../../actors/endpoint/endpoint.ts';
import { PROVIDERS_TOPIC } from '../../../actors/provider/provider.ts';
import type { Json } from '../../../actors/runtime/index.ts';
import { listFamilies } from '../../catalogue/families.ts';
import { catalogueModel, catalogueModels } from '../../catalogue/models.ts';
import { listProviders } from '../../catalogue/providers.ts';
import { type ModelSelection, selectModels } from '../../edge/query/filter-models.ts';
import { paramOf } from '../../edge/request-context.ts';
import { PREFIX } from '../../edge/route.ts';
import type { RouteAnswer } from '../../http/write-answer.ts';
import { unknownModel } from '../../routing/unknown-model.ts';
import { GatewayError } from '../../terms/gateway-error.ts';
import { type Html, html } from '../kit/html.ts';
import { layout, type SearchEntry } from '../kit/layout.ts';
import { pageAnswer } from '../kit/page-answer.ts';
import { openPage, type PageRoute, type Visit } from '../kit/page-route.ts';
import type { Option } from '../kit/parts/fields.ts';
import type { EndpointHistories } from './endpoint-histories.ts';
import { DRAWN_MAX, REACHES } from './history-charts.ts';
import { modelContent } from './model-page.ts';
import { modelsContent } from './models-page.ts';

/** The public catalogue for browsers: the same models, filters and figures as the catalogue routes of the API. */
export function cataloguePageRoutes(histories: EndpointHistories): readonly PageRoute[] {
  return [
    ...openPage('/models', showModels),
    ...openPage('/sitemap.xml', sitemap),
    ...openPage('/models/:author/:slug', (visit) => showModel(visit, histories)),
  ];
}

const PAGE = '24';
const NOTHING: ModelSelection = { models: [], total: 0, next: null, unsupported: [] };

function showModels(visit: Visit): RouteAnswer {
  const sent = new URLSearchParams(visit.context.query);
  const topic = topicOf(visit);
  const { selection, problem } = select(visit, asked(sent));
  const families = listFamilies(topic).map(({ id, name }) => ({ value: String(id), text: String(name) }));
  const content = modelsContent({ query: sent, selection, problem, families, providers: providersOf(visit) });
  // A search or an order of the list is no page of its own.
  const isWhole = [...sent.keys()].every((name) => name === 'offset' || name === 'limit');
  const listing = {
    address: `${visit.site.origin}${visit.context.request.url ?? '/models'}`,
    description: DESCRIPTION,
  };
  return page(visit, {
    title: 'Models',
    content,
    status: problem === null ? 200 : 400,
    ...(isWhole ? { listing } : {}),
  });
}

/** Of one file, by the protocol of sitemaps.org. */
const ADDRESSES_MAX = 50_000;

/** The pages that search engines may list. */
function sitemap(visit: Visit): RouteAnswer {
  const models = catalogueModels(topicOf(visit)).map(({ id }) => `/models/${id}`);
  const addresses = ['/', '/models', ...models].slice(0, ADDRESSES_MAX);
  const urls = addresses.map((path) => html`<url><loc>${visit.site.origin}${path}</loc></url>\n`);
  return {
    type: 'application/xml; charset=utf-8',
    body: `<?xml version="1.0" encoding="UTF-8"?>\n${html`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls}</urlset>`}\n`,
    headers: ['cache-control', 'no-cache', 'x-content-type-options', 'nosniff'],
  };
}

const DESCRIPTION = 'Models of many providers behind one API: prices, speed and uptime of each endpoint, measured.';

function select(
  visit: Visit,
  query: URLSearchParams,
): { readonly selection: ModelSelection; readonly problem: string | null } {
  try {
    return { selection: selectModels(topicOf(visit), query, visit.services.cluster.now()), problem: null };
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.status !== 400) throw thrown;
    return { selection: NOTHING, problem: thrown.message };
  }
}

/** The query of the API for what a form sent: empty fields are left out, ticks of one name are one list. */
function asked(sent: URLSearchParams): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of new Set(sent.keys())) {
    const values = sent.getAll(name).filter((value) => value !== '');
    if (values.length > 0) query.set(name, values.join(','));
  }
  if (!query.has('limit')) query.set('limit', PAGE);
  return query;
}

function providersOf(visit: Visit): readonly Option[] {
  const { board } = visit.services.cluster;
  return listProviders(board.topic(PROVIDERS_TOPIC), topicOf(visit)).map(({ slug, name }) => ({
    value: String(slug),
    text: String(name),
  }));
}

async function showModel(visit: Visit, read: EndpointHistories): Promise<RouteAnswer> {
  const { context, services, site } = visit;
  const id = `${paramOf(context, 'author')}/${paramOf(context, 'slug')}`;
  const model = catalogueModel(topicOf(visit), id);
  if (model === null) throw unknownModel(id, topicOf(visit));
  const days = new URLSearchParams(context.query).get('days');
  const endpoints = model.endpoints.slice(0, DRAWN_MAX);
  // The catalogue is read from memory: while the store is out of reach, only the history is missing.
  const histories = await read.of(endpoints.map((each) => each.id)).catch(() => null);
  const history = {
    endpoints,
    histories,
    now: services.cluster.now(),
    reach: REACHES.find((reach) => String(reach.days) === days) ?? REACHES[0],
  };
  const { description, name } = model.summary;
  const listing = {
    address: `${site.origin}/models/${id}`,
    description: typeof description === 'string' && description !== '' ? description : `${name}: ${DESCRIPTION}`,
  };
  const content = modelContent({ model, history, base: `${site.origin}${PREFIX}` });
  return page(visit, { title: String(name), content, listing });
}

interface CataloguePage {
  readonly title: string;
  readonly content: Html;
  readonly listing?: SearchEntry;
  readonly status?: number;
}

function page({ site, session }: Visit, { status = 200, ...parts }: CataloguePage): RouteAnswer {
  return pageAnswer(layout({ current: '/models', person: session, ...parts }), site, { status });
}

function topicOf({ services }: Visit): ReadonlyMap<string, Json> {
  return endpointsOn(services.cluster.board);
}
