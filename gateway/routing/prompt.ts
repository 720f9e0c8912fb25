import type { PromptTokens } from '../terms/plan.ts';
import type { Turn, TurnMessage } from '../terms/turn.ts';
import { promptCount } from '../tokens/prompt-count.ts';
import { promptHeld } from '../tokens/prompt-held.ts';
import { type PromptSize, type TurnSizes, totalSize } from '../tokens/prompt-size.ts';
import { type TrimmableConversation, trimmableConversation } from './middle-out.ts';

/** A turn's prompt by one vocabulary: as sent, and in pieces only where messages may be dropped. */
export interface Prompt {
  readonly messages: readonly TurnMessage[];
  readonly tokens: PromptTokens;
  /** Null unless the turn asks for compression. */
  readonly conversation: TrimmableConversation | null;
}

export function promptOf({ messages, compress }: Turn, sizes: TurnSizes): Prompt {
  const conversation = compress ? trimmableConversation(messages, sizes) : null;
  const size = conversation?.sizes.at(-1) ?? totalSize(sizes);
  return { messages, tokens: tokensOf(size), conversation };
}

export function tokensOf(size: PromptSize): PromptTokens {
  return { counted: promptCount(size), held: promptHeld(size) };
}
