/** The reducers of the account state, one per event that the chart accepts. Pure. */
import type { Generation } from '../terms/hold.ts';
import { only } from '../terms/only.ts';
import { allRows, firstRow } from '../terms/row.ts';
import { subtract, usd } from '../terms/usd.ts';
import {
  type AccountState,
  dueBy,
  named,
  sweptTill,
  withAdjustment,
  withBudgets,
  withCharge,
  withDeposit,
  withHold,
  withoutHolds,
  withQueue,
  withRaise,
  withStored,
  withWorkspaces,
} from './account-state.ts';
import { heldBefore } from './admission.ts';
import {
  withBudgetHeld,
  withLimits,
  withoutWorkspace,
  withWorkspace,
  withWorkspaceCharge,
  workspaceOf,
} from './budgets.ts';
import { parseAdjustment } from './deposit.ts';
import { raiseDelta } from './effects.ts';
import type {
  AccountEvent,
  AdjustmentRecord,
  BudgetLimited,
  DepositCredit,
  HoldOpen,
  HoldRaise,
  HoldSettle,
  JobHold,
  StorageGive,
  StorageTake,
  WorkspaceClosed,
  WorkspaceOpened,
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

export function holdForJob(state: AccountState, event: JobHold): AccountState {
  const { request } = event;
  return inBudget(withHold(state, request.amount, request.deadlineAt), event, request.amount);
}

/** Adds a hold, or replaces the hold of an older attempt. */
export function hold(state: AccountState, event: HoldOpen): AccountState {
  const { amount, deadlineAt } = event.request;
  const before = heldBefore(event);
  if (before === null) return inBudget(withHold(state, amount, deadlineAt), event, amount);
  const row = firstRow<Generation>(event, 'generation') as Generation;
  const next = withRaise(state, subtract(amount, before), deadlineAt);
  return inBudget(inBudget(next, row, subtract('0', before)), event, amount);
}

export function moveHold(state: AccountState, event: HoldRaise): AccountState {
  const delta = raiseDelta(event);
  const row = firstRow<Generation>(event, 'generation') as Generation;
  return inBudget(withRaise(state, delta, event.request.deadlineAt), row, delta);
}

/** Records the charge and frees the hold, unless it was released before. */
export function charge(state: AccountState, event: HoldSettle): AccountState {
  const { settlement, at } = event;
  const row = firstRow<Generation>(event, 'generation');
  if (row === null) throw new Error('charge has no generation row');
  const cost = usd(settlement.cost);
  const held = row.status === 'running' ? row.amount : null;
  const overshoot = overshootOf(row, cost) !== null;
  const next = withCharge(state, { cost, at, generation: row.generation, key: row.key, held, overshoot });
  return withBudgets(next, withWorkspaceCharge(next.budgets, workspaceOf(row), { cost, held: held ?? '0', at }));
}

export function release(state: AccountState, event: AccountEvent): AccountState {
  const row = firstRow<Generation>(event, 'generation');
  return row === null ? state : freed(withoutHolds(state, row.amount, 1), [row]);
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
  return freed(withoutHolds(state, amount, ended.length), ended);
}

/** Changes what the budget of a workspace holds; most workspaces have no budget. */
function inBudget(state: AccountState, held: { readonly workspace?: string }, delta: string): AccountState {
  const { budgets } = state;
  if (budgets === null) return state;
  const after = withBudgetHeld(budgets, workspaceOf(held), delta);
  return after === budgets ? state : withBudgets(state, after);
}

/** Frees ended holds in the budgets of their workspaces. */
export function freed(state: AccountState, ended: readonly Generation[]): AccountState {
  if (state.budgets === null) return state;
  return ended.reduce((next, row) => inBudget(next, row, subtract('0', row.amount)), state);
}

export function setBudget(state: AccountState, event: BudgetLimited): AccountState {
  const { workspace, limits } = event;
  const running = allRows(event, 'generation').map(({ body }) => body as unknown as Generation);
  return withBudgets(state, withLimits(state.budgets, { workspace, limits, running }));
}

export function openWorkspace(state: AccountState, { workspace }: WorkspaceOpened): AccountState {
  return withWorkspaces(withBudgets(state, withWorkspace(state.budgets, workspace)), 1);
}

export function closeWorkspace(state: AccountState, { workspace }: WorkspaceClosed): AccountState {
  return withWorkspaces(withBudgets(state, withoutWorkspace(state.budgets, workspace)), -1);
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
