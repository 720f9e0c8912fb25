/** The effects of sending, repeating, recording and cutting lines. Pure; the chart decides when they apply. */
import { type ActorEvent, assignOn, type Effect, emitOn, guardOn } from '../runtime/index.ts';
import { firstRow, plain } from '../terms/chart-tools.ts';
import type { Release } from '../terms/hold.ts';
import { HOLDS_PER_RUN_MAX, holdAttempt } from '../terms/hold.ts';
import { accountAddress, lineGenerationId } from '../terms/ids.ts';
import {
  type BatchState,
  counted,
  drop,
  IN_FLIGHT_MAX,
  inFlight,
  type LineInFlight,
  linesToSend,
  type Submitted,
  send,
  stopSending,
  submittedOf,
  waitingLines,
  wanted,
  withLine,
  without,
} from './batch-state.ts';
import type { BatchEvent, LineAttempt, LineDone, LineDoneRefused, LineFailed, LineRetry, SlotGrant } from './events.ts';
import { failedOutcome, type LineOutcome, type LineRecord } from './line-record.ts';

export const LINE_ACTIVITY = 'line';
const BACK_OFF_MS_MIN = 1_000;
const BACK_OFF_MS_MAX = 60_000;
/** Holds are given back within seconds, mostly by lines of the same batch. */
const HELD_BACK_OFF_MS_MAX = 10_000;
/** Code of the failure of a line whose money other requests hold now. */
export const MONEY_HELD = 'money-held';

/** Everything that the activity of a line needs: it reads no row. No line is sent from `expiresAt` on. */
export interface LineInput extends Omit<Submitted, 'id' | 'createdAt' | 'bounds'> {
  readonly batch: string;
  readonly index: number;
  readonly customId: string;
  readonly offset: number;
  readonly length: number;
}

/** Sends the first unsent lines, from the state before they are counted as sent. */
export function sendLines(state: BatchState, event: SlotGrant): Effect[] {
  return linesToSend(state, event.rows.next ?? [], event.count).map((line) => performLine(state, line, event.at));
}

function performLine(state: BatchState, line: LineRecord, at: number): Effect & { readonly type: 'perform' } {
  const { bounds, createdAt: _, id: batch, ...submitted } = submittedOf(state);
  const { index, customId, body } = line;
  if (body === null) throw new Error(`line ${index} was refused and cannot be sent`);
  const input = plain({ ...submitted, batch, index, customId, ...body } satisfies LineInput);
  return { type: 'perform', name: LINE_ACTIVITY, id: lineName(index), input, deadlineAt: at + bounds.lineMs };
}

/** The name of a line's row, activity and timer. */
export function lineName(index: number): string {
  return String(index);
}

export function indexOf({ id }: { readonly id: string }): number {
  return Number(id);
}

/**
 * When a failed attempt is repeated. Lines that wait for money are spread over the pause: repeated together, one of them
 * would be admitted each time.
 */
export function retryAt({ id, attempt, at, failure }: LineFailed): number {
  const isHeld = failure.code === MONEY_HELD;
  const grown = BACK_OFF_MS_MIN * 2 ** Math.min(attempt - 1, 10);
  const pauseMs = Math.min(isHeld ? HELD_BACK_OFF_MS_MAX : BACK_OFF_MS_MAX, grown);
  const spreadMs = isHeld ? (pauseMs * (indexOf({ id }) % IN_FLIGHT_MAX)) / IN_FLIGHT_MAX : 0;
  return at + pauseMs + spreadMs;
}

function scheduleRetry(_: BatchState, event: LineFailed): Effect {
  const { id, key, attempt, failure } = event;
  const repeats = { key, attempt, failure: { code: failure.code, message: failure.message } };
  return { type: 'schedule', name: retryTimer(id), at: retryAt(event), event: { type: 'line.retry', id, repeats } };
}

function repeatLine(state: BatchState, event: LineRetry): Effect {
  const { repeats, at } = event;
  return { ...performLine(state, lineOf(event), at), repeats };
}

function retryTimer(line: string): string {
  return `line.retry ${line}`;
}

/** The outcome of an ended line. */
export function outcomeOf(event: LineEnd): LineOutcome {
  if (event.type === 'line.done') return event.result.outcome;
  const { customId } = lineOf(event);
  const message =
    event.type === 'line.failed'
      ? 'This request could not be run: the nodes that ran it failed each time'
      : 'The charge of this request was refused, so its reply was not kept; nothing was charged';
  return failedOutcome(customId, { type: 'server', code: 500, message, param: null }, null);
}

/**
 * Outcome and charge: one commit. An outcome without a charge ends what an earlier attempt may have left held; a single
 * attempt has released its hold itself.
 */
export function recordOutcome(state: BatchState, event: LineEnd): Effect[] {
  const line = lineOf(event);
  const body = plain({ ...line, outcome: outcomeOf(event) } satisfies LineRecord);
  const put: Effect = { type: 'put', collection: 'line', id: event.id, body };
  const settlement = event.type === 'line.done' ? event.result.settlement : null;
  if (settlement !== null) return [put, toAccount(state, { type: 'hold.settle', settlement: plain(settlement) })];
  const running = inFlight(state, line.index);
  const isSingle = running === null || (running.attempt === 1 && event.type === 'line.done');
  return isSingle ? [put] : [put, releaseHolds(state, [running], 'it ended without a charge')];
}

/** Reports the slots in use and the wishes; the account grants free ones in the same commit. */
function updateSlots(state: BatchState): Effect {
  const { id } = submittedOf(state);
  return toAccount(state, { type: 'slot.update', batch: id, slots: state.inFlight.length, wants: wanted(state) });
}

