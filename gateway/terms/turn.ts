import type { Effort, EndpointOutput, Modality } from '../../actors/terms/endpoint.ts';
import type { Prices } from '../../actors/terms/tariff.ts';
import { GatewayError } from './gateway-error.ts';
import type { TurnKind } from './turn-kind.ts';

/**
 * A request independent of its dialect: the result of parsing and the input of everything after it. Absent members were
 * not sent (null on the wire counts as absent); nothing here is snake_case or specific to a provider.
 */
export interface Turn {
  readonly kind: TurnKind;
  /** `model` first, then `models`, without repeats: the order in which they are tried. At least one. */
  readonly models: readonly string[];
  readonly messages: readonly TurnMessage[];
  readonly tools?: readonly Tool[];
  readonly toolChoice?: ToolChoice;
  readonly parallelToolCalls?: boolean;
  readonly stream: boolean;
  /** The token ceiling, whichever member sets it on the wire. */
  readonly completionTokensMax?: number;
  /** Sampling and other standard members that are forwarded unchanged, under their chat names. */
  readonly sampling: Readonly<Record<string, unknown>>;
  readonly responseFormat?: Readonly<Record<string, unknown>>;
  readonly reasoning?: Reasoning;
  /** Further parameters that an endpoint must declare, such as `structured_outputs`; never sent. */
  readonly requires?: readonly string[];
  /** The input and output modalities besides text; absent for text alone. */
  readonly modalities?: { readonly input: readonly Modality[]; readonly output: readonly EndpointOutput[] };
  /** Settings for generated images: members of `image_config` under their wire names, without nulls. */
  readonly imageConfig?: Readonly<Record<string, unknown>>;
  /** Voice and format of a spoken answer. */
  readonly speech?: { readonly voice: string; readonly format: string };
  /** The query that the messages are ranked by, and how many of them the answer has at most. */
  readonly ranking?: { readonly query: string; readonly most: number };
  /** Middle-out compression is requested: messages from the middle may be dropped to fit a window. */
  readonly compress?: true;
  /** Tool calls are announced as soon as they are complete. Only with `stream` and `tools`. */
  readonly dispatch?: true;
  readonly user?: string;
  readonly conversation?: string;
  /** Opaque; stored unchanged on the generation record. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly preferences: Preferences;
  /** The end of the prompt is marked for the provider's cache. */
  readonly cacheFor?: CacheTime;
  /** Output modalities that the caller's dialect cannot carry: no endpoint is chosen that answers in these alone. */
  readonly inexpressible?: readonly Modality[];
  /** Members of the body that nothing reads; absent without any. */
  readonly unread?: readonly string[];
  /** Stored files that the messages name; their parts have neither type nor size until the records are read. */
  readonly files?: readonly FileReference[];
}

/** The reasoning settings of a request. */
export interface Reasoning {
  readonly effort?: Effort;
  readonly tokensMax?: number;
  readonly enabled?: boolean;
  /** Reasoning is not shown to the client. */
  readonly excluded?: true;
}

export type TurnMessage =
  | {
      readonly role: 'system' | 'developer' | 'user';
      /** All text of the message: its text parts, concatenated; those of a system prompt with line breaks between. */
      readonly text: string;
      /** In order, text parts included; only where the message has more than one text, or one with a cache mark. */
      readonly parts?: readonly ContentPart[];
      readonly name?: string;
      /** Token ids instead of the text, which is empty; only in an input of an embeddings request. */
      readonly tokens?: readonly number[];
    }
  | {
      readonly role: 'assistant';
      readonly text: string | null;
      readonly toolCalls?: readonly ToolCall[];
      readonly reasoning?: string;
      /** As an earlier reply sent them: forwarded unchanged and in order. */
      readonly reasoningDetails?: readonly ReasoningDetail[];
      readonly refusal?: string;
      readonly name?: string;
      /**
       * The same contents in their order; only where that is not reasoning, text, calls, or where one has a cache mark.
       */
      readonly blocks?: readonly AssistantBlock[];
    }
  | {
      readonly role: 'tool';
      readonly text: string;
      readonly parts?: readonly ContentPart[];
      readonly toolCallId: string;
      /** The tool of that call; absent if no message before has the call. */
      readonly toolName?: string;
      /** The tool failed; the content says how. */
      readonly isError?: true;
      readonly cacheFor?: CacheTime;
    };

/** How long a provider keeps the prompt up to a mark in its cache. Providers without marks ignore it. */
export type CacheTime = '5m' | '1h';

/** One piece of an assistant's message whose order is kept. */
export type AssistantBlock =
  | { readonly type: 'text'; readonly text: string; readonly cacheFor?: CacheTime }
  | { readonly type: 'reasoning'; readonly detail: ReasoningDetail }
  | { readonly type: 'call'; readonly call: ToolCall; readonly cacheFor?: CacheTime };

