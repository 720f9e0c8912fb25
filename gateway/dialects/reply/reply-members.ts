import { Type } from 'typebox';
import { ERROR_TYPES } from '../../../actors/terms/refusal.ts';
import { oneOf } from '../request/members.ts';

/** Members that the published replies of several dialects share. (rule I45, rule I48) */

/** A number of tokens, or a position. */
export const count = Type.Integer({ minimum: 0 });

export const usageSchema = Type.Object({
  prompt_tokens: Type.Optional(count),
  completion_tokens: Type.Optional(count),
  total_tokens: Type.Optional(count),
  prompt_tokens_details: Type.Optional(Type.Object({ cached_tokens: count, cache_write_tokens: Type.Optional(count) })),
  completion_tokens_details: Type.Optional(
    Type.Object({
      reasoning_tokens: Type.Optional(count),
      image_tokens: Type.Optional(count),
      audio_tokens: Type.Optional(count),
    }),
  ),
  cost: Type.Number({ minimum: 0, description: 'The exact charge in USD. Unreported counts are absent.' }),
});

export const finishReason = Type.Union([oneOf('stop', 'length', 'tool_calls', 'content_filter', 'error'), Type.Null()]);

/** The stable code of an error, for programs to branch on. */
export const errorType = oneOf(...ERROR_TYPES);

/** The first members of every reply and chunk. */
export const replyHead = {
  id: Type.String({ pattern: '^gen-', description: 'The generation id, equal to X-Generation-Id.' }),
  created: Type.Integer({ description: 'Unix seconds.' }),
  model: Type.String({ description: 'The model that served.' }),
  provider: Type.String({ description: 'Display name of the provider that served.' }),
};

/** Sent beside the usage of a stream. */
export const honoured = Type.Record(Type.String(), Type.Boolean(), {
  description: 'The requested settings, and whether the serving endpoint declares them.',
});
