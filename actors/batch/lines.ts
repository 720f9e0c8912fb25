/**
 * The lines of a batch: sent as the account grants slots, repeated, recorded together with their charge, or cut. A line's
 * run is an activity.
 */
import {
  type ActorEvent,
  assignOn,
  type Effect,
  emitOn,
  guardOn,
  type Repeats,
  type RowRef,
  type RowView,
  rowsOn,
  type Stamped,
  verdictOn,
} from '../runtime/index.ts';
import { firstRow, plain } from '../terms/chart-tools.ts';
import { HOLDS_PER_RUN_MAX, holdAttempt, type Release, type Settlement } from '../terms/hold.ts';
import { accountAddress, lineGenerationId } from '../terms/ids.ts';
import { type BatchState, type LineInFlight, type Submitted, submittedOf } from './batch-state.ts';
import {
  failedOutcome,
  LINE_BYTES_MAX,
  type LineOutcome,
  type LineRecord,
  NEXT_LINES,
  UNSENT_LINE_BYTES_MAX,
  type UnsentType,
} from './line-record.ts';

/** Lines of an account in flight over all nodes. (rule B15) */
export const IN_FLIGHT_MAX = 8;
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

/** From the account: so many further lines may be sent. Never more than the batch asked for. */
type SlotGrant = Stamped & { readonly type: 'slot.grant'; readonly count: number };

/** What a finished run of a line resolves with. */
export type LineResult = {
  readonly outcome: LineOutcome;
  /** The charge, committed with the outcome; null without one. */
  readonly settlement: Settlement | null;
};

type LineDone = Stamped & { readonly type: 'line.done'; readonly id: string; readonly result: LineResult };
/** The account refused the charge, so the reply is not delivered either. */
type LineDoneRefused = Stamped & {
  readonly type: 'line.done.refused';
  readonly id: string;
  readonly result: LineResult;
};
export type LineFailed = Stamped & {
  readonly type: 'line.failed';
  readonly id: string;
  readonly attempt: number;
  readonly key: string;
  readonly failure: { readonly code: string; readonly message: string; readonly retriable: boolean };
};
/** The runner died; the next run begins. `attempt` is its number, in the runtime's word. */
type LineAttempt = Stamped & { readonly type: 'line.attempt'; readonly id: string; readonly attempt: number };
/** Timer: a failed run is repeated. */
type LineRetry = Stamped & { readonly type: 'line.retry'; readonly id: string; readonly repeats: Repeats };
/** The events with an outcome of a line. */
export type LineEnd = LineDone | LineDoneRefused | LineFailed;
export const LINE_END = ['line.done', 'line.done.refused', 'line.failed'] as const;
export type LineEvent = SlotGrant | LineEnd | LineAttempt | LineRetry;

/** Lines that could be sent now beside those in flight: by number, by slots, and by the room of the results file. */
export function wanted(state: BatchState): number {
  if (state.unsentAs !== null) return 0;
  const { unsent, inFlight, resultBytes } = state;
  const { resultsBytesMax } = submittedOf(state).bounds;
  const left = resultsBytesMax - resultBytes - unsent * UNSENT_LINE_BYTES_MAX;
  const byRoom = Math.floor(left / LINE_BYTES_MAX);
  return Math.max(0, Math.min(unsent, IN_FLIGHT_MAX - inFlight.length, byRoom - inFlight.length));
}

/** The unsent lines among the first open ones, as many as were granted. */
function linesToSend({ next }: BatchState, rows: readonly RowView[], count: number): readonly LineRecord[] {
  const open = rows.map(({ body }) => body as unknown as LineRecord);
  return open.filter(({ index }) => index >= next).slice(0, count);
}

function takeSlots(state: BatchState, { rows, count }: SlotGrant): BatchState {
  const lines = linesToSend(state, rows.next ?? [], count);
  const sent = lines.map(({ index }) => ({ index, run: 1 }));
  const last = lines.at(-1);
  return {
    ...state,
    next: last === undefined ? state.next : last.index + 1,
    unsent: state.unsent - lines.length,
    inFlight: [...state.inFlight, ...sent],
  };
}

function inFlight(state: BatchState, index: number): LineInFlight | null {
  return state.inFlight.find((line) => line.index === index) ?? null;
}

/** Frees the slot of a line. */
export function without(state: BatchState, index: number): BatchState {
  return { ...state, inFlight: state.inFlight.filter((line) => line.index !== index) };
}

