import { type TSchema, Type } from 'typebox';
import { oneOf } from '../../dialects/request/members.ts';
import type { Operation, Parameter } from '../wire/operation.ts';

const text = Type.String();
const list = (name: string): Parameter => ({ name, schema: text, description: 'Separated by commas; all must match.' });
const value = (name: string, schema: TSchema = text): Parameter => ({ name, schema });

const perMillion = 'USD per million tokens, an exact decimal; one endpoint lies inside both bounds.';
const notComputed = 'Accepted and not computed: the answer is empty and names it in `unsupported_filters`.';
const percent = 'Percent; a figure below its sample gate matches no bound.';
const modelFilters: readonly Parameter[] = [
  { name: 'family', schema: text, description: 'Id of a family.' },
  { name: 'q', schema: text, description: 'Part of the id or the name, in either case.' },
  list('supported_parameters'),
  list('input_modalities'),
  list('output_modalities'),
  value('context', Type.Integer({ minimum: 0 })),
  ...['providers', 'model_authors'].map((name) => ({
    name,
    schema: text,
    description: 'Separated by commas; one must match.',
  })),
  { name: 'region', schema: text, description: 'Country codes or regions of datacenters, separated by commas.' },
  ...['min_price', 'max_price', 'min_output_price', 'max_output_price'].map((name) => ({
    name,
    schema: Type.String({ pattern: '^\\d{1,12}(\\.\\d{1,40})?$' }),
    description: perMillion,
  })),
  ...['min_age_days', 'max_age_days'].map((name) => ({
    name,
    schema: Type.Integer({ minimum: 0 }),
    description: 'Whole days since the release.',
  })),
  ...['min_tool_success_rate', 'max_tool_success_rate'].map((name) => ({
    name,
    schema: Type.Number({ minimum: 0, maximum: 100 }),
    description: percent,
  })),
  { name: 'zdr', schema: Type.Boolean(), description: 'true: models with an endpoint vetted for zero data retention.' },
  value('sort', oneOf('newest', 'oldest', 'price-low-to-high', 'price-high-to-low', 'context-high-to-low')),
  value('limit', Type.Integer({ minimum: 1 })),
  value('offset', Type.Integer({ minimum: 0 })),
  ...[
    ...['category', 'arch', 'distillable', 'min_intelligence_index', 'max_intelligence_index', 'min_coding_index'],
    ...['max_coding_index', 'min_agentic_index', 'max_agentic_index'],
  ].map((name) => ({ name, schema: text, description: notComputed })),
];

/** The routes of the public catalogue, as the published document shows them. */
export const CATALOGUE_OPERATIONS: readonly Operation[] = [
  read('/models', 'The served models, filtered', 'ModelList', modelFilters),
  { ...read('/models', 'The headers of that list', 'ModelList', modelFilters), method: 'head' },
  read('/embeddings/models', 'The models that answer with vectors', 'ModelList', [
    value('limit', Type.Integer({ minimum: 1, maximum: 1_000 })),
    value('offset', Type.Integer({ minimum: 0 })),
  ]),
  read('/models/count', 'Number of served models', 'ModelCount'),
  read('/models/document.schema.json', 'The schema of a models document', 'AnyDocument'),
  { ...read('/models/user', 'The models this key may use', 'UserModelList'), key: true },
  read('/models/{id}', 'One model by its escaped id, without the `data` envelope', 'BareModel'),
  read('/models/{author}/{slug}', 'One model', 'OneModel'),
  read('/model/{author}/{slug}', 'One model', 'OneModel'),
  read('/models/{author}/{slug}/endpoints', 'The endpoints of one model, with what was measured', 'ModelEndpoints'),
  read('/models/{author}/{slug}/benchmarks', 'The scores of the endpoints of one model', 'ModelBenchmarks'),
  read('/images/models', 'The models that draw pictures, with what each accepts', 'ImageModelList'),
  read(
    '/images/models/{author}/{slug}/endpoints',
    'The endpoints of one model that draw, with prices',
    'ImageEndpoints',
  ),
  read('/endpoints/zdr', 'The endpoints vetted for zero data retention', 'EndpointList'),
  read('/providers', 'The providers, by name', 'ProviderList'),
  read('/stats/public', 'Requests and tokens of 30 days; nothing that fewer than five accounts did', 'PublicStats'),
  read('/families', 'The families with a served model', 'FamilyList'),
];

/** The query parameters that a route reads; null for one that reads none. */
export function parametersOf(path: string): ReadonlySet<string> | null {
  const query = CATALOGUE_OPERATIONS.find((each) => each.path === path)?.query;
  return query === undefined ? null : new Set(query.map(({ name }) => name));
}

function read(path: string, summary: string, reply: string, query?: readonly Parameter[]): Operation {
  const parameters = query === undefined ? {} : { query, namesUnread: true };
  return { method: 'get', path, summary, key: false, reply, ...parameters };
}
