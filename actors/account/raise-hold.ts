/** Moves a hold to another endpoint in one step: the amount may rise, within every limit, or fall. */
import { assignOn, type Effect, emitOn, type RowRef, type Stamped, verdictOn } from '../runtime/index.ts';
import { plain, reply } from '../terms/chart-tools.ts';
import type { Admission, HoldRequest } from '../terms/hold.ts';
import type { Refusal } from '../terms/refusal.ts';
import { type PaymentScope, paymentRequired, UNAUTHENTICATED } from '../terms/refusal.ts';
import { add, compare, isUsd, subtract } from '../terms/usd.ts';
import { type AccountState, available, nextOf } from './account-state.ts';
import { budgetRoom, inBudget, workspaceOf } from './budgets.ts';
import { generationOf, generationRef, raised, rowOf, STALE } from './generation.ts';
import { recordedAdmission } from './open-hold.ts';
import { sweepAt, sweepBy } from './sweep-holds.ts';

/** From a key: a hold moves to another endpoint. `room` is the rest of the key's limit (USD); null without a limit. */
export type HoldRaise = Stamped & {
  readonly type: 'hold.raise';
  readonly request: HoldRequest;
  readonly key: string;
  readonly room: string | null;
  /** The sum of the key's open holds. */
  readonly keyHeld: string;
};

export type RaiseCase = 'recorded' | 'ended' | 'stale' | 'granted' | 'key-short' | 'budget-short' | 'short';

function judgeRaise(state: AccountState, event: HoldRaise): RaiseCase {
  const { request, room } = event;
  if (!isUsd(request.amount)) throw new RangeError('the amount of a hold must be a decimal in USD');
  const row = generationOf(event);
  if (row === null || row.status !== 'running' || row.key !== event.key) return 'ended';
  if (row.attempt === request.attempt) return 'recorded';
  if (row.attempt > request.attempt) return 'stale';
  const delta = subtract(request.amount, row.amount);
  if (compare(delta, '0') <= 0) return 'granted';
  if (room !== null && compare(delta, room) > 0) return 'key-short';
  const budget = workspaceRoom(state, event);
  if (budget !== null && compare(delta, budget) > 0) return 'budget-short';
  return compare(delta, available(state)) > 0 ? 'short' : 'granted';
}

/** What the budgets of the hold's workspace leave; null without one. */
function workspaceRoom({ budgets }: AccountState, event: HoldRaise): string | null {
  return budgetRoom(budgets, workspaceOf(rowOf(event)), event.at);
}

function deltaOf(event: HoldRaise): string {
  return subtract(event.request.amount, rowOf(event).amount);
}

function moveHold(state: AccountState, event: HoldRaise): AccountState {
  const delta = deltaOf(event);
  const next = nextOf(state);
  next.held = add(state.held, delta);
  next.nextSweepAt = sweepBy(state, event.request.deadlineAt);
  return inBudget(next, rowOf(event), delta);
}

function recordRaise(state: AccountState, event: HoldRaise): Effect[] {
  const { request, key } = event;
  const { generation, attempt, amount, deadlineAt } = request;
  return [
    { type: 'put', collection: 'generation', id: generation, body: plain(raised(rowOf(event), request)) },
    ...sweepAt(state, deadlineAt),
    { type: 'send', to: key, event: { type: 'hold.moved', delta: deltaOf(event) } },
    reply({ admitted: true, generation, attempt, amount } satisfies Admission),
  ];
}

function refuseRaiseShort(state: AccountState, event: HoldRaise, { scope }: { readonly scope: PaymentScope }): Effect {
  const refusal = paymentRequired(scope, {
    required: deltaOf(event),
    available: roomIn(scope, state, event),
    held: heldByOthers(scope, state, event),
  });
  return refuseRaise(refusal);
}

function roomIn(scope: PaymentScope, state: AccountState, event: HoldRaise): string {
  if (scope === 'key') return event.room ?? '0';
  return scope === 'account' ? available(state) : (workspaceRoom(state, event) ?? '0');
}

/** Without what this generation holds. */
function heldByOthers(scope: PaymentScope, { budgets, held }: AccountState, event: HoldRaise): string | undefined {
  const row = rowOf(event);
  const all = { account: held, key: event.keyHeld, workspace: budgets?.[workspaceOf(row)]?.held }[scope];
  return all === undefined ? undefined : subtract(all, row.amount);
}

function refuseRaise(refusal: Refusal): Effect {
  return reply({ admitted: false, refusal } satisfies Admission);
}

export const rows = {
  'hold.raise': ({ request }: HoldRaise): readonly RowRef[] => [generationRef(request.generation, false)],
};

export const guards = {
  raiseIs: verdictOn('hold.raise', judgeRaise),
};

export const actions = {
  moveHold: assignOn('hold.raise', moveHold),
  recordRaise: emitOn('hold.raise', recordRaise),
  answerRaise: emitOn('hold.raise', (_: AccountState, event: HoldRaise) => reply(recordedAdmission(event))),
  refuseRaiseShort: emitOn('hold.raise', refuseRaiseShort),
  refuseStaleRaise: emitOn('*', () => refuseRaise(STALE)),
  refuseSuspendedRaise: emitOn('*', () => refuseRaise(UNAUTHENTICATED)),
};
