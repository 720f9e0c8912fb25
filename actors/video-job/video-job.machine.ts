/**
 * The chart of a video job: its table of states. `cancelling` waits for a provider to abort a render and is shown as
 * `in_progress`. Charge and outcome are one commit, and the job ends its hold in the commit that ends it. (rule V1,
 * rule V32)
 */
import { assign, setup } from 'xstate';
import { type Effect, emit } from '../runtime/index.ts';
import { only } from '../terms/chart-tools.ts';
import { announceWebhook, type WebhookType } from '../terms/webhook.ts';
import * as clips from './clip-effects.ts';
import { attemptsOf, type RenderResult, type VideoJobEvent } from './events.ts';
import { jobDocument } from './job-document.ts';
import * as effects from './job-effects.ts';
import type { VideoStatus } from './job-record.ts';
import * as states from './job-state.ts';

type State = states.VideoJobState;
type Args = { readonly context: State; readonly event: VideoJobEvent };

const CANCELLED = 'its video job was cancelled';
const FAILED = 'its video job failed';
const LATE = 'its video job had no outcome before its deadline';
const LATE_ERROR = states.errorOf(504, 'timeout', 'The render did not end in time; nothing was charged');
const UNRENDERED = 'The service could not render this job: the nodes that ran it failed each time';
const UNCHARGED = 'The charge of this render was refused, so its clips were not kept; nothing was charged';

function resultOf(event: VideoJobEvent): RenderResult {
  return only(event, 'render.done').result;
}

function put(status: VideoStatus) {
  return emit<State, VideoJobEvent>(({ context }) => effects.putJob(context, status));
}

function show(status: VideoStatus) {
  return emit<State, VideoJobEvent>(({ context, event }) => effects.putJobChange(context, status, event.at));
}

function answer(status: VideoStatus) {
  return emit<State, VideoJobEvent>(({ context }) => effects.answerJob(context, status));
}

function announce(type: WebhookType, status: VideoStatus) {
  return emit<State, VideoJobEvent>(({ context, event: { at } }): Effect[] => {
    const { account, id: job, callbackUrl: url, bounds } = states.submittedOf(context);
    if (url === null) return [];
    const document = jobDocument(effects.recordOf(context, status));
    return [announceWebhook({ account, job, type, at, url, document, retentionMs: bounds.retentionMs })];
  });
}

function release(reason: string) {
  return emit<State, VideoJobEvent>(({ context }) => effects.release(context, reason));
}

function releaseFailed(context: State, event: VideoJobEvent): Effect {
  const isDone = event.type === 'render.done' || event.type === 'render.done.refused';
  return effects.release(context, context.error?.message ?? FAILED, isDone ? attemptsOf(event.result) : []);
}

/** The message of a runner whose attempt is not the current one. */
function isCurrent({ context, event }: Args): boolean {
  const { attempt } = only(event, 'render.begin', 'render.submitted', 'render.moved');
  return context.waits === null && attempt === context.attempt;
}

