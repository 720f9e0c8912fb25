/**
 * The batch's chart: the states of the specification, and how it ends. `completing`, `expiring`, `failing` and
 * `cancelling` end when the results file is written; the first two are shown as `in_progress`, `failing` as
 * `validating`. A line's outcome and its charge are one commit. (spec: inference, Batch status; Batch rules)
 */
import { assign, setup } from 'xstate';
import { emit } from '../runtime/index.ts';
import { only } from '../terms/only.ts';
import * as effects from './batch-effects.ts';
import * as states from './batch-state.ts';
import type { BatchEvent } from './events.ts';
import * as lines from './line-effects.ts';

type BatchState = states.BatchState;
type Ended = Parameters<typeof lines.outcomeOf>[0];
type Args = { readonly context: BatchState; readonly event: BatchEvent };

/** The event with an outcome of a line. */
function ended(event: BatchEvent): Ended {
  return only(event, 'line.done', 'line.done.refused', 'line.failed');
}

function afterEnd({ context, event }: Args): BatchState {
  const end = ended(event);
  return states.counted(states.without(context, lines.indexOf(end)), lines.outcomeOf(end));
}

function afterDrop({ context, event }: Args): BatchState {
  return states.without(context, lines.indexOf(only(event, 'line.failed')));
}

function lineOf({ context, event }: Args): states.LineInFlight[] {
  const line = states.inFlight(context, lines.indexOf(only(event, 'line.failed')));
  return line === null ? [] : [line];
}

const EXPIRED = 'the completion window of its batch closed';
const CANCELLED = 'its batch was cancelled';

