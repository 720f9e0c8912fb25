/**
 * The effects of the account's decisions: rows, answers and messages to keys. Pure; the chart decides when they apply.
 */
import type { Effect } from '../runtime/index.ts';
import { activityPart } from '../terms/activity-part.ts';
import { recordAudit } from '../terms/audit.ts';
import { sequenceId } from '../terms/hash-chain.ts';
import type { Admission, Generation, Released, Settled } from '../terms/hold.ts';
import { plain } from '../terms/only.ts';
import { fitsOnceReleased, type PaymentScope, paymentRequired, type Shortfall } from '../terms/payment-required.ts';
import type { Refusal, RefusedAnswer } from '../terms/refusal.ts';
import { firstRow } from '../terms/row.ts';
import { compare, subtract } from '../terms/usd.ts';
import { WORKSPACES_MAX } from '../terms/workspace.ts';
import { type AccountState, available } from './account-state.ts';
import {
  accountHeld,
  accountRoom,
  heldBefore,
  keyHeld,
  keyRoom,
  type OpenCase,
  raiseRoom,
  workspaceHeld,
  workspaceRoom,
} from './admission.ts';
import { workspaceOf } from './budgets.ts';
import type { AccountSwitch, HoldOpen, HoldRaise, HoldRelease, HoldSettle, JobHold, StorageTake } from './events.ts';
import { opened, raised, released, reopened, settled } from './generation.ts';
import { type Claim, putClaim, refusalOf, removeClaim } from './idempotency.ts';
import type { LedgerEntry } from './ledger.ts';
import { TOMBSTONE_MS, type Tombstone } from './tombstone.ts';

export const SWEEP_TIMER = 'holds.sweep';

export function reply(body: object): Effect {
  return { type: 'reply', body: plain(body) };
}

/** Refuses a charge or a release. When another actor's step sent the event, that step is rolled back as well. */
export function refuse(refusal: Refusal): Effect {
  return { type: 'refuse', body: plain({ refusal } satisfies RefusedAnswer) };
}

/** An attempt that does not (or no longer) hold the money can neither charge nor release it. */
export const STALE: Refusal = {
  status: 409,
  type: 'conflict',
  message: 'Another attempt holds the money of this generation',
};
export const UNKNOWN: Refusal = { status: 404, type: 'not_found', message: 'No such generation' };
export const MALFORMED: Refusal = {
  status: 422,
  type: 'unprocessable',
  message: 'A charge is a decimal of at most 24 places, not negative',
};

/** Undoes the step of the file that asked for the room. */
export function refuseStorage({ bytesMax }: StorageTake): Effect {
  const message = `The stored files of an account have at most ${bytesMax} bytes in all; delete files or wait for their expiry`;
  return refuse({ status: 403, type: 'permission_denied', message, metadata: { scope: 'account', limit: bytesMax } });
}

/** The entry of an operator's switch in the account's audit log. */
export function recordSwitch({ address }: AccountState, { type: action, by }: AccountSwitch): Effect {
  return recordAudit(address, { action, target: address, by });
}

/** The answer to a key's creation, sent in the commit that creates it. */
export function issued({ key, label }: { key: string; label: string }): Effect {
  return reply({ key, label, created: true });
}

export function recordHold(state: AccountState, event: HoldOpen): Effect[] {
  const { generation, attempt, amount, deadlineAt } = event.request;
  const row = firstRow<Generation>(event, 'generation');
  const held = row === null ? opened(event) : reopened(row, event);
  return [
    { type: 'put', collection: 'generation', id: generation, body: plain(held) },
    ...putClaim(held, 'running'),
    ...sweepAt(state, deadlineAt),
    ...takeFromKey(event),
    reply({ admitted: true, generation, attempt, amount } satisfies Admission),
  ];
}

/** The hold of a job, which answers itself. */
export function recordJobHold(state: AccountState, event: JobHold): Effect[] {
  const { generation, deadlineAt } = event.request;
  const row: Effect = { type: 'put', collection: 'generation', id: generation, body: plain(opened(event)) };
  return [row, ...sweepAt(state, deadlineAt)];
}

/** Undoes the submission of the job. */
export function refuseJobHold(state: AccountState, event: JobHold, found: OpenCase): Effect {
  if (found === 'budget-short') return refuse(jobRefusal('workspace', workspaceShortfall(state, event)));
  if (found === 'key-short') return refuse(jobRefusal('key', keyShortfall(event)));
  if (found !== 'short') return refuse(STALE);
  return refuse(jobRefusal('account', accountShortfall(state, event)));
}