/** Ends lines in flight without an outcome: their runs are aborted, and their holds are released in this commit. */
export function cutLines(state: BatchState, lines: readonly LineInFlight[], reason: string): Effect[] {
  if (lines.length === 0) return [];
  const stops = lines.map(({ index, waits }): Effect => {
    const name = lineName(index);
    return waits === undefined ? { type: 'cancel', perform: name } : { type: 'cancel', name: retryTimer(name) };
  });
  return [...stops, releaseHolds(state, lines, reason)];
}

function releaseHolds(state: BatchState, lines: readonly LineInFlight[], reason: string): Effect {
  const { id, key } = submittedOf(state);
  const releases = lines.map(({ index, attempt }) => ({
    generation: lineGenerationId(id, index),
    // The highest that this run can have requested.
    attempt: holdAttempt(attempt, HOLDS_PER_RUN_MAX - 1),
    ...{ reason, status: null, attempts: [] },
  })) satisfies readonly Release[];
  return toAccount(state, { type: 'holds.release', key, releases: plain(releases) });
}

function toAccount(state: BatchState, event: ActorEvent): Effect {
  return { type: 'send', to: accountAddress(submittedOf(state).account), event };
}

function lineOf(event: Extract<BatchEvent, { readonly id: string }>): LineRecord {
  const line = firstRow<LineRecord>(event, 'line');
  if (line === null) throw new Error(`${event.type} has no row of line ${event.id}`);
  return line;
}

/** The events with an outcome of a line. */
type LineEnd = LineDone | LineDoneRefused | LineFailed;
const LINE_END = ['line.done', 'line.done.refused', 'line.failed'] as const;

function afterEnd(state: BatchState, event: LineEnd): BatchState {
  return counted(without(state, indexOf(event)), outcomeOf(event));
}

function afterDrop(state: BatchState, event: LineFailed): BatchState {
  return without(state, indexOf(event));
}

function isLastToEnd(state: BatchState, event: LineEnd): boolean {
  const { inFlight, unsent, unsentAs } = afterEnd(state, event);
  return inFlight.length === 0 && (unsent === 0 || unsentAs !== null);
}

function isOutOfRoom(state: BatchState, event: LineEnd): boolean {
  const after = afterEnd(state, event);
  return after.inFlight.length === 0 && wanted(after) === 0;
}

function takeSlots(state: BatchState, { rows, count }: SlotGrant): BatchState {
  return send(state, linesToSend(state, rows.next ?? [], count));
}

function awaitRetry(state: BatchState, event: LineFailed): BatchState {
  const { attempt, failure } = event;
  const waits = { until: retryAt(event), why: `${failure.code}: ${failure.message}` };
  return withLine(state, { index: indexOf(event), attempt: attempt + 1, waits });
}

function followAttempt(state: BatchState, event: LineAttempt): BatchState {
  return withLine(state, { index: indexOf(event), attempt: event.attempt });
}

function resumeLine(state: BatchState, event: LineRetry): BatchState {
  return withLine(state, { index: indexOf(event), attempt: event.repeats.attempt + 1 });
}

const EXPIRED = 'the completion window of its batch closed';
const CANCELLED = 'its batch was cancelled';

function cutFailed(state: BatchState, event: LineFailed): Effect[] {
  const line = inFlight(state, indexOf(event));
  return line === null ? [] : cutLines(state, [line], EXPIRED);
}

function cutWaiting(state: BatchState): Effect[] {
  return cutLines(state, waitingLines(state), EXPIRED);
}

export const guards = {
  isRetriable: guardOn('line.failed', (_: BatchState, { failure }: LineFailed) => failure.retriable),
  isLastToEnd: guardOn(LINE_END, isLastToEnd),
  isOutOfRoom: guardOn(LINE_END, isOutOfRoom),
  isLastToDrop: guardOn(
    'line.failed',
    (state: BatchState, event: LineFailed) => event.failure.retriable && afterDrop(state, event).inFlight.length === 0,
  ),
  hasRunningLines: guardOn('*', ({ inFlight }: BatchState) => inFlight.some(({ waits }) => waits === undefined)),
};

/** `send...` and `cut...` come before the assignment: they follow from the state before the event. */
export const actions = {
  sendLines: emitOn('slot.grant', sendLines),
  takeSlots: assignOn('slot.grant', takeSlots),
  recordOutcome: emitOn(LINE_END, recordOutcome),
  endLine: assignOn(LINE_END, afterEnd),
  scheduleRetry: emitOn('line.failed', scheduleRetry),
  awaitRetry: assignOn('line.failed', awaitRetry),
  repeatLine: emitOn('line.retry', repeatLine),
  resumeLine: assignOn('line.retry', resumeLine),
  followAttempt: assignOn('line.attempt', followAttempt),
  cutFailed: emitOn('line.failed', cutFailed),
  dropFailed: assignOn('line.failed', afterDrop),
  cutWaiting: emitOn('*', cutWaiting),
  dropWaiting: assignOn('*', (state: BatchState) => stopSending(drop(state, waitingLines(state)), 'batch_expired')),
  cutAll: emitOn('*', (state: BatchState) => cutLines(state, state.inFlight, CANCELLED)),
  dropAll: assignOn('*', (state: BatchState) => stopSending(drop(state, state.inFlight), 'batch_cancelled')),
  fillUp: assignOn('*', (state: BatchState) => stopSending(state, 'results_full')),
  updateSlots: emitOn('*', updateSlots),
};