const chart = setup({
  types: {} as { context: BatchState; events: BatchEvent; input: { address: string } },
  guards: {
    isNew: ({ context }) => context.submitted === null,
    isNewButRefused: ({ context, event }) =>
      context.submitted === null && only(event, 'batch.submit').batch.lines.every((line) => 'refused' in line),
    isRetriable: ({ event }) => only(event, 'line.failed').failure.retriable,
    isLastToEnd: (args) => {
      const { inFlight, unsent, unsentAs } = afterEnd(args);
      return inFlight.length === 0 && (unsent === 0 || unsentAs !== null);
    },
    isOutOfRoom: (args) => {
      const after = afterEnd(args);
      return after.inFlight.length === 0 && states.wanted(after) === 0;
    },
    isLastToDrop: (args) => only(args.event, 'line.failed').failure.retriable && afterDrop(args).inFlight.length === 0,
    hasRunningLines: ({ context }) => context.inFlight.some(({ waits }) => waits === undefined),
  },
  actions: {
    submit: assign(({ context, event }) => states.submit(context, only(event, 'batch.submit'))),
    fail: assign(({ context }) => states.fail(context)),
    recordSubmission: emit<BatchState, BatchEvent>(({ context, event }) =>
      effects.recordSubmission(context, only(event, 'batch.submit')),
    ),

    // `send...` and `cut...` come before the assignment: they follow from the state before the event.
    sendLines: emit<BatchState, BatchEvent>(({ context, event }) =>
      lines.sendLines(context, only(event, 'slot.grant')),
    ),
    takeSlots: assign(({ context, event }) => {
      const { rows, count } = only(event, 'slot.grant');
      return states.send(context, states.linesToSend(context, rows.next ?? [], count));
    }),
    recordOutcome: emit<BatchState, BatchEvent>(({ context, event }) => lines.recordOutcome(context, ended(event))),
    endLine: assign((args) => afterEnd(args)),
    scheduleRetry: emit<BatchState, BatchEvent>(({ event }) => lines.scheduleRetry(only(event, 'line.failed'))),
    awaitRetry: assign(({ context, event }) => {
      const failed = only(event, 'line.failed');
      const waits = { until: lines.retryAt(failed), why: `${failed.failure.code}: ${failed.failure.message}` };
      return states.withLine(context, { index: lines.indexOf(failed), attempt: failed.attempt + 1, waits });
    }),
    repeatLine: emit<BatchState, BatchEvent>(({ context, event }) =>
      lines.repeatLine(context, only(event, 'line.retry')),
    ),
    resumeLine: assign(({ context, event }) => {
      const retry = only(event, 'line.retry');
      return states.withLine(context, { index: lines.indexOf(retry), attempt: retry.repeats.attempt + 1 });
    }),
    followAttempt: assign(({ context, event }) => {
      const next = only(event, 'line.attempt');
      return states.withLine(context, { index: lines.indexOf(next), attempt: next.attempt });
    }),
    cutFailed: emit<BatchState, BatchEvent>((args) => lines.cutLines(args.context, lineOf(args), EXPIRED)),
    dropFailed: assign((args) => afterDrop(args)),
    cutWaiting: emit<BatchState, BatchEvent>(({ context }) =>
      lines.cutLines(context, states.waitingLines(context), EXPIRED),
    ),
    dropWaiting: assign(({ context }) =>
      states.stopSending(states.drop(context, states.waitingLines(context)), 'batch_expired'),
    ),
    cutAll: emit<BatchState, BatchEvent>(({ context }) => lines.cutLines(context, context.inFlight, CANCELLED)),
    dropAll: assign(({ context }) => states.stopSending(states.drop(context, context.inFlight), 'batch_cancelled')),
    fillUp: assign(({ context }) => states.stopSending(context, 'results_full')),
    updateSlots: emit<BatchState, BatchEvent>(({ context }) => lines.updateSlots(context)),
    returnSlots: emit<BatchState, BatchEvent>(({ context }) => effects.returnSlots(context)),

    writeResults: emit<BatchState, BatchEvent>(({ context, event }) => effects.performResults(context, event.at)),
    scheduleResults: emit<BatchState, BatchEvent>(({ event }) =>
      effects.scheduleResults(only(event, 'results.failed')),
    ),
    repeatResults: emit<BatchState, BatchEvent>(({ context, event }) =>
      effects.repeatResults(context, only(event, 'results.retry')),
    ),
    finalize: assign(({ context, event }) => {
      const { result, at } = only(event, 'results.done');
      return states.finalize(context, at, result);
    }),
    endBatch: emit<BatchState, BatchEvent>(({ context, event }) =>
      effects.endBatch(context, only(event, 'results.done')),
    ),
    forget: emit<BatchState, BatchEvent>(({ context }) => effects.forget(context)),

    putValidating: emit<BatchState, BatchEvent>(({ context, event }) =>
      effects.putBatch(context, 'validating', event.at),
    ),
    putInProgress: emit<BatchState, BatchEvent>(({ context, event }) =>
      effects.putBatch(context, 'in_progress', event.at),
    ),
    putCancelling: emit<BatchState, BatchEvent>(({ context, event }) =>
      effects.putBatch(context, 'cancelling', event.at),
    ),
    putCompleted: emit<BatchState, BatchEvent>(({ context, event }) =>
      effects.putBatch(context, 'completed', event.at),
    ),
    putFailed: emit<BatchState, BatchEvent>(({ context, event }) => effects.putBatch(context, 'failed', event.at)),
    putExpired: emit<BatchState, BatchEvent>(({ context, event }) => effects.putBatch(context, 'expired', event.at)),
    putCancelled: emit<BatchState, BatchEvent>(({ context, event }) =>
      effects.putBatch(context, 'cancelled', event.at),
    ),
    answerValidating: emit<BatchState, BatchEvent>(({ context }) => effects.answerBatch(context, 'validating')),
    answerInProgress: emit<BatchState, BatchEvent>(({ context }) => effects.answerBatch(context, 'in_progress')),
    answerCancelling: emit<BatchState, BatchEvent>(({ context }) => effects.answerBatch(context, 'cancelling')),
    answerCompleted: emit<BatchState, BatchEvent>(({ context }) => effects.answerBatch(context, 'completed')),
    answerFailed: emit<BatchState, BatchEvent>(({ context }) => effects.answerBatch(context, 'failed')),
    answerExpired: emit<BatchState, BatchEvent>(({ context }) => effects.answerBatch(context, 'expired')),
    answerCancelled: emit<BatchState, BatchEvent>(({ context }) => effects.answerBatch(context, 'cancelled')),
    refuseCompleted: emit(() => effects.refuseEnded('completed')),
    refuseFailed: emit(() => effects.refuseEnded('failed')),
    refuseExpired: emit(() => effects.refuseEnded('expired')),
  },
});

/** What an outcome changes: the row with its charge, the counts, the slot, which the account may grant again. */
const END_LINE = ['recordOutcome', 'endLine', 'putInProgress', 'updateSlots'] as const;
const CANCEL = {
  target: 'cancelling',
  actions: ['cutAll', 'dropAll', 'putCancelling', 'updateSlots', 'writeResults', 'answerCancelling'],
} as const;
const LINE_ENDS = [
  { guard: 'isLastToEnd', target: 'completing', actions: [...END_LINE, 'writeResults'] },
  {
    guard: 'isOutOfRoom',
    target: 'completing',
    actions: ['recordOutcome', 'endLine', 'fillUp', 'putInProgress', 'updateSlots', 'writeResults'],
  },
  { actions: END_LINE },
] as const;
const LATE_LINE_ENDS = [
  { guard: 'isLastToEnd', actions: [...END_LINE, 'writeResults'] },
  { actions: END_LINE },
] as const;
/** Once its results are being written, a batch has no line in flight: only its status can change. */
const CANCEL_WRITING = { target: 'cancelling', actions: ['putCancelling', 'answerCancelling'] } as const;

