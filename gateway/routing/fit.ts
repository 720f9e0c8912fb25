import type { Endpoint } from '../../actors/terms/endpoint.ts';
import type { Candidate, PromptTokens } from '../terms/plan.ts';
import type { PromptSize } from '../tokens/prompt-size.ts';
import { middleOut, type TrimmableConversation } from './middle-out.ts';
import { paddedPromptTokens } from './padded-prompt-tokens.ts';
import { type Prompt, tokensOf } from './prompt.ts';

/** Compression without a ceiling leaves this part of a window to the answer, if it can. */
const ANSWER_SHARE = 1 / 4;

/**
 * An endpoint as it would serve, with what it is sent: the ceiling as asked, lowered to its own, trimmed so that prompt and answer fit its window
 * together; the messages whole, or compressed where the turn allows it and the window needs it. Null when they do not
 * fit. (spec: inference, Routing rules 5 and 6)
 */
export function fit(endpoint: Endpoint, prompt: Prompt, asked: number | undefined): Candidate | null {
  if (prompt.conversation) return compressed(endpoint, prompt, prompt.conversation, asked);
  return trimmed(endpoint, prompt, asked);
}

/** The most an endpoint can emit by its own word. */
export function reach(endpoint: Endpoint): number {
  return endpoint.completionTokensMax ?? endpoint.contextLength;
}

function trimmed(
  endpoint: Endpoint,
  { tokens, messages }: Pick<Prompt, 'tokens' | 'messages'>,
  asked: number | undefined,
): Candidate | null {
  const window = endpoint.contextLength;
  if (tokens.counted >= window) return null;
  if (endpoint.promptTokensMax !== null && tokens.counted > endpoint.promptTokensMax) return null;
  const room = Math.max(1, window - paddedPromptTokens(tokens));
  return {
    endpoint,
    model: endpoint.model,
    completionTokensMax: Math.min(asked ?? room, reach(endpoint), room),
    messages,
    prompt: tokens,
  };
}

/** A ceiling that was asked for is a promise: what always stays must leave room for the whole of it. */
function compressed(
  endpoint: Endpoint,
  prompt: Prompt,
  conversation: TrimmableConversation,
  asked: number | undefined,
): Candidate | null {
  const wanted = Math.min(asked ?? Math.ceil(endpoint.contextLength * ANSWER_SHARE), reach(endpoint));
  if (holds(endpoint, prompt.tokens, wanted)) return trimmed(endpoint, prompt, asked);
  if (!holds(endpoint, tokensOf(conversation.sizes[0] as PromptSize), asked === undefined ? 1 : wanted)) return null;
  const { messages, size } = middleOut(conversation, (larger) => holds(endpoint, tokensOf(larger), wanted));
  return trimmed(endpoint, { messages, tokens: tokensOf(size) }, asked);
}

function holds(endpoint: Endpoint, tokens: PromptTokens, ceiling: number): boolean {
  const isAccepted = endpoint.promptTokensMax === null || tokens.counted <= endpoint.promptTokensMax;
  return isAccepted && paddedPromptTokens(tokens) + ceiling <= endpoint.contextLength;
}
