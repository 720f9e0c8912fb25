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
}
