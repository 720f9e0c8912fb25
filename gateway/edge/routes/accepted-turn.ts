import type { ReplyDialect } from '../../dialects/reply/reply-dialect.ts';
import type { Departure } from '../../inference/departure.ts';
import type { TurnRequest } from '../../inference/turn-request.ts';

/** A turn that may run, how its answer is to be written, and the caller's leaving. */
export interface AcceptedTurn extends TurnRequest {
  readonly dialect: ReplyDialect;
  readonly signal: Departure;
}
