import type { GatewayError } from './gateway-error.ts';

/** One part of a reply as it arrives, whatever the provider speaks. A stream is text and tool parts, `finish`, `usage`. */
export type TurnEvent =
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  | { readonly type: 'refusal-delta'; readonly text: string }
  /** The first fragment of a call carries id and name; every fragment may carry a piece of the arguments. */
  | { readonly type: 'tool-start'; readonly index: number; readonly id: string; readonly name: string }
  | { readonly type: 'tool-delta'; readonly index: number; readonly arguments: string }
  | { readonly type: 'finish'; readonly reason: FinishReason; readonly native: string | null }
  | { readonly type: 'usage'; readonly usage: Usage }
  /** Terminal: nothing follows. Only after something was delivered; before that a failure is thrown. */
  | { readonly type: 'error'; readonly error: GatewayError };

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'error';

/** What the provider reported. Absent was not reported; never 0 for either. */
export interface Usage {
  readonly promptTokens?: number;
  readonly completionTokens?: number;
  readonly cachedTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
}
