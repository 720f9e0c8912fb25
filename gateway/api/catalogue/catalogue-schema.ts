/** The schemas of the catalogue's answers, with every member. An optional member is absent where nothing declares it. */
import { type TSchema, Type } from 'typebox';
import { benchmarkSchema, endpointSchema } from './endpoint-schema.ts';
import { imageEndpointsSchema, imageModelListSchema } from './image-model-schema.ts';
import {
  architectureSchema,
  declared,
  familyName,
  flag,
  maybe,
  orNull,
  pricingSchema,
  reasoningSchema,
  text,
  texts,
  unixSeconds,
  whole,
} from './schema-parts.ts';

const modelHub = Type.Object({
  id: text,
  read_at: unixSeconds,
  availability: maybe(text),
  languages: maybe(texts),
  papers: maybe(texts),
  datasets: maybe(texts),
  weights_revision: maybe(text),
  weights_updated_at: maybe(unixSeconds),
  downloads: maybe(whole),
  likes: maybe(whole),
  evaluations: maybe(
    Type.Array(Type.Object({ dataset: text, metric: maybe(text), score: Type.Number(), source: maybe(text) })),
  ),
});

/** (rule C2) */
const summary = {
  id: text,
  canonical_slug: text,
  model_hub_id: orNull(text),
  model_hub: maybe(modelHub),
  family: maybe(familyName),
  tags: texts,
  name: text,
  created: unixSeconds,
  expiration_date: orNull(Type.String({ description: '`YYYY-MM-DD`, UTC.' })),
  description: orNull(text),
  context_length: whole,
  architecture: architectureSchema,
  pricing: pricingSchema,
  top_provider: Type.Object({ context_length: whole, max_completion_tokens: orNull(whole), is_moderated: flag }),
  per_request_limits: Type.Null(),
  supported_parameters: texts,
  reasoning: maybe(reasoningSchema),
  default_parameters: declared,
  author: text,
  endpoint_count: whole,
  links: Type.Object({ details: text }),
  supported_voices: orNull(texts),
  supported_dimensions: orNull(Type.Array(whole)),
  supported_languages: orNull(texts),
};
const model = Type.Object(summary);

const provider = Type.Object({
  id: text,
  name: text,
  slug: text,
  privacy_policy_url: orNull(text),
  terms_of_service_url: orNull(text),
  status_page_url: orNull(text),
  website: orNull(text),
  headquarters: orNull(Type.String({ description: 'Two-letter country code.' })),
  datacenters: orNull(texts),
  model_count: whole,
});

const family = Type.Object({
  id: text,
  name: text,
  author: text,
  model_hub_id: orNull(text),
  models: texts,
  endpoint_count: whole,
  providers: texts,
});

const modelEndpoints = Type.Object({
  id: text,
  name: text,
  created: unixSeconds,
  description: orNull(text),
  architecture: architectureSchema,
  family: maybe(familyName),
  endpoints: Type.Array(endpointSchema),
  benchmarks_note: text,
});

const tokens = Type.String({ description: 'A whole number, which may exceed 2^53.' });
const stats = Type.Object({
  as_of: Type.String({ description: 'ISO 8601 instant.' }),
  window_days: whole,
  requests: whole,
  prompt_tokens: tokens,
  completion_tokens: tokens,
  models: whole,
  endpoints: whole,
  providers: whole,
  top_models: Type.Array(Type.Object({ model: text, total_tokens: tokens })),
  daily: Type.Array(Type.Object({ date: text, requests: whole, total_tokens: tokens })),
});

const score = Type.Object({ ...benchmarkSchema.properties, provider_name: text, provider_slug: text, tag: text });

export const CATALOGUE_SCHEMAS: Readonly<Record<string, TSchema>> = {
  ModelList: Type.Object({
    data: Type.Array(model),
    unsupported_filters: maybe(Type.Array(text, { description: 'Filters that were named and are not computed.' })),
    total_count: Type.Integer({ description: 'Matches on all pages.' }),
    links: Type.Object({ next: orNull(text) }),
  }),
  UserModelList: Type.Object({
    data: Type.Array(model),
    total_count: whole,
    links: Type.Object({ next: Type.Null({ description: 'The list has one page.' }) }),
  }),
  OneModel: Type.Object({ data: model }),
  BareModel: Type.Object({ ...summary, object: Type.Literal('model'), owned_by: text }),
  ModelCount: Type.Object({ data: Type.Object({ count: whole }) }),
  ModelEndpoints: Type.Object({ data: modelEndpoints }),
  ModelBenchmarks: Type.Object({ data: Type.Array(score), benchmarks_note: text }),
  ImageModelList: imageModelListSchema,
  ImageEndpoints: imageEndpointsSchema,
  EndpointList: Type.Object({ data: Type.Array(endpointSchema) }),
  ProviderList: Type.Object({ data: Type.Array(provider) }),
  PublicStats: Type.Object({ data: stats }),
  FamilyList: Type.Object({ data: Type.Array(family) }),
};