/** Replaces the entry of a line in flight. */
function withLine(state: BatchState, line: LineInFlight): BatchState {
  return { ...state, inFlight: state.inFlight.map((other) => (other.index === line.index ? line : other)) };
}

/** Counts an outcome. */
export function counted(state: BatchState, outcome: LineOutcome): BatchState {
  const resultBytes = state.resultBytes + outcome.bytes;
  if ('reply' in outcome) return { ...state, resultBytes, completed: state.completed + 1 };
  const { type } = outcome.error;
  const failures = { ...state.failures, [type]: (state.failures[type] ?? 0) + 1 };
  return { ...state, resultBytes, failed: state.failed + 1, failures };
}

/** Nothing more is sent; lines without an outcome are listed as `type`. Only those without room count as failed. */
function stopSending(state: BatchState, type: UnsentType): BatchState {
  if (state.unsentAs === 'results_full') return state;
  const stopped = { ...state, unsentAs: type };
  if (type !== 'results_full') return stopped;
  const { unsent, failed, failures } = state;
  return { ...stopped, failed: failed + unsent, failures: { ...failures, [type]: unsent } };
}

/** Drops lines in flight without an outcome: all of them, or those that wait for their next run. */
function drop(state: BatchState, lines: readonly LineInFlight[]): BatchState {
  return { ...state, inFlight: state.inFlight.filter((line) => !lines.includes(line)) };
}

function waitingLines(state: BatchState): readonly LineInFlight[] {
  return state.inFlight.filter(({ waits }) => waits !== undefined);
}

/** Sends the first unsent lines, from the state before they are counted as sent. */
function sendLines(state: BatchState, event: SlotGrant): Effect[] {
  return linesToSend(state, event.rows.next ?? [], event.count).map((line) => performLine(state, line, event.at));
}

function performLine(state: BatchState, line: LineRecord, at: number): Effect & { readonly type: 'perform' } {
  const { bounds, createdAt: _, id: batch, ...submitted } = submittedOf(state);
  const { index, customId, body } = line;
  if (body === null) throw new Error(`line ${index} was refused and cannot be sent`);
  const input = plain({ ...submitted, batch, index, customId, ...body } satisfies LineInput);
  return { type: 'perform', name: 'line', id: lineName(index), input, deadlineAt: at + bounds.lineMs };
}

/** The name of a line's row, activity and timer. */
export function lineName(index: number): string {
  return String(index);
}

export function indexOf({ id }: { readonly id: string }): number {
  return Number(id);
}

/**
 * When a failed run is repeated. Lines that wait for money are spread over the pause: repeated together, one of them
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
function outcomeOf(event: LineEnd): LineOutcome {
  if (event.type === 'line.done') return event.result.outcome;
  const { customId } = lineOf(event);
  const message =
    event.type === 'line.failed'
      ? 'This request could not be run: the nodes that ran it failed each time'
      : 'The charge of this request was refused, so its reply was not kept; nothing was charged';
  return failedOutcome(customId, { type: 'server', code: 500, message, param: null }, null);
}

/**
 * Outcome and charge: one commit. An outcome without a charge ends what an earlier run may have left held; a single run
 * has released its hold itself.
 */
export function recordOutcome(state: BatchState, event: LineEnd): Effect[] {
  const line = lineOf(event);
  const body = plain({ ...line, outcome: outcomeOf(event) } satisfies LineRecord);
  const put: Effect = { type: 'put', collection: 'line', id: event.id, body };
  const settlement = event.type === 'line.done' ? event.result.settlement : null;
  if (settlement !== null) return [put, toAccount(state, { type: 'hold.settle', settlement: plain(settlement) })];
  const running = inFlight(state, line.index);
  const isSingle = running === null || (running.run === 1 && event.type === 'line.done');
  return isSingle ? [put] : [put, releaseHolds(state, [running], 'it ended without a charge')];
}

/** Reports the slots in use and the wishes; the account grants free ones in the same commit. */
function updateSlots(state: BatchState): Effect {
  const { id } = submittedOf(state);
  return toAccount(state, { type: 'slot.update', batch: id, slots: state.inFlight.length, wants: wanted(state) });
}

