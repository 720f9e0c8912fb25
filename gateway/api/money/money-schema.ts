import { Type } from 'typebox';

const usd = Type.Number({ description: 'USD, all digits.' });
const count = Type.Integer({ minimum: 0 });

/** The published schema of `GET /activity`. */
export const activityListSchema = Type.Object({
  data: Type.Array(
    Type.Object({
      date: Type.String({ format: 'date' }),
      model: Type.String(),
      model_permaslug: Type.String(),
      endpoint_id: Type.String(),
      provider_name: Type.String(),
      usage: usd,
      byok_usage_inference: usd,
      requests: count,
      prompt_tokens: count,
      completion_tokens: count,
      reasoning_tokens: count,
      workspace_id: Type.Optional(Type.String({ description: 'With `group_by=workspace`.' })),
    }),
  ),
});

/** The published schema of `POST /credits/notice`. */
export const lowBalanceNoticeSchema = Type.Object({
  low_balance: Type.Union([Type.String({ description: 'USD, a decimal number.' }), Type.Null()]),
});
