import type { Effort, Modality } from '../../actors/terms/endpoint.ts';
import type { Prices } from '../../actors/terms/tariff.ts';

/**
 * A request without its wire: what a dialect parses into and everything behind it reads. Absent members were not sent
 * (null on the wire reads as absent); nothing here is snake_case and nothing names a provider's shape.
 */
export interface Turn {
  /** `model` first, then `models`, without repeats: the order in which they may serve. At least one. */
  readonly models: readonly string[];
  readonly messages: readonly TurnMessage[];
  readonly tools?: readonly Tool[];
  readonly toolChoice?: ToolChoice;
  readonly parallelToolCalls?: boolean;
  readonly stream: boolean;
  /** One ceiling whatever its name on the wire. */
  readonly completionTokensMax?: number;
  /** Sampling and other standard members that are forwarded as they are, under their chat names. */
  readonly sampling: Readonly<Record<string, unknown>>;
  readonly responseFormat?: Readonly<Record<string, unknown>>;
  readonly reasoning?: Reasoning;
  /** Declarations that an endpoint needs beside those of what it is sent, such as `structured_outputs`; never sent. */
  readonly requires?: readonly string[];
  /** What the turn carries and asks for beside text; absent where it is text alone. */
  readonly modalities?: { readonly input: readonly Modality[]; readonly output: readonly Modality[] };
  /** How pictures are to be drawn: members of `image_config` under their wire names, nulls left out. */
  readonly imageConfig?: Readonly<Record<string, unknown>>;
  /** How the answer is to be spoken. */
  readonly speech?: { readonly voice: string; readonly format: string };
  /** Middle-out compression was asked for: messages from the middle may be left out to fit a window. */
  readonly compress?: true;
  /** Tool calls are to be announced as soon as they are whole. Only with `stream` and `tools`. */
  readonly dispatch?: true;
  readonly user?: string;
  readonly conversation?: string;
  /** Opaque; kept on the generation record untouched. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly preferences: Preferences;
}

/** What was asked about thinking. */
export interface Reasoning {
  readonly effort?: Effort;
  readonly tokensMax?: number;
  readonly enabled?: boolean;
  /** Reasoning is not shown to the caller. */
  readonly excluded?: true;
}

export type TurnMessage =
  | {
      readonly role: 'system' | 'developer' | 'user';
      /** All text of the message, parts joined. */
      readonly text: string;
      /** In their order, text among them; only where the message carries more than text. */
      readonly parts?: readonly ContentPart[];
      readonly name?: string;
    }
  | {
      readonly role: 'assistant';
      readonly text: string | null;
      readonly toolCalls?: readonly ToolCall[];
      readonly reasoning?: string;
      /** As an earlier reply gave them: handed on unchanged and in order. */
      readonly reasoningDetails?: readonly ReasoningDetail[];
      readonly refusal?: string;
      readonly name?: string;
    }
  | {
      readonly role: 'tool';
      readonly text: string;
      readonly parts?: readonly ContentPart[];
      readonly toolCallId: string;
    };

export type ContentPart = { readonly type: 'text'; readonly text: string } | MediaPart;

/** Something beside text, by address or by value. */
export interface MediaPart {
  readonly type: Exclude<Modality, 'text'>;
  readonly source: MediaSource;
  /** `auto`, `low`, `high`: of pictures only. */
  readonly detail?: string;
  readonly filename?: string;
}

export type MediaSource =
  /** An `https:` address that the endpoint fetches; the gateway never does. */
  | { readonly kind: 'url'; readonly url: string }
  /** Bytes: the media type (`audio/wav`, `application/pdf`; null where none was named) and base64 text, checked. */
  | { readonly kind: 'data'; readonly mediaType: string | null; readonly base64: string };

/**
 * One structured piece of reasoning: a whole entry, or a fragment of the entry of that `index`. Members beside these
 * (`format`, `id`) travel untouched. (spec: inference, `reasoning_details`)
 */
export interface ReasoningDetail {
  readonly type: 'reasoning.text' | 'reasoning.summary' | 'reasoning.encrypted';
  readonly text?: string | null;
  readonly signature?: string | null;
  readonly summary?: string;
  readonly data?: string;
  readonly index?: number;
  readonly format?: string | null;
  readonly id?: string | null;
}

export interface Tool {
  readonly name: string;
  readonly description?: string;
  /** The caller's JSON Schema, never compiled or executed. */
  readonly parameters?: unknown;
  readonly strict?: boolean;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text exactly as given. */
  readonly arguments: string;
}

export type ToolChoice = 'none' | 'auto' | 'required' | { readonly name: string };

/** Provider preferences (conventions 1.1), and what other members say about who may serve. */
export interface Preferences {
  readonly only?: readonly string[];
  readonly ignore?: readonly string[];
  readonly order?: readonly string[];
  readonly allowFallbacks: boolean;
  readonly requireParameters?: true;
  /** Only endpoints that neither train on nor store what they are sent: `data_collection: deny`. */
  readonly noCollection?: true;
  /** Only endpoints vetted for zero data retention: `zdr: true`, `store: false`. The value names the wire member. */
  readonly zeroRetention?: 'provider.zdr' | 'store';
  /** Values as declared; `unknown` stands for an undeclared one. */
  readonly quantizations?: readonly string[];
  readonly sort?: 'price' | 'throughput' | 'latency' | 'exacto';
  /** `none`: endpoints of all models are ordered together, so that a fallback model may go first. Absent: not asked. */
  readonly partition?: 'model' | 'none';
  /** Exact decimal USD: `prompt` and `completion` per million tokens, the rest per unit. A filter, never a preference. */
  readonly priceMax?: Pick<
    Prices,
    'prompt' | 'completion' | 'request' | 'imageOutput' | 'videoSecond' | 'imageMegapixel' | 'audioSecond'
  >;
  /** By provider slug: passthrough parameters for that provider alone. */
  readonly options?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}
