import type { NamedSizes } from './length-refusal.ts';

/**
 * What a provider refused: the closed vocabulary that callers, records and operators see instead of the provider's own
 * text, which may quote the prompt or the operator's key.
 */
export type RefusalCode =
  /** Prompt and ceiling do not fit the window. */
  | 'context_length_exceeded'
  /** The ceiling is above what the model can emit. */
  | 'max_tokens_exceeded'
  /** The provider's moderation. */
  | 'content_policy_violation'
  /** A JSON Schema, of a tool or of the response format. */
  | 'invalid_schema'
  /** A parameter that the provider does not have. */
  | 'unsupported_parameter'
  /** A value that the provider does not accept. */
  | 'invalid_parameter'
  /** A picture that the provider could not fetch or read, or that is too large. */
  | 'invalid_image'
  /** The body is too large in bytes. */
  | 'payload_too_large'
  /** Not refused: the provider answered in a modality that the caller's dialect cannot carry. */
  | 'inexpressible_output'
  /** Any other request that the provider refused as invalid. */
  | 'invalid_request';

export interface ProviderRefusal {
  readonly code: RefusalCode;
  /** Path in a chat request: known members and indexes alone (`caller-path.ts`). */
  readonly param?: string;
  /** The sizes that the provider named; of `context_length_exceeded`. */
  readonly sizes?: NamedSizes;
  /** The largest ceiling that the provider named; of `max_tokens_exceeded`. */
  readonly ceilingMax?: number;
}
