import type { EndpointOffer } from '../../actors/terms/offer.ts';

/** Where a turn may run: candidates in the order of trial, and why every other endpoint may not. Pure of clock and chance. */
export interface Plan {
  readonly candidates: readonly Candidate[];
  readonly rejections: readonly Rejection[];
  /** Prompt tokens of the turn: best guess, and what no tokenizer exceeds. */
  readonly prompt: { readonly counted: number; readonly bound: number };
}

export interface Candidate {
  readonly offer: EndpointOffer;
  /** The model id that serves, as the catalogue writes it. */
  readonly model: string;
  /** The ceiling this endpoint is sent: asked, lowered to its own, trimmed to its window. Always bounded. */
  readonly completionTokensMax: number;
}

/** Shape of `metadata.rejections[]` (conventions 1.1). */
export interface Rejection {
  /** Provider slug and endpoint tag. */
  readonly provider: string;
  readonly endpoint: string;
  readonly reason:
    | 'allowed_providers'
    | 'context_length'
    | 'require_parameters'
    | 'health'
    | 'constraint_filtered'
    | 'modality'
    | 'max_price'
    | 'quantization';
  readonly member?: string;
  readonly detail?: string;
}
