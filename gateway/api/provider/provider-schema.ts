import { Type } from 'typebox';
import { described, listOf, objectOf, oneOf, orNull } from '../../dialects/request/members.ts';
import { measured } from '../catalogue/endpoint-schema.ts';
import { pricingSchema, text, texts, whole } from '../catalogue/schema-parts.ts';
import { capacityReplySchema, capacityReportSchema } from './capacity.ts';

const health = oneOf('healthy', 'degraded', 'down', 'unknown');
const capacity = orNull(
  Type.Object({
    current: described(whole, 'Requests that the endpoint serves now.'),
    total: described(whole, 'Requests that the endpoint can serve at once.'),
    updated_at: described(whole, 'When the slots were counted, Unix seconds.'),
  }),
);

const providerSchema = Type.Object({
  data: objectOf('What the provider declares of itself.', {
    object: Type.Literal('provider', { description: 'Always `provider`.' }),
    id: described(text, 'Id of the provider, stable over renames.'),
    slug: described(text, 'The word that names the provider in `provider` preferences.'),
    name: described(text, 'Name of the serving company, for people.'),
    website: orNull(text, "Address of the provider's website; null: none declared."),
    privacy_policy_url: orNull(text, "Address of the provider's privacy policy; null: none declared."),
    terms_of_service_url: orNull(text, "Address of the provider's terms of service; null where none are declared."),
    status_page_url: orNull(text, "Address of the provider's status page; null: none declared."),
    headquarters: orNull(text, "Country of the provider's seat, two letters; null: none declared."),
    datacenters: orNull(texts, 'Countries in which the provider serves; null where none are declared.'),
    model_count: described(whole, 'Models that the provider serves now.'),
    endpoint_count: described(whole, 'Endpoints that the provider has declared.'),
  }),
});

const servingSchema = Type.Object({
  data: listOf('Every endpoint of the provider.', {
    endpoint_id: described(text, 'Id of the endpoint, as GET /provider/serving lists it.'),
    model_id: described(text, 'Id of the served model, `author/slug`.'),
    model_name: described(text, 'Name of the served model, for people.'),
    tag: described(
      text,
      "Names this endpoint in `provider` preferences: the provider's slug, with the quantization where several exist.",
    ),
    status: described(whole, '0 while the endpoint is healthy, otherwise -1.'),
    health: described(health, 'Judged on the newest 20 counted attempts; unknown without enough of them.'),
    pricing: described(pricingSchema, 'What each unit costs, USD as exact decimal text.'),
    withheld_parameters: Type.Array(text, { description: 'Declared parameters that the newest check refuted.' }),
    refuted_input_modalities: described(texts, 'Declared kinds of input that a check refuted.'),
    refuted_reasoning_efforts: described(texts, 'Declared levels of `reasoning_effort` that a check refuted.'),
    uptime_last_1d: orNull(Type.Number(), 'Percent of the attempts of a day that succeeded; null for fewer than ten.'),
    requests_1d: Type.Integer({ description: 'Counted attempts of the last 24 hours.' }),
    tokens_1d: Type.Integer({ description: 'Prompt and completion tokens of the successful ones.' }),
    capacity: described(capacity, 'Slots that the provider reported within the last minute; null without a report.'),
  }),
});

const attempts = Type.Optional(
  orNull(
    Type.Object({
      total: described(whole, 'Calls that counted for the uptime.'),
      succeeded: described(whole, 'Calls that were answered.'),
      failed: described(whole, 'Calls without a valid answer.'),
      tokens: described(whole, 'Prompt and completion tokens of the successful calls.'),
      errors_by_cause: Type.Record(text, whole, { description: 'Failed calls by their cause.' }),
    }),
  ),
);
const figures = Object.fromEntries(
  Object.entries(measured)
    .filter(([name]) => name !== 'health' && name !== 'status')
    .map(([name, schema]) => [name, Type.Optional(schema)]),
);

const measurementsSchema = Type.Object({
  data: listOf('Every endpoint of the provider with its figures.', {
    endpoint_id: described(text, 'Id of the endpoint, as GET /provider/serving lists it.'),
    model_id: described(text, 'Id of the served model, `author/slug`.'),
    tag: described(
      text,
      "Names this endpoint in `provider` preferences: the provider's slug, with the quantization where several exist.",
    ),
    health: described(health, 'Judged on the newest 20 counted attempts; unknown without enough of them.'),
    ...figures,
    attempts_last_30m: described(attempts, 'Counted calls of 30 minutes; null without any.'),
    attempts_last_1d: described(attempts, 'Counted calls of a day; null without any.'),
  }),
});

