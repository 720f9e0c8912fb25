/** The schemas of the catalogue's answers, with every member. An optional member is absent where nothing declares it. */
import { Type } from 'typebox';
import { described, listOf, objectOf, orNull } from '../../dialects/request/members.ts';
import { benchmarkSchema, endpointSchema } from './endpoint-schema.ts';
import { imageEndpointsSchema, imageModelListSchema } from './image-model-schema.ts';
import {
  architectureSchema,
  declared,
  familyName,
  flag,
  maybe,
  pricingSchema,
  reasoningSchema,
  text,
  texts,
  unixSeconds,
  whole,
} from './schema-parts.ts';

const modelHub = Type.Object({
  id: described(text, 'Id of the repository at the model hub.'),
  read_at: described(unixSeconds, 'When the repository was read, Unix seconds.'),
  availability: maybe(described(text, 'Whether the repository is open, gated or private.')),
  languages: maybe(described(texts, 'Languages that the repository names.')),
  papers: maybe(described(texts, 'Papers named by the repository.')),
  datasets: maybe(described(texts, 'Data sets named by the repository.')),
  weights_revision: maybe(described(text, 'Commit of the repository that is served.')),
  weights_updated_at: maybe(described(unixSeconds, 'When the weights were last changed, Unix seconds.')),
  downloads: maybe(described(whole, 'How often the hub says the repository was downloaded.')),
  likes: maybe(described(whole, 'How many users of the hub like the repository.')),
  evaluations: maybe(
    listOf('Evaluations that the repository reports.', {
      dataset: described(text, 'The data set of the evaluation.'),
      metric: maybe(described(text, 'What the score measures, such as accuracy.')),
      score: Type.Number({ description: 'Result of the evaluation, in the unit of its metric.' }),
      source: maybe(described(text, 'Where the repository says the result comes from.')),
    }),
  ),
});

/** (rule C2) */
const summary = {
  id: described(text, 'Id of the model, `author/slug`, as requests name it.'),
  canonical_slug: described(text, 'The id of the model without a variant.'),
  model_hub_id: orNull(text, "Id of the model's repository; null where none is declared."),
  model_hub: maybe(described(modelHub, "What the model's repository says; absent without one.")),
  family: maybe(described(familyName, 'Family of the model; absent where none is declared.')),
  tags: described(texts, 'Free labels that the declaration gives the model.'),
  name: described(text, 'Name of the model, for people.'),
  created: described(unixSeconds, 'When the model was released, Unix seconds.'),
  expiration_date: orNull(
    Type.String({ description: '`YYYY-MM-DD`, UTC.' }),
    'Day from which the model is served no more, `YYYY-MM-DD` in UTC; null without one.',
  ),
  description: orNull(text, 'What the model is good for, in the words of its declaration.'),
  context_length: described(whole, 'Tokens that prompt and answer may have together.'),
  architecture: described(architectureSchema, 'What the model reads and writes.'),
  pricing: described(pricingSchema, 'What each unit costs, USD as exact decimal text.'),
  top_provider: objectOf('Limits of the endpoint that is tried first.', {
    context_length: described(whole, 'Tokens that prompt and answer may have together.'),
    max_completion_tokens: orNull(whole, 'Most tokens of one answer; null: not declared.'),
    is_moderated: described(flag, 'Whether the provider filters prompts for their content.'),
  }),
  per_request_limits: Type.Null({ description: 'Never set by this service.' }),
  supported_parameters: described(texts, 'Names of request parameters that at least one live endpoint honours.'),
  reasoning: maybe(
    described(reasoningSchema, 'Which reasoning the model offers; absent for a model that does not reason.'),
  ),
  default_parameters: described(declared, 'Sampling values that are sent where a request sets none.'),
  author: described(text, 'The part of the model id before the slash.'),
  endpoint_count: described(whole, 'How many endpoints serve the model.'),
  links: objectOf('Addresses of further reads, below the API.', {
    details: described(text, 'Path of the endpoints of this model.'),
  }),
  supported_voices: orNull(texts, 'Voices that an answer in speech may have; null for a model without speech.'),
  supported_dimensions: orNull(
    Type.Array(whole),
    'Vector widths that an embeddings request may ask for; null where none are declared.',
  ),
  supported_languages: orNull(texts, 'Languages that the model speaks or transcribes; null where none are declared.'),
};
const model = Type.Object(summary);

const provider = Type.Object({
  id: described(text, 'Id of the provider, stable over renames.'),
  name: described(text, 'Name of the serving company, for people.'),
  slug: described(text, 'The word that names the provider in `provider` preferences.'),
  privacy_policy_url: orNull(text, "Address of the provider's privacy policy; null: none declared."),
  terms_of_service_url: orNull(text, "Address of the provider's terms of service; null where none are declared."),
  status_page_url: orNull(text, "Address of the provider's status page; null: none declared."),
  website: orNull(text, "Address of the provider's website; null: none declared."),
  headquarters: orNull(
    Type.String({ description: 'Two-letter country code.' }),
    "Country of the provider's seat, two letters; null: none declared.",
  ),
  datacenters: orNull(texts, 'Countries in which the provider serves; null where none are declared.'),
  model_count: described(whole, 'Models that the provider serves now.'),
});

