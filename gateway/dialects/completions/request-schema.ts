import { type Static, Type } from 'typebox';
import { maybe } from '../request/members.ts';
import { parameterMembers } from '../request/parameter-members.ts';
import { sharedMembers } from '../request/shared-members.ts';

/** Alternatives per token: the bound of chat's `top_logprobs`, since providers receive it under that name. */
const LOGPROBS_MAX = 20;

/**
 * The text completion request on the wire. Unknown members are allowed and ignored. The schema validates requests,
 * gives their type, and is published in the OpenAPI document. (rule I62)
 */
export const completionRequest = Type.Object({
  ...sharedMembers,
  ...parameterMembers('completions'),
  prompt: Type.String({ description: 'The text to continue.' }),
  logprobs: maybe(
    Type.Integer({ minimum: 0, maximum: LOGPROBS_MAX }),
    'How many likely alternatives of each token are returned.',
  ),
  echo: maybe(Type.Boolean(), 'Repeats the prompt before the continuation; accepted without effect.'),
});

export type CompletionRequest = Static<typeof completionRequest>;