const amount = Type.String({ description: 'USD, exact decimal text.' });
const sums = {
  requests: Type.Integer({ description: 'Generations of the row that were charged.' }),
  unpriced_requests: Type.Integer({ description: 'Those with a consumed unit that has no declared price.' }),
  units: Type.Object(
    {
      prompt_tokens: described(whole, 'Prompt tokens that were charged.'),
      completion_tokens: described(whole, 'Completion tokens that were charged, reasoning included.'),
      reasoning_tokens: described(whole, 'Those of the completion tokens that were reasoning.'),
    },
    { additionalProperties: text, description: 'Other units as decimal text, where consumed.' },
  ),
  gross: described(amount, 'Charges of the customers, USD as exact decimal text.'),
  fee: Type.String({ description: "The marketplace's part of it." }),
  net: described(amount, 'Gross less fee, USD as exact decimal text.'),
};
const sum = Type.Object(sums);
const days = Type.Array(
  Type.Object({
    date: Type.String({ format: 'date', description: 'The UTC day, `YYYY-MM-DD`.' }),
    endpoint_id: described(text, 'Id of the endpoint, as GET /provider/serving lists it.'),
    model_id: described(text, 'Id of the served model, `author/slug`.'),
    final: Type.Boolean({ description: 'True once the day is folded: it changes no more.' }),
    ...sums,
  }),
);
const month = Type.String({ pattern: '^\\d{4}-\\d{2}$' });

const instant = Type.String({ format: 'date-time' });
const reading = {
  id: described(text, 'Names the reading in the log.'),
  by: described(oneOf('provider', 'operator'), 'Who asked for the reading.'),
  started_at: described(instant, 'When the reading began.'),
};
const runningSchema = Type.Object({
  ...reading,
  phase: described(
    oneOf('queued', 'reading', 'declaring'),
    'queued, reading the document, or declaring its endpoints.',
  ),
  declared: Type.Integer({ description: 'Endpoints that were declared so far.' }),
  total: orNull(whole, 'Endpoints of the document; null until it is read.'),
});
const documentSchema = Type.Object({
  data: objectOf('The models document of the provider.', {
    object: Type.Literal('models_document', { description: 'Always `models_document`.' }),
    endpoints: described(whole, 'Endpoints that the document declares now.'),
    problem: orNull(text, 'Why the last reading declared nothing; null where it did.'),
    unchanged_since: orNull(instant, 'Since when the document has said the same; null: never read.'),
    running: orNull(runningSchema, 'The reading that runs; null for none.'),
    history: Type.Array(
      Type.Object({
        ...reading,
        ended_at: described(instant, 'When the reading ended.'),
        result: described(
          oneOf('declared', 'invalid', 'failed', 'interrupted'),
          'declared, or why nothing was declared.',
        ),
        endpoints: described(whole, 'Endpoints of the document that was read.'),
        changes: described(whole, 'Declarations that the reading changed.'),
        faults: described(texts, 'What is wrong in the document, each with its place.'),
        warnings: described(texts, 'What is probably a mistake, each with its place.'),
      }),
      { maxItems: 20, description: 'Newest first.' },
    ),
  }),
});
const refreshSchema = Type.Object({
  status: described(oneOf('queued', 'reading', 'declaring'), 'How far the reading is that was asked for.'),
  run: described(runningSchema, 'The reading that was asked for, or the one that runs.'),
});

const earningsSchema = Type.Object({
  from: described(text, 'First UTC day of the range.'),
  to: described(text, 'Last UTC day of the range.'),
  data: described(days, 'One row for each day and endpoint.'),
  total: described(sum, 'Sums of all rows.'),
});
const statementListSchema = Type.Object({
  object: Type.Literal('list', { description: 'Always `list`.' }),
  data: listOf('Months with charges, newest first.', {
    object: Type.Literal('provider_statement', { description: 'Always `provider_statement`.' }),
    month: described(month, 'The UTC month, `YYYY-MM`.'),
    ended: Type.Boolean({ description: 'Whether the month is over, so that its figures are final.' }),
  }),
});
const statementSchema = Type.Object({
  data: objectOf('The month in sums, by model, endpoint and day.', {
    object: Type.Literal('provider_statement', { description: 'Always `provider_statement`.' }),
    month: described(month, 'The UTC month, `YYYY-MM`.'),
    final: Type.Boolean({ description: 'True once the month has ended and its last day is folded.' }),
    provider: objectOf('Who earned: id, slug and name.', {
      id: described(text, 'Id of the provider, stable over renames.'),
      slug: described(text, 'The word that names the provider in `provider` preferences.'),
      name: described(text, 'Name of the serving company, for people.'),
    }),
    currency: Type.Literal('USD', { description: 'USD: accounts have no other currency.' }),
    total: described(sum, 'Sums of all rows.'),
    by_model: listOf('The sums of each model.', {
      model_id: described(text, 'Id of the served model, `author/slug`.'),
      ...sums,
    }),
    by_endpoint: listOf('The sums of each endpoint.', {
      endpoint_id: described(text, 'Id of the endpoint, as GET /provider/serving lists it.'),
      ...sums,
    }),
    days: described(days, 'The sums of each UTC day.'),
  }),
});

/** The schemas of the provider's routes, by their names in the published document. */
export const PROVIDER_SCHEMAS = {
  OwnProvider: providerSchema,
  Serving: servingSchema,
  Measurements: measurementsSchema,
  CapacityReport: capacityReportSchema,
  Capacity: capacityReplySchema,
  ModelsDocumentState: documentSchema,
  ModelsDocumentRefresh: refreshSchema,
  Earnings: earningsSchema,
  ProviderStatementList: statementListSchema,
  ProviderStatement: statementSchema,
};
