import type { ReplyDialect } from '../../dialects/reply-dialect.ts';
import type { TurnRequest } from '../../inference/turn-request.ts';

/** A turn that may run, and how its answer is to be written. */
export interface AcceptedTurn extends TurnRequest {
  readonly dialect: ReplyDialect;
}