/** A job costs what it costs, so `held` is named only where a repeat may succeed. Turns: `gateway/inference/hold.ts`. */
function jobRefusal(scope: PaymentScope, shortfall: Shortfall): Refusal {
  const { required, available } = shortfall;
  return paymentRequired(scope, fitsOnceReleased(shortfall) ? shortfall : { required, available });
}

function accountShortfall(state: AccountState, event: HoldOpen | JobHold): Shortfall {
  const { amount: required } = event.request;
  return { required, available: accountRoom(state, event), held: accountHeld(state, event) };
}

function keyShortfall(event: HoldOpen | JobHold): Shortfall {
  return { required: event.request.amount, available: keyRoom(event) ?? '0', held: keyHeld(event) };
}

function workspaceShortfall(state: AccountState, event: HoldOpen | JobHold): Shortfall {
  const { amount: required } = event.request;
  return { required, available: workspaceRoom(state, event) ?? '0', held: workspaceHeld(state, event) };
}

/**
 * For a later attempt the key has reserved nothing: it adds to its held sum the difference between this hold and the
 * one it replaces.
 */
function takeFromKey(event: HoldOpen): Effect[] {
  if (event.room === undefined) return [];
  const delta = subtract(event.request.amount, heldBefore(event) ?? '0');
  return [{ type: 'send', to: event.key, event: { type: 'hold.moved', delta } }];
}

/** The answer for a recorded hold. The amount the key reserved for a second delivery is returned to it. */
export function answerHold(event: HoldOpen): Effect[] {
  return [...giveBack(event), reply(recordedAdmission(event))];
}

/** Answers `refusal`; the key takes back the amount it reserved. */
export function refuseHold(event: HoldOpen, refusal: Refusal): Effect[] {
  return [...giveBack(event), reply({ admitted: false, refusal } satisfies Admission)];
}

/** The key stands for another generation: nothing is held, and nothing is served again. */
export function refuseClaimed(event: HoldOpen): Effect[] {
  return refuseHold(event, refusalOf(firstRow<Claim>(event, 'claim') as Claim, event.request.idempotency));
}

export function refuseShort(state: AccountState, event: HoldOpen): Effect[] {
  const { amount: required } = event.request;
  const room = workspaceRoom(state, event);
  if (room !== null && compare(required, room) > 0) {
    return refuseHold(event, paymentRequired('workspace', workspaceShortfall(state, event)));
  }
  return refuseHold(event, paymentRequired('account', accountShortfall(state, event)));
}

export function refuseBeyondLimit(event: HoldOpen): Effect[] {
  return refuseHold(event, paymentRequired('key', keyShortfall(event)));
}

/** A repeat without a record is sent back to its key, which admits it as a first delivery. */
export function renew({ request, key, perMinute }: HoldOpen): Effect {
  return {
    type: 'send',
    to: key,
    event: { type: 'turn.admit', request: plain({ ...request, repeat: false }), perMinute },
  };
}

export function recordRaise(state: AccountState, event: HoldRaise): Effect[] {
  const { request, key } = event;
  const { generation, attempt, amount, deadlineAt } = request;
  return [
    { type: 'put', collection: 'generation', id: generation, body: plain(raised(rowOf(event), request)) },
    ...sweepAt(state, deadlineAt),
    { type: 'send', to: key, event: { type: 'hold.moved', delta: raiseDelta(event) } },
    reply({ admitted: true, generation, attempt, amount } satisfies Admission),
  ];
}

export function raiseDelta(event: HoldRaise): string {
  return subtract(event.request.amount, rowOf(event).amount);
}

export function answerRaise(event: HoldRaise): Effect {
  return reply(recordedAdmission(event));
}

export function refuseRaiseShort(state: AccountState, event: HoldRaise, scope: PaymentScope): Effect {
  const refusal = paymentRequired(scope, {
    required: raiseDelta(event),
    available: roomIn(scope, state, event),
    held: heldByOthers(scope, state, event),
  });
  return reply({ admitted: false, refusal } satisfies Admission);
}

function roomIn(scope: PaymentScope, state: AccountState, event: HoldRaise): string {
  if (scope === 'key') return event.room ?? '0';
  return scope === 'account' ? available(state) : (raiseRoom(state, event, rowOf(event)) ?? '0');
}

/** Without what this generation holds. */
function heldByOthers(scope: PaymentScope, { budgets, held }: AccountState, event: HoldRaise): string | undefined {
  const row = rowOf(event);
  const all = { account: held, key: event.keyHeld, workspace: budgets?.[workspaceOf(row)]?.held }[scope];
  return all === undefined ? undefined : subtract(all, row.amount);
}

