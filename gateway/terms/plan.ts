import type { Endpoint } from '../../actors/terms/endpoint.ts';
import type { TurnMessage } from './turn.ts';
import type { MediaUnits } from './usage.ts';

/** Where a turn may run: candidates in the order of attempts, and a rejection for every other endpoint. */
export interface Plan {
  readonly candidates: readonly Candidate[];
  readonly rejections: readonly Rejection[];
}

/**
 * Prompt tokens of a turn: the count that is charged where none is reported, the count that the hold covers, the most
 * that a provider may report, and the fewest that one reports which read all of it.
 */
export interface PromptTokens {
  readonly counted: number;
  readonly held: number;
  readonly reportedMax: number;
  readonly reportedMin: number;
}

/** What a prompt consumes beside tokens and images, where the endpoint prices it. */
export type PromptUnits = Pick<MediaUnits, 'inputAudioSeconds' | 'inputAudioUnread' | 'inputCharacters' | 'searches'>;

export interface Candidate {
  readonly endpoint: Endpoint;
  /** The serving model's id in the catalogue. */
  readonly model: string;
  /** The ceiling sent to this endpoint: the requested one, lowered to its own and trimmed to its window; 0 for an answer without words. Always set. */
  readonly completionTokensMax: number;
  /**
   * Present where the money did not afford the planned ceiling: `completionTokensMax` is the ceiling that it affords.
   */
  readonly lowered?: true;
  /** The messages sent to this endpoint: the turn's own, or those left by compression. */
  readonly messages: readonly TurnMessage[];
  /** Size of these messages and the tools together. */
  readonly prompt: PromptTokens;
  /** Measured before the hold; absent where the endpoint prices no such unit. */
  readonly promptUnits?: PromptUnits;
}

/** Shape of `metadata.rejections[]` (rule E6). */
export interface Rejection {
  /** Provider slug and endpoint tag. */
  readonly provider: string;
  readonly endpoint: string;
  /** Model of the endpoint if several were requested: a provider has one tag for all models. */
  readonly model?: string;
  readonly reason:
    | 'adapters'
    | 'allowed_providers'
    | 'capacity'
    | 'constraint_filtered'
    | 'context_length'
    | 'data_policy:training'
    | 'data_policy:zdr'
    | 'duration'
    | 'geometry'
    | 'health'
    | 'max_price'
    | 'modality'
    | 'quantization'
    | 'reasoning_effort'
    | 'references'
    | 'require_parameters'
    | 'source'
    | 'tool_dispatch'
    | 'tool_fidelity';
  readonly member?: string;
  readonly detail?: string;
  /** Of `max_price`: the price above the cap, exact, in the unit of the cap. */
  readonly price?: string;
}
