import { type TSchema, Type } from 'typebox';
import { described, oneOf } from '../../dialects/request/members.ts';
import { UNSUPPORTED } from '../../edge/query/filter-models.ts';
import { anyDocument, type Named, type Operation, type Operations, offset } from '../wire/operation.ts';
import { CATALOGUE_SCHEMAS } from './catalogue-schema.ts';

const text = (description: string) => Type.String({ description });
const days = (description: string) => Type.Integer({ minimum: 0, description });
const price = (description: string) => Type.String({ pattern: '^\\d{1,12}(\\.\\d{1,40})?$', description });
const percent = (description: string) => Type.Number({ minimum: 0, maximum: 100, description });
const limit = Type.Integer({ minimum: 1, description: 'Entries of a page; absent: all.' });

const notComputed = text('Accepted and not computed: the answer is empty and names it in `unsupported_filters`.');
const modelFilters: Named = {
  family: text('Only models of this family, by its id.'),
  q: text('Part of the id or the name, in either case.'),
  supported_parameters: text('Names of parameters, separated by commas; all must be declared.'),
  input_modalities: text('Kinds of content, separated by commas; one endpoint must read all of them.'),
  output_modalities: text('Kinds of content, separated by commas; one endpoint must write all of them.'),
  context: days('Smallest context length in tokens.'),
  providers: text('Slugs of providers, separated by commas; one must serve the model.'),
  model_authors: text('Authors, separated by commas; one must be that of the model.'),
  region: text('Country codes or regions of datacenters, separated by commas.'),
  min_price: price('Least price of prompt tokens: USD per million, an exact decimal.'),
  max_price: price('Highest price of prompt tokens: USD per million, an exact decimal.'),
  min_output_price: price('Least price of completion tokens: USD per million, an exact decimal.'),
  max_output_price: price('Highest price of completion tokens: USD per million, an exact decimal.'),
  min_age_days: days('Whole days since the release, at least.'),
  max_age_days: days('Whole days since the release, at most.'),
  min_tool_success_rate: percent(
    'Percent of demanded tool calls that were made, at least; too few samples match nothing.',
  ),
  max_tool_success_rate: percent(
    'Percent of demanded tool calls that were made, at most; too few samples match nothing.',
  ),
  zdr: Type.Boolean({ description: 'true: models with an endpoint vetted for zero data retention.' }),
  sort: described(
    oneOf('newest', 'oldest', 'price-low-to-high', 'price-high-to-low', 'context-high-to-low'),
    'What the list is ordered by; absent: the newest first.',
  ),
  limit,
  offset,
  ...Object.fromEntries(UNSUPPORTED.map((name) => [name, notComputed])),
};
const MODEL = {
  author: 'The part of the model id before the slash.',
  slug: 'The part of the model id after the slash.',
};

/** Summary, description and answer, the component that is answered, and the parameters of the query, if any are read. */
function reads(
  [summary, description, answers]: readonly [string, string, string],
  name: keyof typeof CATALOGUE_SCHEMAS,
  query?: Readonly<Record<string, TSchema>>,
): Operation {
  const reply = { [name]: CATALOGUE_SCHEMAS[name] };
  return {
    summary,
    description,
    answers,
    path: MODEL,
    reply,
    ...(query === undefined ? {} : { query, namesUnread: true }),
  };
}

/** The routes of the public catalogue, as the published document shows them. */
export const CATALOGUE_OPERATIONS: Operations = {
  'GET /models': reads(
    [
      'The served models, filtered',
      'A filter keeps a model if one of its live endpoints matches.',
      'A page of models.',
    ],
    'ModelList',
    modelFilters,
  ),
  'HEAD /models': reads(
    ['The headers of the list of models', 'As GET /models, without the body.', 'The headers of the list.'],
    'ModelList',
    modelFilters,
  ),
  'GET /embeddings/models': reads(
    ['The models that answer with vectors', 'With the widths of vectors that each declares.', 'A page of models.'],
    'ModelList',
    {
      limit: Type.Integer({ minimum: 1, maximum: 1_000, description: 'Entries of a page, at most 1,000.' }),
      offset,
    },
  ),
  'GET /models/count': reads(
    ['Number of served models', 'Counts models with a live endpoint.', 'How many models there are.'],
    'ModelCount',
  ),
  'GET /models/document.schema.json': {
    summary: 'The schema of a models document',
    description: 'What a provider may declare, as JSON Schema.',
    answers: 'A JSON Schema.',
    reply: anyDocument,
  },
  'GET /models/user': {
    ...reads(
      ['The models this key may use', 'Those that the workspace of the key admits.', 'Every such model.'],
      'UserModelList',
    ),
    key: 'inference',
  },
  'GET /models/{id}': {
    ...reads(
      [
        'One model by its escaped id',
        'Without the `data` envelope, as the SDKs of OpenAI read it.',
        'The model with its prices and abilities.',
      ],
      'BareModel',
    ),
    path: { id: 'Id of the model, its slash escaped as %2F.' },
  },
  'GET /models/{author}/{slug}': reads(
    [
      'One model, by author and slug',
      'With its prices, abilities and limits.',
      'The model with its prices and abilities.',
    ],
    'OneModel',
  ),
  'GET /model/{author}/{slug}': reads(
    [
      'One model, under a second path',
      'The same as GET /models/{author}/{slug}.',
      'The model with its prices and abilities.',
    ],
    'OneModel',
  ),
  'GET /models/{author}/{slug}/endpoints': reads(
    [
      'The endpoints of one model, with what was measured',
      'Figures are null for too few samples.',
      'The model with its endpoints.',
    ],
    'ModelEndpoints',
  ),
  'GET /models/{author}/{slug}/benchmarks': reads(
    [
      'The scores of the endpoints of one model',
      'Measured by this service on open sets of tasks.',
      'One score for each endpoint and data set.',
    ],
    'ModelBenchmarks',
  ),
  'GET /images/models': reads(
    ['The models that draw pictures', 'With the settings that each accepts.', 'Every model that draws.'],
    'ImageModelList',
  ),
  'GET /images/models/{author}/{slug}/endpoints': reads(
    ['The endpoints of one model that draw', 'With what each accepts and charges.', 'The live endpoints that draw.'],
    'ImageEndpoints',
  ),
  'GET /endpoints/zdr': reads(
    [
      'The endpoints vetted for zero data retention',
      'Those whose claim the operator approved.',
      'Every such endpoint.',
    ],
    'EndpointList',
  ),
  'GET /providers': reads(
    ['The providers, by name', 'With what each declares about itself.', 'Every provider with a live endpoint.'],
    'ProviderList',
  ),
  'GET /stats/public': reads(
    [
      'Requests and tokens of 30 days',
      'Nothing is shown that fewer than five accounts did.',
      'The sums of the window, and those of each day.',
    ],
    'PublicStats',
  ),
  'GET /families': reads(
    ['The families with a served model', 'A family is a line of models of one author.', 'Every such family.'],
    'FamilyList',
  ),
};

/** The query parameters that a route reads; null for one that reads none. */
export function parametersOf(path: string): ReadonlySet<string> | null {
  const query = CATALOGUE_OPERATIONS[`GET ${path}`]?.query;
  return query === undefined ? null : new Set(Object.keys(query));
}
