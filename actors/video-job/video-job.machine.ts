/**
 * The chart of a video job: its table of states. `cancelling` waits for a provider to abort a render and is shown as
 * `in_progress`. Charge and outcome are one commit, and the job ends its hold in the commit that ends it. (rule V1,
 * rule V32)
 */
import { setup } from 'xstate';
import type { Stamped } from '../runtime/index.ts';
import * as clips from './clips.ts';
import { emptyJob, type VideoJobState } from './job.ts';
import type { VideoStatus } from './job-record.ts';
import * as outcome from './outcome.ts';
import * as render from './render.ts';
import * as shown from './shown.ts';
import * as submission from './submission.ts';

export type VideoJobEvent =
  | submission.JobSubmit
  | render.RenderEvent
  | outcome.OutcomeEvent
  | clips.ClipEvent
  | outcome.JobCancel
  /** Timers: a job that no endpoint can render fails; no render may end after this; the window of the clips closes; an
   * ended job is no longer shown. */
  | (Stamped & { readonly type: 'job.refuse' | 'job.deadline' | 'job.window' | 'job.forget' });

const chart = setup({
  types: {} as { context: VideoJobState; events: VideoJobEvent; input: { address: string } },
  guards: {
    ...submission.guards,
    ...render.guards,
    ...outcome.guards,
    ...clips.guards,
  },
  actions: { ...submission.actions, ...shown.actions, ...render.actions, ...outcome.actions, ...clips.actions },
});

/** Writes the row of the job, shows its change in the account's feed, and answers with it. */
const put = (status: VideoStatus) => ({ type: 'put', params: { status } }) as const;
const publishChange = (status: VideoStatus) => ({ type: 'publishChange', params: { status } }) as const;
const answer = (status: VideoStatus) => ({ type: 'answer', params: { status } }) as const;
const announce = (status: shown.AnnouncedStatus) => ({ type: 'announce', params: { status } }) as const;
const refuseCancel = (status: outcome.UncancellableVideo) => ({ type: 'refuseCancel', params: { status } }) as const;
const release = (as: outcome.ReleaseReason) => ({ type: 'release', params: { as } }) as const;
const failByService = (as: outcome.Fault) => ({ type: 'failByService', params: { as } }) as const;
const clipIs = (as: clips.ClipCase) => ({ type: 'clipIs', params: { as } }) as const;
const refuseClip = (as: clips.ClipRefusal) => ({ type: 'refuseClip', params: { as } }) as const;

const REFUSE_CLIP = [
  { guard: clipIs('unknown'), actions: refuseClip('unknown') },
  { guard: clipIs('gone'), actions: refuseClip('gone') },
  { actions: refuseClip('busy') },
] as const;
/** A render that no provider has accepted ends with its runner, or is aborted once its runner reports it (`AFTER_END`). */
const CANCEL_UNASKED = {
  guard: 'isUnasked',
  target: 'cancelled',
  actions: [
    'cutRender',
    'cancel',
    release('cancelled'),
    'endJob',
    put('cancelled'),
    'recordCancel',
    answer('cancelled'),
  ],
} as const;
const REFUSE_CANCEL = { actions: refuseCancel('in_progress') } as const;
const DEADLINE = {
  target: 'failed',
  actions: ['cutRender', 'failLate', release('late'), 'endJob', put('failed')],
} as const;
const RENDER_DONE = [
  {
    guard: 'isCompleted',
    target: 'completed',
    actions: ['end', 'settle', 'putClips', 'endJob', 'openWindow', put('completed'), announce('completed')],
  },
  { guard: 'isCharged', target: 'failed', actions: ['end', 'settle', 'endJob', put('failed')] },
  { target: 'failed', actions: ['end', 'releaseFailed', 'endJob', put('failed')] },
] as const;
const RENDER_DONE_REFUSED = {
  target: 'failed',
  actions: [failByService('uncharged'), 'releaseFailed', 'endJob', put('failed')],
} as const;
const RENDER_FAILS = [
  { guard: 'isLate', target: 'failed', actions: ['failLate', release('late'), 'endJob', put('failed')] },
  { target: 'failed', actions: [failByService('unrendered'), 'releaseFailed', 'endJob', put('failed')] },
] as const;
/** A provider accepted the render after the job had ended: it is aborted there, uncharged. */
const AFTER_END = {
  'render.submitted': [
    { guard: 'isLeftRunning', actions: ['keepRemote', 'abortRender', 'answerStale'] },
    { actions: 'refuseStale' },
  ],
  'abort.done': { actions: 'dropRemote' },
  'abort.failed': [{ guard: 'mayAbortAgain', actions: 'scheduleRetry' }, { actions: 'dropRemote' }],
  'abort.retry': { actions: 'repeatAbort' },
} as const;

