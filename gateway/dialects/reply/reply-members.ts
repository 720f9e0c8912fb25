import { Type } from 'typebox';
import { ERROR_TYPES } from '../../../actors/terms/refusal.ts';
import { described, maybe, objectOf, oneOf } from '../request/members.ts';

/** Members that the published replies of several dialects share. (rule I45, rule I48) */

/** A number of tokens, or a position. */
export const count = Type.Integer({ minimum: 0 });

/** A source that the answer cites. */
export const citation = {
  url: Type.String({ description: 'Address of the source.' }),
  title: Type.String({ description: 'Title of the source; its address where the provider gave none.' }),
  content: maybe(Type.String(), 'The cited words of the source.'),
  start_index: described(count, 'Index of the first character that the source supports; 0 where none is stated.'),
  end_index: described(count, 'Index behind the last such character; 0 where none is stated.'),
};

export const usageSchema = Type.Object({
  prompt_tokens: Type.Optional(described(count, 'Tokens of the prompt, cached ones included.')),
  completion_tokens: Type.Optional(described(count, 'Tokens of the answer, reasoning included.')),
  total_tokens: Type.Optional(described(count, 'Prompt and answer together.')),
  prompt_tokens_details: Type.Optional(
    objectOf("How many of the prompt's tokens came from or went to a cache.", {
      cached_tokens: described(count, 'Prompt tokens read from a cache.'),
      cache_write_tokens: Type.Optional(described(count, 'Prompt tokens written to a cache.')),
    }),
  ),
  completion_tokens_details: Type.Optional(
    objectOf("What the answer's tokens were spent on.", {
      reasoning_tokens: Type.Optional(described(count, "Those of the answer's tokens that were reasoning.")),
      image_tokens: Type.Optional(described(count, 'Those that were pictures.')),
      audio_tokens: Type.Optional(described(count, 'Those that were speech.')),
    }),
  ),
  cost: Type.Number({ minimum: 0, description: 'The exact charge in USD. Unreported counts are absent.' }),
});

export const finishReason = Type.Union([oneOf('stop', 'length', 'tool_calls', 'content_filter', 'error'), Type.Null()]);

/** The stable code of an error, for programs to branch on. */
export const errorType = described(oneOf(...ERROR_TYPES), 'Stable word for programs to branch on.');

/** The first members of every reply and chunk. */
export const replyHead = {
  id: Type.String({ pattern: '^gen-', description: 'The generation id, equal to X-Generation-Id.' }),
  created: Type.Integer({ description: 'Unix seconds.' }),
  model: Type.String({ description: 'Id of the model whose endpoint answered, which a fallback may change.' }),
  provider: Type.String({ description: 'Display name of the provider that served.' }),
};

/** Sent beside the usage of a stream. */
export const honoured = Type.Record(Type.String(), Type.Boolean(), {
  description: 'The requested settings, and whether the serving endpoint declares them.',
});
