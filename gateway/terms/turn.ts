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
  /** Declarations that an endpoint needs beside those of what it is sent, such as `structured_outputs`; never sent. */
  readonly requires?: readonly string[];
  /** What the turn carries and asks for beside text (`image`, `audio`, `video`, `file`); absent where it is text alone. */
  readonly modalities?: { readonly input: readonly string[]; readonly output: readonly string[] };
  /** Wire members that only an endpoint vetted for them may serve, such as `store: false`. */
  readonly vetted?: readonly string[];
  readonly user?: string;
  readonly conversation?: string;
  /** Opaque; kept on the generation record untouched. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly preferences: Preferences;
}

export type TurnMessage =
  | { readonly role: 'system' | 'developer' | 'user'; readonly text: string; readonly name?: string }
  | {
      readonly role: 'assistant';
      readonly text: string | null;
      readonly toolCalls?: readonly ToolCall[];
      readonly name?: string;
    }
  | { readonly role: 'tool'; readonly text: string; readonly toolCallId: string };

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

/** The part of the provider preferences that is built: more members join with the whole routing. */
export interface Preferences {
  readonly only?: readonly string[];
  readonly ignore?: readonly string[];
  readonly order?: readonly string[];
  readonly allowFallbacks: boolean;
  /** Values as declared; `unknown` stands for an undeclared one. */
  readonly quantizations?: readonly string[];
  readonly sort?: 'price' | 'throughput' | 'latency' | 'exacto';
  /** Endpoints of all models are ordered together, so that a fallback model may go first. */
  readonly acrossModels?: true;
  /** Exact decimal USD: per million tokens, per request. A filter, never a preference. */
  readonly priceMax?: { readonly prompt?: string; readonly completion?: string; readonly request?: string };
  /** By provider slug: passthrough parameters for that provider alone. */
  readonly options?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}