const chart = setup({
  types: {} as { context: State; events: VideoJobEvent; input: { address: string } },
  guards: {
    isNew: ({ context }) => context.submitted === null,
    isCurrent,
    isCompleted: ({ event }) => resultOf(event).outcome === 'completed',
    isCharged: ({ event }) => resultOf(event).settlement !== null,
    isRepeatable: ({ context, event }) => states.isRepeatable(context, only(event, 'render.failed')),
    isLate: ({ context, event }) =>
      only(event, 'render.failed').failure.retriable && event.at >= states.submittedOf(context).deadlineAt,
    isLeftRunning: ({ context, event }) => states.isLeftRunning(context, only(event, 'render.submitted')),
    isUnasked: ({ context }) => context.remote === null,
    isAbortable: ({ context }) => states.isAbortable(context),
    mayAbortAgain: ({ event }) => {
      const { failure, attempt } = only(event, 'abort.failed');
      return failure.retriable && attempt < effects.ABORTS_MAX;
    },
    isAbortCharged: ({ event }) => only(event, 'abort.done').result.settlement !== null,
    mayOpen: ({ context, event }) => clips.judgeOpen(context, only(event, 'clip.open', 'clip.show')) === 'open',
    isFetched: ({ context }) => context.fetched,
  },
  actions: {
    submit: assign(({ context, event }) => states.submit(context, only(event, 'job.submit'))),
    recordSubmission: emit<State, VideoJobEvent>(({ context, event }) =>
      effects.recordSubmission(context, only(event, 'job.submit')),
    ),
    begin: assign(({ context }) => states.begin(context)),
    answerBegun: emit<State, VideoJobEvent>(({ context }) => effects.answerBegun(context)),
    followAttempt: assign(({ context, event }) => states.follow(context, only(event, 'render.attempt').attempt)),
    keepRemote: assign(({ context, event }) => states.withRemote(context, only(event, 'render.submitted').remote)),
    dropRemote: assign(({ context }) => states.withRemote(context, null)),
    moveOn: assign(({ context, event }) => states.moveTo(context, only(event, 'render.moved').candidate)),
    refuseStale: emit(() => effects.refuseStale()),
    answerStale: emit(() => effects.answerStale()),

    scheduleRetry: emit<State, VideoJobEvent>(({ event }) =>
      effects.scheduleRetry(only(event, 'render.failed', 'abort.failed')),
    ),
    awaitRetry: assign(({ context, event }) => states.awaitRetry(context, only(event, 'render.failed'))),
    repeatRender: emit<State, VideoJobEvent>(({ context, event }) =>
      effects.repeatRender(context, only(event, 'render.retry')),
    ),
    resume: assign(({ context, event }) => states.follow(context, only(event, 'render.retry').repeats.attempt + 1)),

    end: assign(({ context, event }) => states.end(context, resultOf(event), event.at)),
    failUnrenderable: assign(({ context, event }) => states.failUnrenderable(context, event.at)),
    refuseSoon: emit<State, VideoJobEvent>(({ event }) => effects.refuseSoon(event.at)),
    failLate: assign(({ context, event }) => states.fail(context, LATE_ERROR, event.at)),
    failUnrendered: assign(({ context, event }) => states.failByService(context, UNRENDERED, event.at)),
    failUncharged: assign(({ context, event }) => states.failByService(context, UNCHARGED, event.at)),
    cancel: assign(({ context, event }) => states.cancel(context, event.at)),
    cancelCharged: assign(({ context, event }) =>
      states.cancelCharged(context, only(event, 'abort.done').result.settlement, event.at),
    ),
    settle: emit<State, VideoJobEvent>(({ context, event }) => {
      const { settlement } = only(event, 'render.done', 'abort.done').result;
      if (settlement === null) throw new Error('a charge without a settlement');
      return effects.settle(context, settlement);
    }),
    releaseCancelled: release(CANCELLED),
    releaseFailed: emit<State, VideoJobEvent>(({ context, event }) => releaseFailed(context, event)),
    releaseLate: release(LATE),
    endJob: emit<State, VideoJobEvent>(({ context, event }) => effects.endJob(context, event.at)),
    cutRender: emit(() => effects.cutRender()),
    cutAbort: emit(() => effects.cutAbort()),
    abortRender: emit<State, VideoJobEvent>(({ context, event }) => effects.performAbort(context, event.at)),
    repeatAbort: emit<State, VideoJobEvent>(({ context, event }) =>
      effects.repeatAbort(context, only(event, 'abort.retry')),
    ),

    putClips: emit<State, VideoJobEvent>(({ event }) => {
      const result = resultOf(event);
      return result.outcome === 'completed' ? clips.putClips(result.clips) : [];
    }),
    openWindow: emit<State, VideoJobEvent>(({ context }) => effects.openWindow(states.windowEndsAt(context))),
    fetch: assign(({ context }) => states.fetch(context)),
    openClip: emit<State, VideoJobEvent>(({ context, event }) => clips.openClip(context, only(event, 'clip.open'))),
    showClip: emit<State, VideoJobEvent>(({ event }) => clips.showClip(only(event, 'clip.show'))),
    refuseClip: emit<State, VideoJobEvent>(({ context, event }) => {
      const found = clips.judgeOpen(context, only(event, 'clip.open', 'clip.show'));
      return clips.refuseOpen(found === 'open' ? 'busy' : found);
    }),
    refuseGone: emit(() => clips.refuseOpen('gone')),
    refuseUnready: emit<State, VideoJobEvent>(() => clips.refuseUnready()),
    closeClip: emit<State, VideoJobEvent>(({ context, event }) => clips.closeClip(context, only(event, 'clip.close'))),
    loseReaders: emit<State, VideoJobEvent>(({ context, event }) =>
      clips.loseReaders(context, only(event, 'reader.lost', 'reader.expire')),
    ),
    removeOver: emit<State, VideoJobEvent>(({ context, event }) => clips.removeOver(context, event)),
    scheduleRemoval: emit<State, VideoJobEvent>(({ event }) => clips.scheduleRemoval(only(event, 'removal.failed'))),
    repeatRemoval: emit<State, VideoJobEvent>(({ event }) => clips.repeatRemoval(only(event, 'removal.retry'))),
    forget: emit<State, VideoJobEvent>(({ context }) => effects.forget(context)),

    announceCompleted: announce('video.generation.completed', 'completed'),
    announceExpired: announce('video.generation.expired', 'expired'),
    ...{ putPending: put('pending'), putInProgress: put('in_progress'), putCompleted: put('completed') },
    ...{ putFailed: put('failed'), putCancelled: put('cancelled'), putExpired: put('expired') },
    showPending: show('pending'),
    showInProgress: show('in_progress'),
    showCompleted: show('completed'),
    showFailed: show('failed'),
    showCancelled: show('cancelled'),
    showExpired: show('expired'),
    ...{ answerPending: answer('pending'), answerInProgress: answer('in_progress') },
    ...{ answerCompleted: answer('completed'), answerFailed: answer('failed') },
    ...{ answerCancelled: answer('cancelled'), answerExpired: answer('expired') },
    refuseUnabortable: emit(() => effects.refuseCancel('The endpoint that renders this job cannot abort a render')),
    refuseCompleted: emit(() => effects.refuseCancel('This job has ended: it is completed')),
    refuseFailed: emit(() => effects.refuseCancel('This job has ended: it is failed')),
    refuseExpired: emit(() => effects.refuseCancel('This job has ended: it is expired')),
  },
});

