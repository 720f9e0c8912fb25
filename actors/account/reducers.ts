/** The reducers of the account state, one per event that the chart accepts. Pure. */
import type { Generation } from '../terms/hold.ts';
import { only } from '../terms/only.ts';
import { firstRow } from '../terms/row.ts';
import { subtract, usd } from '../terms/usd.ts';
import {
  type AccountState,
  dueBy,
  named,
  sweptTill,
  withAdjustment,
  withCharge,
  withDeposit,
  withHold,
  withoutHolds,
  withQueue,
  withRaise,
  withStored,
} from './account-state.ts';
import { heldBefore } from './admission.ts';
import { parseAdjustment } from './deposit.ts';
import { raiseDelta } from './effects.ts';
import type {
  AccountEvent,
  AdjustmentRecord,
  DepositCredit,
  HoldOpen,
  HoldRaise,
  HoldSettle,
  JobHold,
  StorageGive,
  StorageTake,
} from './events.ts';
import { overshootOf } from './generation.ts';
import { queueAfter } from './queue.ts';
import { orphanSlice, overdueSlice, type SweepSlice } from './sweep.ts';
import { TOMBSTONE_MS } from './tombstone.ts';

export function create(state: AccountState, event: AccountEvent): AccountState {
  const { name, at } = only(event, 'account.create');
  return named(state, name, at);
}

export function credit(state: AccountState, { deposit, amount, at }: DepositCredit): AccountState {
  return withDeposit(state, { id: deposit, amount: usd(amount), at });
}

export function adjust(state: AccountState, { adjustment, amount, at }: AdjustmentRecord): AccountState {
  return withAdjustment(state, { id: adjustment, amount: parseAdjustment(amount), at });
}

export function holdForJob(state: AccountState, { request }: JobHold): AccountState {
  return withHold(state, request.amount, request.deadlineAt);
}

/** Adds a hold, or replaces the hold of an older attempt. */
export function hold(state: AccountState, event: HoldOpen): AccountState {
  const { amount, deadlineAt } = event.request;
  const before = heldBefore(event);
  return before === null ? withHold(state, amount, deadlineAt) : withRaise(state, subtract(amount, before), deadlineAt);
}

export function moveHold(state: AccountState, event: HoldRaise): AccountState {
  return withRaise(state, raiseDelta(event), event.request.deadlineAt);
}

/** Records the charge and frees the hold, unless it was released before. */
export function charge(state: AccountState, event: HoldSettle): AccountState {
  const { settlement, at } = event;
  const row = firstRow<Generation>(event, 'generation');
  if (row === null) throw new Error('charge has no generation row');
  const cost = usd(settlement.cost);
  return withCharge(state, {
    cost,
    at,
    generation: row.generation,
    key: row.key,
    held: row.status === 'running' ? row.amount : null,
    overshoot: overshootOf(row, cost) !== null,
  });
}

export function release(state: AccountState, event: AccountEvent): AccountState {
  const row = firstRow<Generation>(event, 'generation');
  return row === null ? state : withoutHolds(state, row.amount, 1);
}

export function scheduleTombstoneSweep(state: AccountState, event: AccountEvent): AccountState {
  return dueBy(state, event.at + TOMBSTONE_MS);
}

export function sweep(state: AccountState, event: AccountEvent): AccountState {
  const slice = overdueSlice(only(event, 'holds.sweep'));
  return sweptTill(end(state, slice), slice.nextAt);
}

export function loseGateway(state: AccountState, event: AccountEvent): AccountState {
  return end(state, orphanSlice(only(event, 'gateway.lost')));
}

function end(state: AccountState, { amount, ended }: SweepSlice): AccountState {
  return withoutHolds(state, amount, ended.length);
}

export function changeQueue(state: AccountState, event: AccountEvent): AccountState {
  return withQueue(state, queueAfter(state, only(event, 'queue.join', 'slot.update', 'queue.leave')));
}

/** True if the account may store these bytes besides those it has. */
export function hasRoom(state: AccountState, { bytes, bytesMax }: StorageTake): boolean {
  return state.storedBytes + bytes <= bytesMax;
}

export function takeStorage(state: AccountState, { bytes }: StorageTake): AccountState {
  return withStored(state, bytes);
}

export function giveStorage(state: AccountState, { bytes }: StorageGive): AccountState {
  return withStored(state, -bytes);
}
