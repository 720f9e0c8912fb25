import type { Random } from '../../../actors/runtime/index.ts';
import type { EventStreamLimits } from '../../http/event-stream.ts';
import type { LargeAnswers } from '../../http/large-answers.ts';
import type { Inference } from '../../inference/inference.ts';
import type { TurnCrashPoint } from '../../inference/turn-request.ts';
import type { Authentication } from '../auth/authentication.ts';
import type { EdgeLog } from '../request-reports.ts';
import type { OpenTurns } from './open-turns.ts';

/** What answering turns takes. */
export interface AnswerParts {
  readonly inference: Inference;
  readonly random: Random;
  /** Store time, ms. */
  readonly now: () => number;
  readonly authentication: Pick<Authentication, 'remember'>;
  readonly turns: OpenTurns;
  readonly largeAnswers: LargeAnswers;
  readonly limits: EventStreamLimits;
  /** Secret mixed into the digest of every `Idempotency-Key`. */
  readonly pepper: Uint8Array;
  readonly log: Pick<EdgeLog, 'warn'>;
  /** A named crash point at which a test can kill the process; absent if none is armed. */
  readonly crashPoint: ((name: 'reply.sent' | TurnCrashPoint) => void) | undefined;
}
