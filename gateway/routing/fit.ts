import type { EndpointOffer } from '../../actors/terms/offer.ts';
import type { Candidate, PromptTokens } from '../terms/plan.ts';
import type { PromptSize } from '../tokens/prompt-size.ts';
import { cautious } from './cautious.ts';
import { type Conversation, middleOut } from './middle-out.ts';
import { type Prompt, tokensOf } from './prompt.ts';

/** Compression without a ceiling leaves this part of a window to the answer, if it can. */
const ANSWER_SHARE = 1 / 4;

/**
 * An endpoint as it would serve, with what it is sent: the ceiling as asked, lowered to its own, trimmed so that prompt and answer fit its window
 * together; the messages whole, or compressed where the turn allows it and the window needs it. Null when they do not
 * fit. (spec: inference, Routing rules 5 and 6)
 */
export function fit(offer: EndpointOffer, prompt: Prompt, asked: number | undefined): Candidate | null {
  if (prompt.conversation) return compressed(offer, prompt, prompt.conversation, asked);
  return trimmed(offer, prompt, asked);
}

/** The most an endpoint can emit by its own word. */
export function reach(offer: EndpointOffer): number {
  return offer.completionTokensMax ?? offer.contextLength;
}

function trimmed(
  offer: EndpointOffer,
  { tokens, messages }: Pick<Prompt, 'tokens' | 'messages'>,
  asked: number | undefined,
): Candidate | null {
  const window = offer.contextLength;
  if (tokens.counted >= window) return null;
  if (offer.promptTokensMax !== null && tokens.counted > offer.promptTokensMax) return null;
  const room = Math.max(1, window - cautious(tokens));
  return {
    offer,
    model: offer.model,
    completionTokensMax: Math.min(asked ?? room, reach(offer), room),
    messages,
    prompt: tokens,
  };
}

/** A ceiling that was asked for is a promise: what always stays must leave room for the whole of it. */
function compressed(
  offer: EndpointOffer,
  prompt: Prompt,
  conversation: Conversation,
  asked: number | undefined,
): Candidate | null {
  const wanted = Math.min(asked ?? Math.ceil(offer.contextLength * ANSWER_SHARE), reach(offer));
  if (holds(offer, prompt.tokens, wanted)) return trimmed(offer, prompt, asked);
  if (!holds(offer, tokensOf(conversation.sizes[0] as PromptSize), asked === undefined ? 1 : wanted)) return null;
  const { messages, size } = middleOut(conversation, (larger) => holds(offer, tokensOf(larger), wanted));
  return trimmed(offer, { messages, tokens: tokensOf(size) }, asked);
}

function holds(offer: EndpointOffer, tokens: PromptTokens, ceiling: number): boolean {
  const isAccepted = offer.promptTokensMax === null || tokens.counted <= offer.promptTokensMax;
  return isAccepted && cautious(tokens) + ceiling <= offer.contextLength;
}
