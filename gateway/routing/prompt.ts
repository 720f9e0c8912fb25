import type { PromptTokens } from '../terms/plan.ts';
import type { Turn, TurnMessage } from '../terms/turn.ts';
import { rulesOf } from '../terms/turn-kind.ts';
import { promptCount } from '../tokens/prompt-count.ts';
import { promptHeld } from '../tokens/prompt-held.ts';
import { promptReportedMax } from '../tokens/prompt-reported.ts';
import { type PromptSize, type TurnSizes, totalSize } from '../tokens/prompt-size.ts';
import { type LongestInput, longestInput } from './embedding-inputs.ts';
import { type TrimmableConversation, trimmableConversation } from './middle-out.ts';

/** A turn's prompt by one vocabulary: as sent, and in pieces only where messages may be dropped. */
export interface Prompt {
  readonly messages: readonly TurnMessage[];
  readonly tokens: PromptTokens;
  /** Null unless the turn asks for compression. */
  readonly conversation: TrimmableConversation | null;
  /** Of a turn whose inputs have a window each; null for any other turn. */
  readonly longestInput: LongestInput | null;
}

export function promptOf(turn: Turn, sizes: TurnSizes): Prompt {
  const { messages, compress } = turn;
  const conversation = compress ? trimmableConversation(messages, sizes) : null;
  const size = conversation?.sizes.at(-1) ?? totalSize(sizes);
  const longest = rulesOf(turn).inputTokensMax === null ? null : longestInput(sizes);
  return { messages, tokens: tokensOf(size), conversation, longestInput: longest };
}

export function tokensOf(size: PromptSize): PromptTokens {
  return { counted: promptCount(size), held: promptHeld(size), reportedMax: promptReportedMax(size) };
}
