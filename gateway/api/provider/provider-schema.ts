import { type TSchema, Type } from 'typebox';
import { oneOf } from '../../dialects/request/members.ts';
import { measured } from '../catalogue/endpoint-schema.ts';
import { orNull, pricingSchema, text, texts, whole } from '../catalogue/schema-parts.ts';
import { capacityReplySchema, capacityReportSchema } from './capacity.ts';

const health = oneOf('healthy', 'degraded', 'down', 'unknown');
const capacity = orNull(Type.Object({ current: whole, total: whole, updated_at: whole }));

const providerSchema = Type.Object({
  data: Type.Object({
    ...{ object: Type.Literal('provider'), id: text, slug: text, name: text, website: orNull(text) },
    ...{ privacy_policy_url: orNull(text), terms_of_service_url: orNull(text), status_page_url: orNull(text) },
    ...{ headquarters: orNull(text), datacenters: orNull(texts), model_count: whole, endpoint_count: whole },
  }),
});

const servingSchema = Type.Object({
  data: Type.Array(
    Type.Object({
      ...{ endpoint_id: text, model_id: text, model_name: text, tag: text },
      ...{ status: whole, health, pricing: pricingSchema },
      withheld_parameters: Type.Array(text, { description: 'Declared, and refuted by the newest check.' }),
      ...{ refuted_input_modalities: texts, refuted_reasoning_efforts: texts },
      uptime_last_1d: orNull(Type.Number()),
      requests_1d: Type.Integer({ description: 'Counted attempts of the last 24 hours.' }),
      tokens_1d: Type.Integer({ description: 'Prompt and completion tokens of the successful ones.' }),
      capacity,
    }),
  ),
});

const attempts = Type.Optional(
  orNull(
    Type.Object({
      ...{ total: whole, succeeded: whole, failed: whole, tokens: whole },
      errors_by_cause: Type.Record(text, whole),
    }),
  ),
);
const figures = Object.fromEntries(
  Object.entries(measured)
    .filter(([name]) => name !== 'health' && name !== 'status')
    .map(([name, schema]) => [name, Type.Optional(schema)]),
);

const measurementsSchema = Type.Object({
  data: Type.Array(
    Type.Object({
      ...{ endpoint_id: text, model_id: text, tag: text, health, ...figures },
      ...{ attempts_last_30m: attempts, attempts_last_1d: attempts },
    }),
  ),
});

const amount = Type.String({ description: 'USD, exact decimal text.' });
const sums = {
  requests: Type.Integer({ description: 'Charged generations.' }),
  unpriced_requests: Type.Integer({ description: 'Those with a consumed unit that has no declared price.' }),
  units: Type.Object(
    { prompt_tokens: whole, completion_tokens: whole, reasoning_tokens: whole },
    { additionalProperties: text, description: 'Other units as decimal text, where consumed.' },
  ),
  gross: amount,
  fee: Type.String({ description: "The marketplace's part of it." }),
  net: amount,
};
const sum = Type.Object(sums);
const days = Type.Array(
  Type.Object({
    ...{ date: Type.String({ format: 'date' }), endpoint_id: text, model_id: text },
    final: Type.Boolean({ description: 'True once the day is folded: it changes no more.' }),
    ...sums,
  }),
);
const month = Type.String({ pattern: '^\\d{4}-\\d{2}$' });

const instant = Type.String({ format: 'date-time' });
const reading = { id: text, by: oneOf('provider', 'operator'), started_at: instant };
const runningSchema = Type.Object({
  ...reading,
  phase: oneOf('queued', 'reading', 'declaring'),
  declared: Type.Integer({ description: 'Endpoints declared so far.' }),
  total: orNull(whole),
});
const documentSchema = Type.Object({
  data: Type.Object({
    ...{ object: Type.Literal('models_document'), endpoints: whole, problem: orNull(text) },
    ...{ unchanged_since: orNull(instant), running: orNull(runningSchema) },
    history: Type.Array(
      Type.Object({
        ...{ ...reading, ended_at: instant, result: oneOf('declared', 'invalid', 'failed', 'interrupted') },
        ...{ endpoints: whole, changes: whole, faults: texts, warnings: texts },
      }),
      { maxItems: 20, description: 'Newest first.' },
    ),
  }),
});
const refreshSchema = Type.Object({ status: oneOf('queued', 'reading', 'declaring'), run: runningSchema });

const earningsSchema = Type.Object({ from: text, to: text, data: days, total: sum });
const statementListSchema = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(Type.Object({ object: Type.Literal('provider_statement'), month, ended: Type.Boolean() })),
});
const statementSchema = Type.Object({
  data: Type.Object({
    ...{ object: Type.Literal('provider_statement'), month, final: Type.Boolean() },
    provider: Type.Object({ id: text, slug: text, name: text }),
    ...{ currency: Type.Literal('USD'), total: sum },
    by_model: Type.Array(Type.Object({ model_id: text, ...sums })),
    by_endpoint: Type.Array(Type.Object({ endpoint_id: text, ...sums })),
    days,
  }),
});

/** The schemas of the provider's routes, by their names in the published document. */
export const PROVIDER_SCHEMAS: Readonly<Record<string, TSchema>> = {
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