/** A grant that arrives when nothing more may be sent is returned. */
function returnSlots(state: BatchState): Effect {
  const { id } = submittedOf(state);
  return toAccount(state, { type: 'slot.update', batch: id, slots: state.inFlight.length, wants: 0 });
}

/** Ends lines in flight without an outcome: their runs are aborted, and their holds are released in this commit. */
function cutLines(state: BatchState, lines: readonly LineInFlight[], reason: string): Effect[] {
  if (lines.length === 0) return [];
  const stops = lines.map(({ index, waits }): Effect => {
    const name = lineName(index);
    return waits === undefined ? { type: 'cancel', perform: name } : { type: 'cancel', name: retryTimer(name) };
  });
  return [...stops, releaseHolds(state, lines, reason)];
}

function releaseHolds(state: BatchState, lines: readonly LineInFlight[], reason: string): Effect {
  const { id, key } = submittedOf(state);
  const releases = lines.map(({ index, run }) => ({
    generation: lineGenerationId(id, index),
    // The highest that this run can have requested.
    attempt: holdAttempt(run, HOLDS_PER_RUN_MAX - 1),
    reason,
    status: null,
    attempts: [],
  })) satisfies readonly Release[];
  return toAccount(state, { type: 'holds.release', key, releases: plain(releases) });
}

function toAccount(state: BatchState, event: ActorEvent): Effect {
  return { type: 'send', to: accountAddress(submittedOf(state).account), event };
}

function lineOf(event: LineEnd | LineRetry): LineRecord {
  const line = firstRow<LineRecord>(event, 'line');
  if (line === null) throw new Error(`${event.type} has no row of line ${event.id}`);
  return line;
}

function afterEnd(state: BatchState, event: LineEnd): BatchState {
  return counted(without(state, indexOf(event)), outcomeOf(event));
}

function afterDrop(state: BatchState, event: LineFailed): BatchState {
  return without(state, indexOf(event));
}

export type EndCase =
  /** No line is in flight, and none is left to be sent. */
  | 'last'
  /** No line is in flight, and the results file has no room for a further one. */
  | 'full'
  | 'more';

function judgeEnd(state: BatchState, event: LineEnd): EndCase {
  const after = afterEnd(state, event);
  if (after.inFlight.length > 0) return 'more';
  if (after.unsent === 0 || after.unsentAs !== null) return 'last';
  return wanted(after) === 0 ? 'full' : 'more';
}

function awaitRetry(state: BatchState, event: LineFailed): BatchState {
  const { attempt, failure } = event;
  const waits = { until: retryAt(event), why: `${failure.code}: ${failure.message}` };
  return withLine(state, { index: indexOf(event), run: attempt + 1, waits });
}

function followRun(state: BatchState, event: LineAttempt): BatchState {
  return withLine(state, { index: indexOf(event), run: event.attempt });
}

function resumeLine(state: BatchState, event: LineRetry): BatchState {
  return withLine(state, { index: indexOf(event), run: event.repeats.attempt + 1 });
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

function lineRef({ id }: { readonly id: string }): readonly RowRef[] {
  return [{ as: 'line', collection: 'line', id, mayBeStored: false }];
}

export const batchRows = rowsOn({
  'slot.grant': () => [{ as: 'next', collection: 'line', next: NEXT_LINES }],
  'line.done': lineRef,
  'line.done.refused': lineRef,
  'line.failed': lineRef,
  'line.retry': lineRef,
});

export const guards = {
  isRetriable: guardOn('line.failed', (_: BatchState, { failure }: LineFailed) => failure.retriable),
  endIs: verdictOn(LINE_END, judgeEnd),
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
  followRun: assignOn('line.attempt', followRun),
  cutFailed: emitOn('line.failed', cutFailed),
  dropFailed: assignOn('line.failed', afterDrop),
  cutWaiting: emitOn('*', cutWaiting),
  dropWaiting: assignOn('*', (state: BatchState) => stopSending(drop(state, waitingLines(state)), 'batch_expired')),
  cutAll: emitOn('*', (state: BatchState) => cutLines(state, state.inFlight, CANCELLED)),
  dropAll: assignOn('*', (state: BatchState) => stopSending(drop(state, state.inFlight), 'batch_cancelled')),
  fillUp: assignOn('*', (state: BatchState) => stopSending(state, 'results_full')),
  updateSlots: emitOn('*', updateSlots),
  returnSlots: emitOn('*', returnSlots),
};
