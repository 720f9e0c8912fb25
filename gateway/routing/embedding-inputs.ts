import type { GatewayError } from '../terms/gateway-error.ts';
import { invalid } from '../terms/invalid.ts';
import { promptCount } from '../tokens/prompt-count.ts';
import type { TurnSizes } from '../tokens/prompt-size.ts';

/** The longest input of a turn whose inputs have a window each. */
export interface LongestInput {
  readonly at: number;
  readonly tokens: number;
}

export function longestInput({ messages }: TurnSizes): LongestInput {
  let longest: LongestInput = { at: 0, tokens: 0 };
  for (const [at, size] of messages.entries()) {
    const tokens = promptCount(size);
    if (tokens > longest.tokens) longest = { at, tokens };
  }
  return longest;
}

/** 400: the inputs together are too long for any request. */
export function tooManyInputTokens(counted: number, most: number): GatewayError {
  return invalid(`input must have at most ${most} tokens in total; it has about ${counted}`);
}
