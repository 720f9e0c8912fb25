import type { PromptTokens } from '../terms/plan.ts';
import type { Turn, TurnMessage } from '../terms/turn.ts';
import { promptBound } from '../tokens/prompt-bound.ts';
import { promptCount } from '../tokens/prompt-count.ts';
import { type PromptSize, promptSize } from '../tokens/prompt-size.ts';
import { type TrimmableConversation, trimmableConversation } from './middle-out.ts';

/** A turn's prompt, measured once: as sent, and in pieces only where messages may be dropped. */
export interface Prompt {
  readonly messages: readonly TurnMessage[];
  readonly tokens: PromptTokens;
  /** Null unless the turn asks for compression. */
  readonly conversation: TrimmableConversation | null;
}

export function promptOf(turn: Turn): Prompt {
  const conversation = turn.compress ? trimmableConversation(turn) : null;
  const size = conversation?.sizes.at(-1) ?? promptSize(turn);
  return { messages: turn.messages, tokens: tokensOf(size), conversation };
}

export function tokensOf(size: PromptSize): PromptTokens {
  return { counted: promptCount(size), bound: promptBound(size) };
}
