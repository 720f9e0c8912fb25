/**
 * The claim of an idempotency key: which generation of the account it stands for. It is written with the hold and
 * settled with the charge; the end of a hold without a charge removes it, since the client may then repeat the request.
 * Nothing of a body or a reply is kept. (reliability, decision 5)
 */
import type { Collection, Effect } from '../runtime/index.ts';
import type { Generation, Idempotency } from '../terms/hold.ts';
import { plain } from '../terms/only.ts';
import type { Refusal } from '../terms/refusal.ts';
import { firstRow } from '../terms/row.ts';
import type { HoldOpen, HoldSettle, JobHold } from './events.ts';

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

/** The claim of the event's key for another generation; null where there is none, or it has lapsed. */
export function otherClaim(event: HoldOpen | JobHold | HoldSettle): Claim | null {
  const claim = firstRow<Claim>(event, 'claim');
  const { generation } = event.type === 'hold.settle' ? event.settlement : event.request;
  if (claim === null || claim.generation === generation || claim.createdAt + CLAIM_MS <= event.at) return null;
  return claim;
}

export function putClaim(
  row: Pick<Generation, 'generation' | 'idempotency' | 'createdAt'>,
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

/** 422 for another body; 409 for the same one, with the generation that the key stands for. */
export function refusalOf({ generation, body, status }: Claim, repeated: Idempotency | undefined): Refusal {
  if (repeated?.body !== body) {
    const message = 'This Idempotency-Key was used with another request';
    return { status: 422, type: 'unprocessable', message, metadata: { generation_id: generation } };
  }
  const metadata = { generation_id: generation, generation_status: status };
  const conflict = { status: 409, type: 'conflict', metadata } as const;
  if (status === 'settled') {
    return { ...conflict, message: `The request of this Idempotency-Key was served as generation ${generation}` };
  }
  const message = `The request of this Idempotency-Key is running as generation ${generation}`;
  return { ...conflict, message, retryAfterMs: RUNNING_RETRY_MS };
}
