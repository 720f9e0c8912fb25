/**
 * The batch's chart: its published states, and how it ends. `completing`, `expiring`, `failing` and
 * `cancelling` end when the results file is written; the first two are shown as `in_progress`, `failing` as
 * `validating`. A line's outcome and its charge are one commit. (rule B12, rule B18)
 */
import { setup } from 'xstate';
import type { Stamped } from '../runtime/index.ts';
import type { BatchStatus } from './batch-record.ts';
import { type BatchState, emptyBatch } from './batch-state.ts';
import * as lines from './lines.ts';
import * as results from './results.ts';
import * as status from './status.ts';
import * as submission from './submission.ts';

type BatchEvent =
  | submission.BatchSubmit
  | lines.LineEvent
  | results.ResultsEvent
  | status.BatchCancel
  /** Timer: the completion window closes. */
  | (Stamped & { readonly type: 'batch.expire' });

const chart = setup({
  types: {} as { context: BatchState; events: BatchEvent; input: { address: string } },
  guards: { ...submission.guards, ...lines.guards },
  actions: { ...submission.actions, ...lines.actions, ...results.actions, ...status.actions },
});

/** Writes the row of the batch, and answers with it, as one that has this status. */
const put = (as: BatchStatus) => ({ type: 'put', params: { status: as } }) as const;
const answer = (as: BatchStatus) => ({ type: 'answer', params: { status: as } }) as const;
const refuseCancel = (as: status.UncancellableStatus) => ({ type: 'refuseCancel', params: { status: as } }) as const;
/** Guard: what is left once the line of the event has ended. */
const endIs = (as: lines.EndCase) => ({ type: 'endIs', params: { as } }) as const;

/** What an outcome changes: the row with its charge, the counts, the slot, which the account may grant again. */
const END_LINE = ['recordOutcome', 'endLine', put('in_progress'), 'updateSlots'] as const;
const CANCEL = {
  target: 'cancelling',
  actions: [
    'cutAll',
    'dropAll',
    put('cancelling'),
    'updateSlots',
    'writeResults',
    'recordCancel',
    answer('cancelling'),
  ],
} as const;
const LINE_ENDS = [
  { guard: endIs('last'), target: 'completing', actions: [...END_LINE, 'writeResults'] },
  {
    guard: endIs('full'),
    target: 'completing',
    actions: ['recordOutcome', 'endLine', 'fillUp', put('in_progress'), 'updateSlots', 'writeResults'],
  },
  { actions: END_LINE },
] as const;
const LATE_LINE_ENDS = [
  { guard: endIs('last'), actions: [...END_LINE, 'writeResults'] },
  { actions: END_LINE },
] as const;
/** Once its results are being written, a batch has no line in flight: only its status can change. */
const CANCEL_WRITING = {
  target: 'cancelling',
  actions: [put('cancelling'), 'recordCancel', answer('cancelling')],
} as const;

export const batchMachine = chart.createMachine({
  id: 'batch',
  initial: 'validating',
  context: ({ input }) => emptyBatch(input.address),
  options: { maxIterations: 1000 },
  states: {
    validating: {
      on: {
        'batch.submit': [
          {
            guard: 'isNewButRefused',
            target: 'failing',
            actions: ['submit', 'fail', 'recordSubmission', put('validating'), 'writeResults', answer('validating')],
          },
          { guard: 'isNew', actions: ['submit', 'recordSubmission', put('validating'), answer('validating')] },
          { actions: answer('validating') },
        ],
        'slot.grant': { target: 'in_progress', actions: ['sendLines', 'takeSlots', put('in_progress')] },
        'batch.cancel': CANCEL,
        'batch.expire': {
          target: 'expiring',
          actions: ['dropWaiting', put('in_progress'), 'updateSlots', 'writeResults'],
        },
      },
    },
    in_progress: {
      on: {
        'batch.submit': { actions: answer('in_progress') },
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
        'batch.submit': { actions: answer('in_progress') },
        'batch.cancel': CANCEL_WRITING,
        'results.done': { target: 'completed', actions: ['finalize', 'endBatch', put('completed')] },
      },
    },
    failing: {
      on: {
        'batch.submit': { actions: answer('validating') },
        'batch.cancel': CANCEL_WRITING,
        'results.done': { target: 'failed', actions: ['finalize', 'endBatch', put('failed')] },
      },
    },
    // The window is closed: lines in flight end, nothing is sent.
    expiring: {
      on: {
        'batch.submit': { actions: answer('in_progress') },
        'line.done': LATE_LINE_ENDS,
        'line.done.refused': LATE_LINE_ENDS,
        'line.failed': [
          { guard: 'isLastToDrop', actions: ['cutFailed', 'dropFailed', 'updateSlots', 'writeResults'] },
          { guard: 'isRetriable', actions: ['cutFailed', 'dropFailed', 'updateSlots'] },
          ...LATE_LINE_ENDS,
        ],
        'batch.cancel': [{ guard: 'hasRunningLines', ...CANCEL }, CANCEL_WRITING],
        'results.done': { target: 'expired', actions: ['finalize', 'endBatch', put('expired')] },
      },
    },
    cancelling: {
      on: {
        'batch.submit': { actions: answer('cancelling') },
        'batch.cancel': { actions: answer('cancelling') },
        'results.done': { target: 'cancelled', actions: ['finalize', 'endBatch', put('cancelled')] },
      },
    },
    completed: {
      on: { 'batch.submit': { actions: answer('completed') }, 'batch.cancel': { actions: refuseCancel('completed') } },
    },
    failed: {
      on: { 'batch.submit': { actions: answer('failed') }, 'batch.cancel': { actions: refuseCancel('failed') } },
    },
    expired: {
      on: { 'batch.submit': { actions: answer('expired') }, 'batch.cancel': { actions: refuseCancel('expired') } },
    },
    cancelled: {
      on: { 'batch.submit': { actions: answer('cancelled') }, 'batch.cancel': { actions: answer('cancelled') } },
    },
  },
  on: {
    'slot.grant': { actions: 'returnSlots' },
    'line.attempt': { actions: 'followRun' },
    'results.attempt': {},
    'results.failed': { actions: 'scheduleResults' },
    'results.retry': { actions: 'repeatResults' },
    'batch.expire': {},
    'batch.forget': { actions: 'forget' },
  },
});
