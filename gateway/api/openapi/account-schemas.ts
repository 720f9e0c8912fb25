/** The answers of the routes that tell of the service itself, of one key, its account and its generations. */
import { type TSchema, Type } from 'typebox';

const text = Type.String();
const flag = Type.Boolean();
const usd = Type.Number({ description: 'USD, exact digits.' });
const whole = Type.Integer();
const instant = Type.String({ format: 'date-time' });
const orNull = (schema: TSchema): TSchema => Type.Union([schema, Type.Null()]);
const open = { additionalProperties: true };

export const aliveSchema = Type.Object({ name: Type.Literal('troupe'), status: Type.Literal('ok') });
export const readySchema = Type.Object({ status: Type.Literal('ready') });
export const anyDocumentSchema = Type.Object({}, open);

export const creditsSchema = Type.Object({
  data: Type.Object({
    ...{ total_credits: usd, total_usage: usd, held: usd, available: usd },
    low_balance: orNull(usd),
  }),
});

export const lowBalanceSetSchema = Type.Object({ data: Type.Object({ low_balance: orNull(usd) }) });

const windowed = (name: string): Record<string, TSchema> =>
  Object.fromEntries(['', '_daily', '_weekly', '_monthly'].map((window) => [`${name}${window}`, usd]));

export const ownKeySchema = Type.Object({
  data: Type.Object({
    ...{ label: text, name: text, hash: text, workspace_id: text },
    ...{ limit: orNull(usd), limit_remaining: orNull(usd), limit_reset: orNull(text) },
    ...windowed('usage'),
    ...windowed('byok_usage'),
    ...{ include_byok_in_limit: flag, is_free_tier: flag, is_management_key: flag, is_provisioning_key: flag },
    ...{ expires_at: orNull(instant), updated_at: orNull(instant), creator_user_id: orNull(text) },
    rate_limit: Type.Object({ requests: whole, interval: text, note: text }, open),
    organization_id: Type.Null(),
    allowed_data_regions: Type.Array(text),
    free_model_daily_requests: Type.Object({}, open),
  }),
});

export const statementListSchema = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(Type.Object({ object: Type.Literal('statement'), month: text, complete: flag })),
});

/** The retired purchase: the one error without `error_type`. (rule K51, rule K52) */
export const retiredSchema = Type.Object({ error: Type.Object({ code: whole, message: text }, open) });

export const generationSchema = Type.Object(
  {
    data: Type.Object(
      {
        ...{ id: text, model: text, status: text, created_at: instant },
        ...{ settled_at: orNull(instant), ended_at: orNull(instant), origin: text },
        ...{ usage: usd, total_cost: usd, hold_cost: orNull(usd), overshoot_cost: orNull(usd) },
        unpriced: Type.Array(text),
        ...{ streamed: flag, cancelled: orNull(flag), estimated: orNull(flag) },
        ...{ latency: orNull(Type.Number()), generation_time: orNull(Type.Number()) },
        ...{ finish_reason: orNull(text), native_finish_reason: orNull(text) },
        tokens_prompt: orNull(whole),
        tokens_completion: orNull(whole),
        refused_prompt_tokens: orNull(whole),
        ...{ provider_name: text, upstream_id: orNull(text), session_id: orNull(text) },
        ...{ http_referer: orNull(text), app_title: orNull(text), workspace_id: text },
        api_type: Type.Union([Type.Literal('completions'), Type.Literal('video')]),
        ...{ endpoint_id: text, tariff_id: text, attempt: whole, late: flag },
        unread_members: Type.Array(text),
        media: orNull(
          Type.Object(
            {
              ...{ images: orNull(whole), megapixels: orNull(Type.Number()), audio_seconds: orNull(Type.Number()) },
              ...{ input_images: orNull(whole), video_seconds: Type.Optional(Type.Number()) },
            },
            open,
          ),
        ),
        provider_responses: Type.Array(Type.Object({ endpoint_id: text, provider_name: text, outcome: text }, open)),
        holds: Type.Array(Type.Object({ attempt: whole, endpoint_id: text, amount: orNull(usd) })),
        timings: Type.Object({ admitted: orNull(Type.Number()), total: orNull(Type.Number()) }, open),
      },
      open,
    ),
  },
  open,
);