/** A render that no provider has accepted ends with its runner, or is aborted once its runner reports it (`AFTER_END`). */
const CANCEL_UNASKED = {
  guard: 'isUnasked',
  target: 'cancelled',
  actions: ['cutRender', 'cancel', 'releaseCancelled', 'endJob', 'putCancelled', 'answerCancelled'],
} as const;
const REFUSE_CANCEL = { actions: 'refuseUnabortable' } as const;
const DEADLINE = {
  target: 'failed',
  actions: ['cutRender', 'failLate', 'releaseLate', 'endJob', 'putFailed'],
} as const;
const RENDER_DONE = [
  {
    guard: 'isCompleted',
    target: 'completed',
    actions: ['end', 'settle', 'putClips', 'endJob', 'openWindow', 'putCompleted', 'announceCompleted'],
  },
  { guard: 'isCharged', target: 'failed', actions: ['end', 'settle', 'endJob', 'putFailed'] },
  { target: 'failed', actions: ['end', 'releaseFailed', 'endJob', 'putFailed'] },
] as const;
const RENDER_DONE_REFUSED = {
  target: 'failed',
  actions: ['failUncharged', 'releaseFailed', 'endJob', 'putFailed'],
} as const;
const RENDER_FAILS = [
  { guard: 'isLate', target: 'failed', actions: ['failLate', 'releaseLate', 'endJob', 'putFailed'] },
  { target: 'failed', actions: ['failUnrendered', 'releaseFailed', 'endJob', 'putFailed'] },
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
  context: ({ input }) => states.emptyJob(input.address),
  options: { maxIterations: 1000 },
  states: {
    pending: {
      on: {
        'job.submit': [
          { guard: 'isNew', actions: ['submit', 'recordSubmission', 'putPending', 'showPending', 'answerPending'] },
          { actions: 'answerPending' },
        ],
        'render.begin': [
          { guard: 'isCurrent', target: 'in_progress', actions: ['begin', 'putInProgress', 'answerBegun'] },
          { actions: 'refuseStale' },
        ],
        'render.done': RENDER_DONE,
        'render.done.refused': RENDER_DONE_REFUSED,
        'render.failed': [
          { guard: 'isRepeatable', actions: ['scheduleRetry', 'awaitRetry', 'putPending'] },
          ...RENDER_FAILS,
        ],
        'render.attempt': { actions: ['followAttempt', 'putPending'] },
        'render.retry': { actions: ['repeatRender', 'resume'] },
        'job.refuse': { target: 'in_progress', actions: ['begin', 'refuseSoon', 'putInProgress'] },
        'job.cancel': [
          CANCEL_UNASKED,
          {
            guard: 'isAbortable',
            target: 'cancelling',
            actions: ['cutRender', 'abortRender', 'putInProgress', 'showInProgress', 'answerInProgress'],
          },
          REFUSE_CANCEL,
        ],
        'job.deadline': DEADLINE,
      },
    },
    in_progress: {
      entry: 'showInProgress',
      on: {
        'job.submit': { actions: 'answerInProgress' },
        'render.begin': [{ guard: 'isCurrent', actions: 'answerBegun' }, { actions: 'refuseStale' }],
        'render.submitted': [
          { guard: 'isCurrent', actions: ['keepRemote', 'answerBegun'] },
          { actions: 'refuseStale' },
        ],
        'render.moved': [
          { guard: 'isCurrent', actions: ['moveOn', 'putInProgress', 'answerBegun'] },
          { actions: 'refuseStale' },
        ],
        'render.done': RENDER_DONE,
        'render.done.refused': RENDER_DONE_REFUSED,
        'render.failed': [
          {
            guard: 'isRepeatable',
            target: 'pending',
            actions: ['scheduleRetry', 'awaitRetry', 'putPending', 'showPending'],
          },
          ...RENDER_FAILS,
        ],
        // The runner died before anything was charged.
        'render.attempt': { target: 'pending', actions: ['followAttempt', 'putPending', 'showPending'] },
        'job.refuse': { target: 'failed', actions: ['failUnrenderable', 'releaseFailed', 'endJob', 'putFailed'] },
        'job.cancel': [
          CANCEL_UNASKED,
          { guard: 'isAbortable', target: 'cancelling', actions: ['cutRender', 'abortRender', 'answerInProgress'] },
          REFUSE_CANCEL,
        ],
        'job.deadline': DEADLINE,
      },
    },
    cancelling: {
      on: {
        'job.submit': { actions: 'answerInProgress' },
        'job.cancel': { actions: 'answerInProgress' },
        'abort.done': [
          {
            guard: 'isAbortCharged',
            target: 'cancelled',
            actions: ['cancelCharged', 'settle', 'endJob', 'putCancelled'],
          },
          { target: 'cancelled', actions: ['cancel', 'releaseCancelled', 'endJob', 'putCancelled'] },
        ],
        'abort.done.refused': {
          target: 'cancelled',
          actions: ['cancel', 'releaseCancelled', 'endJob', 'putCancelled'],
        },
        'abort.failed': [
          { guard: 'mayAbortAgain', actions: 'scheduleRetry' },
          { target: 'cancelled', actions: ['cancel', 'releaseCancelled', 'endJob', 'putCancelled'] },
        ],
        'abort.retry': { actions: 'repeatAbort' },
        'job.deadline': {
          target: 'cancelled',
          actions: ['cutAbort', 'cancel', 'releaseCancelled', 'endJob', 'putCancelled'],
        },
      },
    },
    completed: {
      entry: 'showCompleted',
      on: {
        'job.submit': { actions: 'answerCompleted' },
        'job.cancel': { actions: 'refuseCompleted' },
        'clip.show': [{ guard: 'mayOpen', actions: 'showClip' }, { actions: 'refuseClip' }],
        'clip.open': [{ guard: 'mayOpen', actions: ['openClip', 'fetch'] }, { actions: 'refuseClip' }],
        'job.window': [
          { guard: 'isFetched', actions: 'removeOver' },
          { target: 'expired', actions: ['removeOver', 'putExpired', 'announceExpired'] },
        ],
      },
    },
    failed: {
      entry: 'showFailed',
      on: { 'job.submit': { actions: 'answerFailed' }, 'job.cancel': { actions: 'refuseFailed' }, ...AFTER_END },
    },
    cancelled: {
      entry: 'showCancelled',
      on: { 'job.submit': { actions: 'answerCancelled' }, 'job.cancel': { actions: 'answerCancelled' }, ...AFTER_END },
    },
    expired: {
      entry: 'showExpired',
      on: {
        'job.submit': { actions: 'answerExpired' },
        'job.cancel': { actions: 'refuseExpired' },
        'clip.show': { actions: 'refuseGone' },
        'clip.open': { actions: 'refuseGone' },
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
    'clip.show': { actions: 'refuseUnready' },
    'clip.open': { actions: 'refuseUnready' },
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
