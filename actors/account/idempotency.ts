/**
 * The claim of an idempotency key: which generation of the account, or which job, it stands for. A generation's is
 * written with the hold and settled with the charge; the end of a hold without a charge removes it, since the client
 * may then repeat the request. A job's is written in the commit that creates the job, and stays whatever becomes of it.
 * Nothing of a body or a reply is kept. (rule K66, rule K67)
 */
import {
  type Cluster,
  type Collection,
  type Effect,
  emitOn,
  guardOn,
  type RowRef,
  type Stamped,
} from '../runtime/index.ts';
import { firstRow, plain, refuse } from '../terms/chart-tools.ts';
import type { Generation, Idempotency } from '../terms/hold.ts';
import { accountAddress } from '../terms/ids.ts';
import type { Refusal } from '../terms/refusal.ts';
import type { AccountState } from './account-state.ts';
import type { QueueJoin } from './queue.ts';

/** From a job in the commit that creates it; refused where its idempotency key was used before. */
export type SubmissionClaim = Stamped & {
  readonly type: 'submission.claim';
  /** Id of the job. */
  readonly submission: string;
  readonly idempotency: Idempotency;
};

/** How long a key stands for its generation, from the hold on. */
export const CLAIM_MS = 24 * 3_600_000;
/** Advice for the repeat of a running request. */
const RUNNING_RETRY_MS = 2_000;

/** The row; its id is the digest of the key. */
export interface Claim {
  readonly generation: string;
  /** Digest of the body. */
  readonly body: string;
  readonly status: 'running' | 'settled';
  /** Store time, ms, of the hold. */
  readonly createdAt: number;
}

export const claimCollection: Collection = {
  sort: (claim: Claim) => claim.createdAt,
  retentionMs: CLAIM_MS,
};

/** The claim of the event's key; null where there is none, or it has lapsed. */
function claimOf(event: Stamped): Claim | null {
  const claim = firstRow<Claim>(event, 'claim');
  return claim === null || claim.createdAt + CLAIM_MS <= event.at ? null : claim;
}

/** The claim of the event's key for another generation than this one. */
export function otherClaim(event: Stamped, generation: string): Claim | null {
  const claim = claimOf(event);
  return claim === null || claim.generation === generation ? null : claim;
}

export function putClaim(
  row: Pick<Generation, 'generation' | 'createdAt'> & { readonly idempotency?: Idempotency | undefined },
  status: Claim['status'],
): Effect[] {
  const { generation, idempotency, createdAt } = row;
  if (idempotency === undefined) return [];
  const claim: Claim = { generation, body: idempotency.body, status, createdAt };
  return [{ type: 'put', collection: 'claim', id: idempotency.key, body: plain(claim) }];
}

export function removeClaim({ idempotency }: Generation): Effect[] {
  return idempotency === undefined ? [] : [{ type: 'remove', collection: 'claim', id: idempotency.key }];
}

const USED: Refusal = {
  status: 422,
  type: 'unprocessable',
  message: 'This Idempotency-Key was used with another request',
};

/** 422 for another body; 409 for the same one, with the generation that the key stands for. */
export function refusalOf({ generation, body, status }: Claim, repeated: Idempotency | undefined): Refusal {
  if (repeated?.body !== body) return { ...USED, metadata: { generation_id: generation } };
  const metadata = { generation_id: generation, generation_status: status };
  const conflict = { status: 409, type: 'conflict', metadata } as const;
  if (status === 'settled') {
    return { ...conflict, message: `The request of this Idempotency-Key was served as generation ${generation}` };
  }
  const message = `The request of this Idempotency-Key is running as generation ${generation}`;
  return { ...conflict, message, retryAfterMs: RUNNING_RETRY_MS };
}

type Submission = QueueJoin | SubmissionClaim;
const SUBMISSIONS = ['queue.join', 'submission.claim'] as const;

function recordSubmission(_: AccountState, event: Submission): Effect[] {
  const generation = event.type === 'queue.join' ? event.batch : event.submission;
  return putClaim({ generation, idempotency: event.idempotency, createdAt: event.at }, 'settled');
}

/** A repeat of a recorded submission: the client reads the job that was recorded. */
interface RecordedSubmission {
  readonly recorded: string;
}

/** Undoes a submission whose idempotency key was used: 422 for another body, else the recorded job. */
function refuseSubmitted(_: AccountState, event: Submission): Effect {
  const { generation, body } = claimOf(event) as Claim;
  if (body !== event.idempotency?.body) return refuse(USED);
  return { type: 'refuse', body: plain({ recorded: generation } satisfies RecordedSubmission) };
}

/**
 * The id of the job that an idempotency key with this body stands for; null without one. Read from the store, so that a
 * repeat is answered whatever has become of the endpoints and the credit meanwhile. A claim that is being made is found
 * by the account alone. (rule K66, rule K67)
 */
export async function findSubmission(
  cluster: Cluster,
  account: string,
  { key, body }: Idempotency,
): Promise<string | null> {
  const row = await cluster.rows.row(accountAddress(account), 'claim', key);
  if (row === null) return null;
  const claim = JSON.parse(row.body) as Claim;
  return claim.body === body && claim.createdAt + CLAIM_MS > cluster.now() ? claim.generation : null;
}

export function claimRefs(key: string | undefined): readonly RowRef[] {
  return key === undefined ? [] : [{ as: 'claim', collection: 'claim', id: key, mayBeStored: true }];
}

export const rows = {
  'queue.join': ({ idempotency }: QueueJoin) => claimRefs(idempotency?.key),
  'submission.claim': ({ idempotency }: SubmissionClaim) => claimRefs(idempotency.key),
};

export const guards = {
  isSubmitted: guardOn(SUBMISSIONS, (_: AccountState, event: Submission) => claimOf(event) !== null),
};

export const actions = {
  recordSubmission: emitOn(SUBMISSIONS, recordSubmission),
  refuseSubmitted: emitOn(SUBMISSIONS, refuseSubmitted),
};
