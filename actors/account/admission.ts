/**
 * What becomes of a request to hold money, to move a hold, to charge it or to let it go: one word per case, decided from
 * the book and the rows of the event. The chart's guards ask here; nothing here changes anything.
 */
import type { Generation } from '../terms/hold.ts';
import { firstRow } from '../terms/row.ts';
import { compare, isCharge, isUsd, subtract } from '../terms/usd.ts';
import { available, type Book } from './book.ts';
import type { HoldOpen, HoldRaise, HoldRelease, HoldSettle } from './events.ts';

export type OpenCase =
  /** Held already under this attempt: the recorded answer. */
  | 'recorded'
  /** Ended, released before it came, or held under another attempt. */
  | 'ended'
  /** A repeat that finds nothing: its first sending never arrived, the key decides anew. */
  | 'unheard'
  | 'granted'
  | 'short';

export function judgeOpen(book: Book, event: HoldOpen): OpenCase {
  const { request } = event;
  if (!isUsd(request.amount)) throw new RangeError('the amount of a hold must be a decimal in USD');
  const row = firstRow<Generation>(event, 'generation');
  if (row !== null) return isHeldBy(row, event) ? 'recorded' : 'ended';
  if (firstRow(event, 'tombstone') !== null) return 'ended';
  if (request.repeat) return 'unheard';
  return compare(available(book), request.amount) >= 0 ? 'granted' : 'short';
}

function isHeldBy(row: Generation, { request, key }: HoldOpen): boolean {
  return row.status === 'running' && row.attempt === request.attempt && row.key === key;
}

export type RaiseCase = 'recorded' | 'ended' | 'stale' | 'granted' | 'key-short' | 'account-short';

export function judgeRaise(book: Book, event: HoldRaise): RaiseCase {
  const { request, room } = event;
  if (!isUsd(request.amount)) throw new RangeError('the amount of a hold must be a decimal in USD');
  const row = firstRow<Generation>(event, 'generation');
  if (row === null || row.status !== 'running' || row.key !== event.key) return 'ended';
  if (row.attempt === request.attempt) return 'recorded';
  if (row.attempt > request.attempt) return 'stale';
  const delta = subtract(request.amount, row.amount);
  if (compare(delta, '0') <= 0) return 'granted';
  if (room !== null && compare(delta, room) > 0) return 'key-short';
  return compare(delta, available(book)) > 0 ? 'account-short' : 'granted';
}

export type SettleCase =
  /** Charged before under this attempt: the recorded charge. */
  | 'recorded'
  | 'charge'
  /** Released before: charged exactly all the same. */
  | 'late'
  /** Belongs to an attempt that does not hold the money any more, or never did. */
  | 'stale'
  | 'unknown'
  | 'malformed';

export function judgeSettle(event: HoldSettle): SettleCase {
  const { settlement } = event;
  const row = firstRow<Generation>(event, 'generation');
  if (row === null) return 'unknown';
  if (row.attempt !== settlement.attempt) return 'stale';
  if (row.status === 'settled') return 'recorded';
  if (!isCharge(settlement.cost)) return 'malformed';
  return row.status === 'running' ? 'charge' : 'late';
}

export type ReleaseCase =
  | 'recorded'
  | 'release'
  /** An older attempt lets go of what a newer one holds. */
  | 'stale'
  /** Never admitted: remembered, so that a late admit is refused. */
  | 'bury';

export function judgeRelease(event: HoldRelease): ReleaseCase {
  const row = firstRow<Generation>(event, 'generation');
  if (row === null) return firstRow(event, 'tombstone') === null ? 'bury' : 'recorded';
  if (row.status !== 'running') return 'recorded';
  return event.release.attempt < row.attempt ? 'stale' : 'release';
}
