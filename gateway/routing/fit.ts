import type { Endpoint } from '../../actors/terms/endpoint.ts';
import type { Candidate, PromptTokens } from '../terms/plan.ts';
import type { PromptSize } from '../tokens/prompt-size.ts';
import { hasVocabulary } from '../tokens/vocabulary.ts';
import { middleOut, type TrimmableConversation } from './middle-out.ts';
import type { LongestInput } from './prompt.ts';
import { fittedPromptTokens, type Prompt, tokensOf, trimmedForTokens } from './prompt.ts';

/** Part of a window that compression leaves to the answer without a requested ceiling. */
const ANSWER_SHARE = 1 / 4;

/**
 * An endpoint with the messages and the ceiling it would receive. The ceiling is the requested one, lowered to the
 * endpoint's own and trimmed so that prompt and answer fit its window together; the messages are whole, or compressed
 * where the turn allows it and the window needs it. Null when they do not fit. (rule I118, rule I117)
 */
export function fit(endpoint: Endpoint, prompt: Prompt, requestedMax: number | undefined): Candidate | null {
  if (prompt.longestInput) return holdsInput(endpoint, prompt.longestInput) ? vectorsOf(endpoint, prompt) : null;
  if (prompt.conversation) return compressed(endpoint, prompt, prompt.conversation, requestedMax);
  return trimmed(endpoint, prompt, requestedMax);
}

/** Our count decides without a margin: inputs are often cut to fill the window exactly. */
function holdsInput({ contextLength, promptTokensMax }: Endpoint, { tokens }: LongestInput): boolean {
  return tokens <= Math.min(contextLength, promptTokensMax ?? contextLength);
}

/** Vectors are no tokens: the ceiling is zero. */
function vectorsOf(endpoint: Endpoint, { tokens, messages }: Prompt): Candidate {
  return { endpoint, model: endpoint.model, completionTokensMax: 0, messages, prompt: tokens };
}

/** Most completion tokens that an endpoint can emit, as it declares. */
export function declaredCompletionMax(endpoint: Endpoint): number {
  return endpoint.completionTokensMax ?? endpoint.contextLength;
}

/** `least`: the ceiling that compression has left room for. */
function trimmed(
  endpoint: Endpoint,
  { tokens, messages }: Pick<Prompt, 'tokens' | 'messages'>,
  requestedMax: number | undefined,
  least?: number,
): Candidate | null {
  const { contextLength, promptTokensMax, tokenizer } = endpoint;
  const room = contextLength - fittedPromptTokens(tokens);
  if (room < 1) return null;
  if (promptTokensMax !== null && tokens.counted > promptTokensMax) return null;
  const most = Math.min(requestedMax ?? Number.POSITIVE_INFINITY, declaredCompletionMax(endpoint));
  const unsure = requestedMax === undefined && !hasVocabulary(tokenizer);
  // A ceiling that the window cannot hold leaves the larger margin, where the prompt leaves room for that.
  const lowered = Math.max(
    contextLength - trimmedForTokens(tokens, unsure),
    Math.min(room, least ?? Math.ceil(room / 2)),
  );
  return {
    endpoint,
    model: endpoint.model,
    completionTokensMax: most <= room ? most : lowered,
    messages,
    prompt: tokens,
  };
}

/**
 * The ceiling, or the share that compression leaves to the answer, is binding: the messages that are always kept must
 * leave room for all of it.
 */
function compressed(
  endpoint: Endpoint,
  prompt: Prompt,
  conversation: TrimmableConversation,
  requestedMax: number | undefined,
): Candidate | null {
  const ceiling = Math.min(
    requestedMax ?? Math.ceil(endpoint.contextLength * ANSWER_SHARE),
    declaredCompletionMax(endpoint),
  );
  if (holds(endpoint, prompt.tokens, ceiling)) return trimmed(endpoint, prompt, requestedMax, ceiling);
  if (!holds(endpoint, tokensOf(conversation.sizes[0] as PromptSize), requestedMax === undefined ? 1 : ceiling))
    return null;
  const { messages, size } = middleOut(conversation, (larger) => holds(endpoint, tokensOf(larger), ceiling));
  return trimmed(endpoint, { messages, tokens: tokensOf(size) }, requestedMax, ceiling);
}

function holds(endpoint: Endpoint, tokens: PromptTokens, ceiling: number): boolean {
  const isAccepted = endpoint.promptTokensMax === null || tokens.counted <= endpoint.promptTokensMax;
  return isAccepted && fittedPromptTokens(tokens) + ceiling <= endpoint.contextLength;
}