export type ContentPart =
  | { readonly type: 'text'; readonly text: string; readonly origin?: PartOrigin; readonly cacheFor?: CacheTime }
  | MediaPart;

/**
 * The document or the result of a search whose content some parts are: one object for all of its parts, which stand
 * together. A wire without a form for it sends the parts alone. `cited`: the answer is to name the passages it rests on.
 */
export type PartOrigin =
  | { readonly type: 'document'; readonly title?: string; readonly context?: string; readonly cited?: true }
  | { readonly type: 'search_result'; readonly title: string; readonly source: string; readonly cited?: true };

/** A non-text part, by URL or by value. */
export interface MediaPart {
  readonly type: Exclude<Modality, 'text'>;
  readonly source: MediaSource;
  /** `auto`, `low`, `high`: for images only. */
  readonly detail?: string;
  readonly filename?: string;
  /** What the caller says about a document, for the model. */
  readonly context?: string;
  /** The answer is to name the passages of the document that it rests on. */
  readonly cited?: true;
  readonly origin?: PartOrigin;
  readonly cacheFor?: CacheTime;
}

/** A part of a message that names a stored file of the caller's account. */
export interface FileReference {
  readonly id: string;
  /** Path of the member that names it. */
  readonly member: string;
  /** The part in the messages, identified by reference. */
  readonly part: MediaPart;
}

export type MediaSource =
  /** An `https:` or `http:` URL that the endpoint fetches; the gateway never does. */
  | { readonly kind: 'url'; readonly url: string }
  /** Bytes: the media type (`audio/wav`, `application/pdf`; null without one) and checked base64 text. */
  | { readonly kind: 'data'; readonly mediaType: string | null; readonly base64: string }
  /** A stored file, as its record describes it: its bytes are read once the money is held. */
  | { readonly kind: 'stored'; readonly mediaType: string | null; readonly bytes: number };

/**
 * One structured piece of reasoning: a whole entry, or a fragment of the entry of that `index`. Its other members
 * (`format`, `id`) are forwarded unchanged. (rule I47)
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
  /** The client's JSON Schema, an object or `JsonText`; never compiled or executed. */
  readonly parameters?: unknown;
  readonly strict?: boolean;
  readonly cacheFor?: CacheTime;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text exactly as received. */
  readonly arguments: string;
}

export type ToolChoice = 'none' | 'auto' | 'required' | { readonly name: string };

/** Provider preferences (rule I28), and the preferences of other members. */
export interface Preferences {
  readonly only?: readonly string[];
  readonly ignore?: readonly string[];
  readonly order?: readonly string[];
  readonly allowFallbacks: boolean;
  readonly requireParameters?: true;
  /** Only endpoints that neither train on nor store their input: `data_collection: deny`. */
  readonly noCollection?: true;
  /** Only endpoints vetted for zero data retention: `zdr: true`, `store: false`. The value names the wire member. */
  readonly zeroRetention?: 'provider.zdr' | 'store';
  /** Declared values; `unknown` matches an undeclared one. */
  readonly quantizations?: readonly string[];
  readonly sort?: 'price' | 'throughput' | 'latency' | 'exacto';
  /** `none`: endpoints of all models are ordered together, so that a fallback model may come first. Absent: not set. */
  readonly partition?: 'model' | 'none';
  /** Exact decimal USD: `prompt` and `completion` per million tokens, the rest per unit. Always a hard limit. */
  readonly priceMax?: Pick<
    Prices,
    'prompt' | 'completion' | 'request' | 'imageOutput' | 'videoSecond' | 'imageMegapixel' | 'audioSecond'
  >;
  /** By provider slug: passthrough parameters for that provider alone. */
  readonly options?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** 422: the answer would be in a modality that the dialect of the request has no form for. (rule I76) */
export function inexpressible(modality: string, metadata: Readonly<Record<string, unknown>> = {}): GatewayError {
  return new GatewayError({
    status: 422,
    type: 'unprocessable',
    message: `The answer would be ${modality}, which this route cannot express; use /chat/completions`,
    metadata,
  });
}

/** The `format` of reasoning that a provider of the messages dialect signed: only such a provider accepts it back. */
export const SIGNED_THINKING = 'anthropic-claude-v1';

/**
 * The `format` of a thought signature of Gemini, an encrypted entry: of the tool call whose id it has, or of the text
 * where it has none.
 */
export const GEMINI_FORMAT = 'google-gemini-v1';

/**
 * The `format` of reasoning of a provider of the responses dialect. Its entries have the id of their item, and the one
 * that the provider encrypted is the last of them.
 */
export const RESPONSES_FORMAT = 'openai-responses-v1';
