import type { EndedTurn } from '../inference/end-turn.ts';
import type { GatewayError } from '../terms/gateway-error.ts';

/** How a request ended, beside its status. Filled in on the way. */
export interface RequestEnd {
  turn: EndedTurn | null;
  /** The error that the client received; null for none, or where it left before the answer. */
  error: GatewayError | null;
  callerLeft: boolean;
}