export const videoJobMachine = chart.createMachine({
  id: 'video-job',
  initial: 'pending',
  context: ({ input }) => emptyJob(input.address),
  options: { maxIterations: 1000 },
  states: {
    pending: {
      on: {
        'job.submit': [
          {
            guard: 'isNew',
            actions: ['submit', 'recordSubmission', put('pending'), publishChange('pending'), answer('pending')],
          },
          { actions: answer('pending') },
        ],
        'render.begin': [
          { guard: 'isCurrent', target: 'in_progress', actions: ['markProcessed', put('in_progress'), 'answerBegun'] },
          { actions: 'refuseStale' },
        ],
        'render.done': RENDER_DONE,
        'render.done.refused': RENDER_DONE_REFUSED,
        'render.failed': [
          { guard: 'isRepeatable', actions: ['scheduleRetry', 'awaitRetry', put('pending')] },
          ...RENDER_FAILS,
        ],
        'render.attempt': { actions: ['followRun', put('pending')] },
        'render.retry': { actions: ['repeatRender', 'resumeRender'] },
        'job.refuse': { target: 'in_progress', actions: ['markProcessed', 'refuseSoon', put('in_progress')] },
        'job.cancel': [
          CANCEL_UNASKED,
          {
            guard: 'isAbortable',
            target: 'cancelling',
            actions: [
              'cutRender',
              'abortRender',
              put('in_progress'),
              publishChange('in_progress'),
              'recordCancel',
              answer('in_progress'),
            ],
          },
          REFUSE_CANCEL,
        ],
        'job.deadline': DEADLINE,
      },
    },
    in_progress: {
      entry: publishChange('in_progress'),
      on: {
        'job.submit': { actions: answer('in_progress') },
        'render.begin': [{ guard: 'isCurrent', actions: 'answerBegun' }, { actions: 'refuseStale' }],
        'render.submitted': [
          { guard: 'isCurrent', actions: ['keepRemote', 'answerBegun'] },
          { actions: 'refuseStale' },
        ],
        'render.moved': [
          { guard: 'isCurrent', actions: ['moveOn', put('in_progress'), 'answerBegun'] },
          { actions: 'refuseStale' },
        ],
        'render.done': RENDER_DONE,
        'render.done.refused': RENDER_DONE_REFUSED,
        'render.failed': [
          {
            guard: 'isRepeatable',
            target: 'pending',
            actions: ['scheduleRetry', 'awaitRetry', put('pending'), publishChange('pending')],
          },
          ...RENDER_FAILS,
        ],
        // The runner died before anything was charged.
        'render.attempt': { target: 'pending', actions: ['followRun', put('pending'), publishChange('pending')] },
        'job.refuse': { target: 'failed', actions: ['failUnrenderable', 'releaseFailed', 'endJob', put('failed')] },
        'job.cancel': [
          CANCEL_UNASKED,
          {
            guard: 'isAbortable',
            target: 'cancelling',
            actions: ['cutRender', 'abortRender', 'recordCancel', answer('in_progress')],
          },
          REFUSE_CANCEL,
        ],
        'job.deadline': DEADLINE,
      },
    },
    cancelling: {
      on: {
        'job.submit': { actions: answer('in_progress') },
        'job.cancel': { actions: answer('in_progress') },
        'abort.done': [
          {
            guard: 'isAbortCharged',
            target: 'cancelled',
            actions: ['cancelCharged', 'settle', 'endJob', put('cancelled')],
          },
          { target: 'cancelled', actions: ['cancel', release('cancelled'), 'endJob', put('cancelled')] },
        ],
        'abort.done.refused': {
          target: 'cancelled',
          actions: ['cancel', release('cancelled'), 'endJob', put('cancelled')],
        },
        'abort.failed': [
          { guard: 'mayAbortAgain', actions: 'scheduleRetry' },
          { target: 'cancelled', actions: ['cancel', release('cancelled'), 'endJob', put('cancelled')] },
        ],
        'abort.retry': { actions: 'repeatAbort' },
        'job.deadline': {
          target: 'cancelled',
          actions: ['cutAbort', 'cancel', release('cancelled'), 'endJob', put('cancelled')],
        },
      },
    },
    completed: {
      entry: publishChange('completed'),
      on: {
        'job.submit': { actions: answer('completed') },
        'job.cancel': { actions: refuseCancel('completed') },
        'clip.show': [{ guard: clipIs('open'), actions: 'showClip' }, ...REFUSE_CLIP],
        'clip.open': [{ guard: clipIs('open'), actions: ['openClip', 'markFetched'] }, ...REFUSE_CLIP],
        'job.window': [
          { guard: 'isFetched', actions: 'removeOver' },
          { target: 'expired', actions: ['removeOver', put('expired'), announce('expired')] },
        ],
      },
    },
    failed: {
      entry: publishChange('failed'),
      on: {
        'job.submit': { actions: answer('failed') },
        'job.cancel': { actions: refuseCancel('failed') },
        ...AFTER_END,
      },
    },
    cancelled: {
      entry: publishChange('cancelled'),
      on: {
        'job.submit': { actions: answer('cancelled') },
        'job.cancel': { actions: answer('cancelled') },
        ...AFTER_END,
      },
    },
    expired: {
      entry: publishChange('expired'),
      on: {
        'job.submit': { actions: answer('expired') },
        'job.cancel': { actions: refuseCancel('expired') },
        'clip.show': { actions: refuseClip('gone') },
        'clip.open': { actions: refuseClip('gone') },
      },
    },
  },
  on: {
    'render.begin': { actions: 'refuseStale' },
    'render.submitted': { actions: 'refuseStale' },
    'render.moved': { actions: 'refuseStale' },
    'render.attempt': {},
    'render.retry': {},
    'abort.attempt': {},
    'abort.retry': {},
    'clip.show': { actions: refuseClip('unready') },
    'clip.open': { actions: refuseClip('unready') },
    'clip.close': { actions: 'closeClip' },
    'clip.expire': { actions: 'removeOver' },
    'reader.expire': { actions: 'loseReaders' },
    'reader.lost': { actions: 'loseReaders' },
    'removal.done': {},
    'removal.attempt': {},
    'removal.failed': { actions: 'scheduleRemoval' },
    'removal.retry': { actions: 'repeatRemoval' },
    'job.refuse': {},
    'job.deadline': {},
    'job.window': {},
    'job.forget': { actions: 'forget' },
  },
});
