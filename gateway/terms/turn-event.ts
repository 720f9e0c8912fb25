import type { GatewayError } from './gateway-error.ts';
import type { LongText } from './long-text.ts';
import type { ReasoningDetail } from './turn.ts';
import type { Usage } from './usage.ts';

/** One part of a reply as it arrives from any provider. A stream consists of parts of the answer, `finish`, `usage`. */
export type TurnEvent =
  | { readonly type: 'text-delta'; readonly text: string }
  /** Plain reasoning text. A provider with structured details sends `reasoning-detail` in addition or instead. */
  | { readonly type: 'reasoning-delta'; readonly text: string }
  | { readonly type: 'reasoning-detail'; readonly detail: ReasoningDetail }
  | { readonly type: 'refusal-delta'; readonly text: string }
  /** The first fragment of a call carries id and name; every fragment may carry a piece of the arguments. */
  | { readonly type: 'tool-start'; readonly index: number; readonly id: string; readonly name: string }
  | { readonly type: 'tool-delta'; readonly index: number; readonly arguments: string }
  /** A generated image, always whole: a `data:` URL, or a URL that is forwarded without being fetched. */
  | { readonly type: 'image'; readonly url: string | LongText; readonly index: number }
  /**
   * A piece of generated speech. `data` is base64 that concatenates piece by piece; `id` and `expiresAt` as reported.
   */
  | {
      readonly type: 'audio-delta';
      readonly id?: string;
      readonly data?: string | LongText;
      readonly transcript?: string;
      /** Unix seconds. */
      readonly expiresAt?: number;
    }
  | { readonly type: 'citation'; readonly citation: Citation }
  /** Entries of `choices[].logprobs.content` or `.refusal`, as the provider sent them. */
  | { readonly type: 'logprobs'; readonly content?: readonly unknown[]; readonly refusal?: readonly unknown[] }
  /** All vectors of an embeddings answer: one for each input, in the order of the inputs, all of one width. */
  | { readonly type: 'embeddings'; readonly vectors: readonly Vector[] }
  /** A whole ranking: the best document first. */
  | { readonly type: 'ranking'; readonly ranks: readonly Rank[] }
  /**
   * `stopSequence`: the requested sequence that ended the answer, where the provider names it. `refused`: why it refused,
   * where it says so.
   */
  | {
      readonly type: 'finish';
      readonly reason: FinishReason;
      readonly native: string | null;
      readonly stopSequence?: string;
      readonly refused?: RefusalDetails;
    }
  | { readonly type: 'usage'; readonly usage: Usage }
  /** The last event. Only after a delivery; an earlier failure is thrown. */
  | { readonly type: 'error'; readonly error: GatewayError };

/** Why a provider refused to answer: the category of its policy, and its words; null where it states none. */
export interface RefusalDetails {
  readonly category: string | null;
  readonly explanation: string | null;
}

/**
 * A source on the web that the answer cites, with each member that the provider states. A source without an address,
 * such as a document of the request, is no citation, because no dialect of clients has a form for it.
 */
export interface Citation {
  readonly url: string;
  readonly title?: string;
  /** The cited words of the source. */
  readonly excerpt?: string;
  /** The passage of the answer's text that the source supports: index of its first character and behind its last one. */
  readonly passage?: { readonly start: number; readonly end: number };
}

/** Finite numbers, as the provider wrote them or as the 32-bit floats that it encoded. */
export type Vector = readonly number[] | Float32Array;

/** A document by its place in the request, and how well it answers the query: higher is better, in the model's own scale. */
export interface Rank {
  readonly index: number;
  readonly score: number;
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'error';
