/**
 * Submissions of jobs with an idempotency key: the key stands for its job for a day, whatever becomes of it. It is
 * claimed in the commit that creates the job. Pure. (reliability, decision 5)
 */
import type { Effect } from '../runtime/index.ts';
import { plain } from '../terms/only.ts';
import type { RefusedAnswer } from '../terms/refusal.ts';
import { firstRow } from '../terms/row.ts';
import type { QueueJoin, SubmissionClaim } from './events.ts';
import { CLAIM_MS, type Claim } from './idempotency.ts';

type Submission = QueueJoin | SubmissionClaim;

/** The claim of the submission's idempotency key; null without one, or where it has lapsed. */
export function claimOf(event: Submission): Claim | null {
  const claim = firstRow<Claim>(event, 'claim');
  return claim === null || claim.createdAt + CLAIM_MS <= event.at ? null : claim;
}

export function recordSubmission(event: Submission): Effect[] {
  const { idempotency, at } = event;
  if (idempotency === undefined) return [];
  const generation = event.type === 'queue.join' ? event.batch : event.submission;
  const claim: Claim = { generation, body: idempotency.body, status: 'settled', createdAt: at };
  return [{ type: 'put', collection: 'claim', id: idempotency.key, body: plain(claim) }];
}

/** A repeat of a recorded submission: the client reads the job that was recorded. */
export interface RecordedSubmission {
  readonly recorded: string;
}

/** Undoes a submission whose idempotency key was used: 422 for another body, else the recorded job. */
export function refuseClaimedSubmission(event: Submission): Effect {
  const { generation, body } = claimOf(event) as Claim;
  if (body === event.idempotency?.body) return refuse({ recorded: generation } satisfies RecordedSubmission);
  const message = 'This Idempotency-Key was used with another request';
  return refuse({ refusal: { status: 422, type: 'unprocessable', message } });
}

function refuse(body: RefusedAnswer | RecordedSubmission): Effect {
  return { type: 'refuse', body: plain(body) };
}