const family = Type.Object({
  id: described(text, 'Id of the family, as the filter `family` takes it.'),
  name: described(text, 'Name of the family, for people.'),
  author: described(text, 'The part of the model id before the slash.'),
  model_hub_id: orNull(text, "Id of the model's repository; null where none is declared."),
  models: described(texts, 'Ids of the served models of the family.'),
  endpoint_count: described(whole, 'Live endpoints of all models of the family.'),
  providers: described(texts, 'Slugs of the providers that serve the family.'),
});

const modelEndpoints = Type.Object({
  id: described(text, 'Id of the model whose endpoints are listed.'),
  name: described(text, 'Name of that model, for people.'),
  created: described(unixSeconds, 'When the model was released, Unix seconds.'),
  description: orNull(text, 'What the model is good for, in the words of its declaration.'),
  architecture: described(architectureSchema, 'What the model reads and writes.'),
  family: maybe(described(familyName, 'Family of the model; absent where none is declared.')),
  endpoints: Type.Array(endpointSchema, { description: 'Live endpoints of the model with their measured figures.' }),
  benchmarks_note: described(text, 'How the scores were measured, in a sentence.'),
});

const tokens = Type.String({ description: 'A whole number, which may exceed 2^53.' });
const stats = Type.Object({
  as_of: Type.String({ description: 'When the figures were computed, ISO 8601 in UTC.' }),
  window_days: described(whole, 'Days that the figures cover.'),
  requests: described(whole, 'Requests that were served within the window.'),
  prompt_tokens: described(tokens, 'Prompt tokens of the window, a whole number as text.'),
  completion_tokens: described(tokens, 'Completion tokens of the window, a whole number as text.'),
  models: described(whole, 'Models with a live endpoint.'),
  endpoints: described(whole, 'Live endpoints of all models.'),
  providers: described(whole, 'Providers with a live endpoint.'),
  top_models: listOf('Models of the window by tokens, the largest first.', {
    model: described(text, 'Id of the model, `author/slug`.'),
    total_tokens: described(tokens, 'Prompt and completion tokens of the model in the window, as text.'),
  }),
  daily: listOf('The same sums for each UTC day.', {
    date: described(text, 'The UTC day, `YYYY-MM-DD`.'),
    requests: described(whole, 'Requests that were served on the day.'),
    total_tokens: described(tokens, 'Prompt and completion tokens of the day, as text.'),
  }),
});

const score = Type.Object({
  ...benchmarkSchema.properties,
  provider_name: described(text, 'Name of the serving company, for people.'),
  provider_slug: described(text, 'Slug of the provider, as preferences name it.'),
  tag: described(
    text,
    "Names this endpoint in `provider` preferences: the provider's slug, with the quantization where several exist.",
  ),
});

export const CATALOGUE_SCHEMAS = {
  ModelList: Type.Object({
    data: Type.Array(model, { description: 'Models that pass every filter, on this page.' }),
    unsupported_filters: maybe(
      Type.Array(text, {
        description: 'Filters of the query that are accepted and not computed; the answer is then empty.',
      }),
    ),
    total_count: Type.Integer({ description: 'Models that pass the filters, on all pages.' }),
    links: objectOf('Where the list goes on.', { next: orNull(text, 'Path of the next page; null on the last one.') }),
  }),
  UserModelList: Type.Object({
    data: Type.Array(model, { description: "Models that the key's workspace may use." }),
    total_count: described(whole, 'Number of models in the list.'),
    links: objectOf('Where the list goes on: it has one page.', {
      next: Type.Null({ description: 'Always null: the list has one page.' }),
    }),
  }),
  OneModel: Type.Object({ data: described(model, 'The model with its prices and abilities.') }),
  BareModel: Type.Object({
    ...summary,
    object: Type.Literal('model', { description: 'Always `model`.' }),
    owned_by: described(text, "The part of the model id before the slash, as OpenAI's SDKs read it."),
  }),
  ModelCount: Type.Object({
    data: objectOf('How many models there are.', { count: described(whole, 'Models with a live endpoint.') }),
  }),
  ModelEndpoints: Type.Object({ data: described(modelEndpoints, 'The model with its endpoints.') }),
  ModelBenchmarks: Type.Object({
    data: Type.Array(score, { description: 'One score for each endpoint and data set.' }),
    benchmarks_note: described(text, 'How the scores were measured, in a sentence.'),
  }),
  ImageModelList: imageModelListSchema,
  ImageEndpoints: imageEndpointsSchema,
  EndpointList: Type.Object({
    data: Type.Array(endpointSchema, { description: 'Endpoints whose claim of zero data retention was approved.' }),
  }),
  ProviderList: Type.Object({
    data: Type.Array(provider, { description: 'Providers with a live endpoint, by name.' }),
  }),
  PublicStats: Type.Object({ data: described(stats, 'Public figures of the service.') }),
  FamilyList: Type.Object({ data: Type.Array(family, { description: 'Families with a served model.' }) }),
};
