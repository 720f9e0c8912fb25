import type { Endpoint } from '../../actors/terms/endpoint.ts';
import type { TurnMessage } from './turn.ts';

/** Where a turn may run: candidates in the order of trial, and why every other endpoint may not. Pure of clock and chance. */
export interface Plan {
  readonly candidates: readonly Candidate[];
  readonly rejections: readonly Rejection[];
}

/** Prompt tokens of a turn: best guess, and what no tokenizer exceeds. */
export interface PromptTokens {
  readonly counted: number;
  readonly bound: number;
}

export interface Candidate {
  readonly endpoint: Endpoint;
  /** The model id that serves, as the catalogue writes it. */
  readonly model: string;
  /** The ceiling this endpoint is sent: asked, lowered to its own, trimmed to its window. Always bounded. */
  readonly completionTokensMax: number;
  /** The messages as this endpoint is sent them: the turn's own, or what compression left of them. */
  readonly messages: readonly TurnMessage[];
  /** Size of these messages and the tools together. */
  readonly prompt: PromptTokens;
}

/** Shape of `metadata.rejections[]` (conventions 1.1). */
export interface Rejection {
  /** Provider slug and endpoint tag. */
  readonly provider: string;
  readonly endpoint: string;
  /** Whose endpoint, where several models were asked for: one provider has the same tag for each of them. */
  readonly model?: string;
  readonly reason:
    | 'allowed_providers'
    | 'capacity'
    | 'constraint_filtered'
    | 'context_length'
    | 'data_policy:training'
    | 'data_policy:zdr'
    | 'health'
    | 'max_price'
    | 'modality'
    | 'quantization'
    | 'reasoning_effort'
    | 'require_parameters'
    | 'source'
    | 'tool_dispatch'
    | 'tool_fidelity';
  readonly member?: string;
  readonly detail?: string;
}