/** Undoes the creation of the workspace. */
export function refuseWorkspace(): Effect {
  const message = `An account has at most ${WORKSPACES_MAX} workspaces; delete one first`;
  return refuse({ status: 403, type: 'permission_denied', message, metadata: { limit: WORKSPACES_MAX } });
}

/** Row, ledger entry, the key's sums and the answer: one commit. */
export function recordCharge(state: AccountState, event: HoldSettle): Effect[] {
  const { settlement, at } = event;
  const before = rowOf(event);
  const cost = (state.last as LedgerEntry).amount;
  const after = settled(before, cost === settlement.cost ? settlement : { ...settlement, cost }, at);
  const held = before.status === 'running' ? before.amount : '0';
  return [
    { type: 'put', collection: 'generation', id: settlement.generation, body: plain(after) },
    ...putClaim(after, 'settled'),
    recordEntry(state),
    { type: 'send', to: before.key, event: { type: 'spend.record', cost, held, part: plain(activityPart(after, at)) } },
    reply(settledAnswer(after)),
  ];
}

export function answerSettled(event: HoldSettle): Effect {
  return reply(settledAnswer(rowOf(event)));
}

export function recordRelease(event: HoldRelease): Effect[] {
  const before = rowOf(event);
  const { generation } = event.release;
  return [
    { type: 'put', collection: 'generation', id: generation, body: plain(released(before, event.release, event.at)) },
    ...removeClaim(before),
    { type: 'send', to: before.key, event: { type: 'hold.closed', amount: before.amount, count: 1 } },
    reply({ generation, status: 'released' } satisfies Released),
  ];
}

/** The row names the newer attempt as released; money and key were given back before. */
export function recordSupersession(event: HoldRelease): Effect[] {
  const { release, at } = event;
  const { generation } = release;
  return [
    { type: 'put', collection: 'generation', id: generation, body: plain(released(rowOf(event), release, at)) },
    reply({ generation, status: 'released' } satisfies Released),
  ];
}

export function answerRelease(event: HoldRelease): Effect {
  const row = firstRow<Generation>(event, 'generation');
  const { generation } = event.release;
  return reply({ generation, status: row?.status === 'settled' ? 'settled' : 'released' } satisfies Released);
}

export function recordTombstone(state: AccountState, event: HoldRelease): Effect[] {
  const { generation, attempt } = event.release;
  const tombstone: Tombstone = { generation, attempt, createdAt: event.at, forgetAt: event.at + TOMBSTONE_MS };
  return [
    { type: 'put', collection: 'tombstone', id: generation, body: plain(tombstone) },
    ...sweepAt(state, tombstone.forgetAt),
    reply({ generation, status: 'released' } satisfies Released),
  ];
}

/** Writes the newest ledger entry as a row. */
export function recordEntry(state: AccountState): Effect {
  const entry = state.last as LedgerEntry;
  return { type: 'put', collection: 'ledger', id: sequenceId(entry.sequence), body: plain(entry) };
}

/** One timer covers the earliest deadline; it is set when this deadline has just become the earliest. */
function sweepAt(state: AccountState, dueAt: number): Effect[] {
  if (state.nextSweepAt !== dueAt) return [];
  return [{ type: 'schedule', name: SWEEP_TIMER, at: dueAt, event: { type: SWEEP_TIMER } }];
}

function giveBack({ request, key, room }: HoldOpen): Effect[] {
  if (request.repeat || room !== undefined) return [];
  return [{ type: 'send', to: key, event: { type: 'hold.refused', amount: request.amount } }];
}

/** The recorded answer for this attempt; 409 when the hold has ended or moved on. */
function recordedAdmission(event: HoldOpen | HoldRaise): Admission {
  const row = firstRow<Generation>(event, 'generation');
  const { generation, attempt } = event.request;
  if (row?.status === 'running' && row.attempt === attempt && row.key === event.key) {
    return { admitted: true, generation, attempt, amount: row.amount };
  }
  const refusal: Refusal = { status: 409, type: 'conflict', message: `Generation ${generation} is no longer held` };
  return { admitted: false, refusal };
}

function settledAnswer(row: Generation): Settled {
  const { generation, settlement, late, overshoot } = row;
  const cost = settlement?.cost ?? '0';
  return overshoot === null ? { generation, cost, late } : { generation, cost, late, overshoot };
}

function rowOf(event: HoldSettle | HoldRelease | HoldRaise): Generation {
  const row = firstRow<Generation>(event, 'generation');
  if (row === null) throw new Error(`${event.type} has no generation row`);
  return row;
}
