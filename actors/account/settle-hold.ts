/**
 * Ends a hold with a charge, exactly once. A charge after the release of its hold, or above it, is recorded with its
 * exact cost all the same, and raises an alarm.
 */
import { assignOn, type Effect, emitOn, type RowRef, type Stamped, verdictOn } from '../runtime/index.ts';
import { plain, refuse, reply } from '../terms/chart-tools.ts';
import type { Generation, Settled, Settlement } from '../terms/hold.ts';
import { usagePart } from '../terms/usage.ts';
import { add, isCharge, subtract, usd } from '../terms/usd.ts';
import { type AccountState, lastEntry, nextEntry, nextOf, recordEntry } from './account-state.ts';
import { chargedInBudgets, workspaceOf } from './budgets.ts';
import { generationOf, generationRef, newestAttempt, overshootOf, rowOf, STALE, settled } from './generation.ts';
import { claimRefs, otherClaim, putClaim } from './idempotency.ts';
import { putSpendDay, rankedDay } from './spend-day.ts';

export type HoldSettle = Stamped & { readonly type: 'hold.settle'; readonly settlement: Settlement };

export type SettleCase =
  /** Charged before under this attempt: returns the recorded charge. */
  | 'recorded'
  | 'charge'
  /** Released before: charged with the exact cost all the same. */
  | 'late'
  /**
   * Sent by an attempt that no longer holds the money or never did, or whose idempotency key a repeat has claimed after
   * the release.
   */
  | 'stale'
  | 'unknown'
  | 'malformed';

export function judgeSettle(_: AccountState, event: HoldSettle): SettleCase {
  const { settlement } = event;
  const row = generationOf(event);
  if (row === null) return 'unknown';
  if (row.attempt !== settlement.attempt) return 'stale';
  if (row.status === 'settled') return 'recorded';
  if (newestAttempt(row) > settlement.attempt) return 'stale';
  if (row.status === 'released' && otherClaim(event, settlement.generation) !== null) return 'stale';
  if (!isCharge(settlement.cost)) return 'malformed';
  return row.status === 'running' ? 'charge' : 'late';
}

/** Appends the charge to the ledger and frees the hold, unless it was released before. */
export function charge(state: AccountState, event: HoldSettle): AccountState {
  const { at } = event;
  const row = rowOf(event);
  const cost = usd(event.settlement.cost);
  const { generation: ref, key } = row;
  const last = nextEntry(state, { type: 'charge', from: 'balance', to: 'revenue', amount: cost, at, ref, key });
  const held = row.status === 'running' ? row.amount : '0';
  const next = nextOf(state);
  next.balance = last.balance;
  next.charges = add(state.charges, cost);
  next.dayRank = rankedDay(state.dayRank, { before: state.charges, after: next.charges }, at);
  next.last = last;
  next.budgets = chargedInBudgets(state.budgets, workspaceOf(row), { cost, held, at });
  if (overshootOf(row, cost) !== null) next.overshoots++;
  if (row.status !== 'running') {
    next.lateSettles++;
    return next;
  }
  next.held = subtract(state.held, held);
  next.holds--;
  return next;
}

/** Row, ledger entry, the key's sums and the answer: one commit. */
function recordCharge(state: AccountState, event: HoldSettle): Effect[] {
  const { settlement, at } = event;
  const before = rowOf(event);
  const cost = lastEntry(state).amount;
  const after = settled(before, cost === settlement.cost ? settlement : { ...settlement, cost }, at);
  const held = before.status === 'running' ? before.amount : '0';
  return [
    { type: 'put', collection: 'generation', id: settlement.generation, body: plain(after) },
    ...putClaim(after, 'settled'),
    recordEntry(state),
    ...(cost === '0' ? [] : putSpendDay(state.address, state.dayRank, state.charges)),
    { type: 'send', to: before.key, event: { type: 'spend.record', cost, held, part: plain(usagePart(after, at)) } },
    reply(answerOf(after)),
  ];
}

function answerOf({ generation, settlement, late, overshoot }: Generation): Settled {
  const cost = settlement?.cost ?? '0';
  return overshoot === null ? { generation, cost, late } : { generation, cost, late, overshoot };
}

export const rows = {
  'hold.settle': ({ settlement }: HoldSettle): readonly RowRef[] => [
    generationRef(settlement.generation, true),
    ...claimRefs(settlement.idempotencyKey),
  ],
};

export const guards = {
  settleIs: verdictOn('hold.settle', judgeSettle),
};

export const actions = {
  charge: assignOn('hold.settle', charge),
  recordCharge: emitOn('hold.settle', recordCharge),
  answerSettled: emitOn('hold.settle', (_: AccountState, event: HoldSettle) => reply(answerOf(rowOf(event)))),
  refuseStale: emitOn('*', () => refuse(STALE)),
  refuseMalformed: emitOn('*', () =>
    refuse({
      status: 422,
      type: 'unprocessable',
      message: 'A charge is a decimal of at most 24 places, not negative',
    }),
  ),
  refuseUnknown: emitOn('*', () => refuse({ status: 404, type: 'not_found', message: 'No such generation' })),
};