export const batchMachine = chart.createMachine({
  id: 'batch',
  initial: 'validating',
  context: ({ input }) => states.emptyBatch(input.address),
  options: { maxIterations: 1000 },
  states: {
    validating: {
      on: {
        'batch.submit': [
          {
            guard: 'isNewButRefused',
            target: 'failing',
            actions: ['submit', 'fail', 'recordSubmission', 'putValidating', 'writeResults', 'answerValidating'],
          },
          { guard: 'isNew', actions: ['submit', 'recordSubmission', 'putValidating', 'answerValidating'] },
          { actions: 'answerValidating' },
        ],
        'slot.grant': { target: 'in_progress', actions: ['sendLines', 'takeSlots', 'putInProgress'] },
        'batch.cancel': CANCEL,
        'batch.expire': {
          target: 'expiring',
          actions: ['dropWaiting', 'putInProgress', 'updateSlots', 'writeResults'],
        },
      },
    },
    in_progress: {
      on: {
        'batch.submit': { actions: 'answerInProgress' },
        'slot.grant': { actions: ['sendLines', 'takeSlots'] },
        'line.done': LINE_ENDS,
        'line.done.refused': LINE_ENDS,
        'line.failed': [{ guard: 'isRetriable', actions: ['scheduleRetry', 'awaitRetry'] }, ...LINE_ENDS],
        'line.retry': { actions: ['repeatLine', 'resumeLine'] },
        'batch.cancel': CANCEL,
        'batch.expire': [
          {
            guard: 'hasRunningLines',
            target: 'expiring',
            actions: ['cutWaiting', 'dropWaiting', 'updateSlots'],
          },
          { target: 'expiring', actions: ['cutWaiting', 'dropWaiting', 'updateSlots', 'writeResults'] },
        ],
      },
    },
    completing: {
      on: {
        'batch.submit': { actions: 'answerInProgress' },
        'batch.cancel': CANCEL_WRITING,
        'results.done': { target: 'completed', actions: ['finalize', 'endBatch', 'putCompleted'] },
      },
    },
    failing: {
      on: {
        'batch.submit': { actions: 'answerValidating' },
        'batch.cancel': CANCEL_WRITING,
        'results.done': { target: 'failed', actions: ['finalize', 'endBatch', 'putFailed'] },
      },
    },
    // The window is closed: lines in flight end, nothing is sent.
    expiring: {
      on: {
        'batch.submit': { actions: 'answerInProgress' },
        'line.done': LATE_LINE_ENDS,
        'line.done.refused': LATE_LINE_ENDS,
        'line.failed': [
          { guard: 'isLastToDrop', actions: ['cutFailed', 'dropFailed', 'updateSlots', 'writeResults'] },
          { guard: 'isRetriable', actions: ['cutFailed', 'dropFailed', 'updateSlots'] },
          ...LATE_LINE_ENDS,
        ],
        'batch.cancel': [{ guard: 'hasRunningLines', ...CANCEL }, CANCEL_WRITING],
        'results.done': { target: 'expired', actions: ['finalize', 'endBatch', 'putExpired'] },
      },
    },
    cancelling: {
      on: {
        'batch.submit': { actions: 'answerCancelling' },
        'batch.cancel': { actions: 'answerCancelling' },
        'results.done': { target: 'cancelled', actions: ['finalize', 'endBatch', 'putCancelled'] },
      },
    },
    completed: {
      on: { 'batch.submit': { actions: 'answerCompleted' }, 'batch.cancel': { actions: 'refuseCompleted' } },
    },
    failed: { on: { 'batch.submit': { actions: 'answerFailed' }, 'batch.cancel': { actions: 'refuseFailed' } } },
    expired: { on: { 'batch.submit': { actions: 'answerExpired' }, 'batch.cancel': { actions: 'refuseExpired' } } },
    cancelled: {
      on: { 'batch.submit': { actions: 'answerCancelled' }, 'batch.cancel': { actions: 'answerCancelled' } },
    },
  },
  on: {
    'slot.grant': { actions: 'returnSlots' },
    'line.attempt': { actions: 'followAttempt' },
    'results.attempt': {},
    'results.failed': { actions: 'scheduleResults' },
    'results.retry': { actions: 'repeatResults' },
    'batch.expire': {},
    'batch.forget': { actions: 'forget' },
  },
});
