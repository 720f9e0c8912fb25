/**
 * The provider's chart: the operator's declaration, published on the board, and the result of the last reading of its
 * models document, shown to operators only.
 */
import { assign, setup } from 'xstate';
import { type Effect, emit, type Stamped } from '../runtime/index.ts';
import { only, plain } from '../terms/chart-tools.ts';
import type { ProviderFacts } from '../terms/endpoint.ts';
import { providerAddress } from '../terms/ids.ts';
import {
  type Pausable,
  type PauseRequest,
  pausedState,
  pauseEffects,
  pauseReply,
  publishPause,
} from '../terms/pause.ts';
import type { Principal } from '../terms/principal.ts';
import { type DayFold, type FoldState, foldEffects, folded } from './earnings.ts';
import { type RefreshState, type RefreshStep, refreshEffects, refreshed } from './refreshes.ts';
import {
  isRecording,
  type NotedRefusal,
  noteEffect,
  published,
  type RefusalState,
  recorded,
  recordingEffects,
  unpublished,
} from './refusals.ts';

export interface ProviderState extends Pausable {
  readonly slug: string;
  /** Null when withdrawn. */
  readonly facts: ProviderFacts | null;
  /** Digest of the declaration: the same digest means no change. */
  readonly digest: string | null;
  /** Store time in ms of the last change. */
  readonly declaredAt: number | null;
  /** Absent until the document was read for the first time. */
  readonly document?: DocumentReading;
  /** Absent while the provider accepts our key, as far as gateways know. */
  readonly keyRefusal?: KeyRefusal | null;
  /** Absent until an operator recorded raw refusals for the first time. */
  readonly refusals?: RefusalState;
  /** Absent until the first day of earnings was folded. */
  readonly earnings?: FoldState | undefined;
  /** Absent until the document was read on command. */
  readonly refreshes?: RefreshState;
}

/** The provider answers 401 or 403 to our key. Store times in ms of the first and the newest report. */
export interface KeyRefusal {
  readonly status: number;
  readonly since: number;
  readonly last: number;
}

export interface DocumentReading {
  /** Why the document cannot be used; null when it can. */
  readonly problem: string | null;
  /** Number of endpoints in the last usable document. */
  readonly endpoints: number;
  /** Store time in ms of the first reading with this result. */
  readonly since: number;
}

export type ProviderEvent =
  | (Stamped & { readonly type: 'provider.declare'; readonly facts: ProviderFacts; readonly digest: string })
  | (Stamped & { readonly type: 'provider.read'; readonly problem: string | null; readonly endpoints: number })
  | (Stamped & { readonly type: 'provider.withdraw' })
  | (Stamped & PauseRequest & { readonly type: 'provider.pause' })
  | (Stamped & { readonly type: 'provider.resume'; readonly by?: Principal })
  | (Stamped & { readonly type: 'key.refused'; readonly status: number })
  | (Stamped & { readonly type: 'key.accepted' })
  | (Stamped & { readonly type: 'refusals.record'; readonly minutes: number })
  | (Stamped & { readonly type: 'refusals.note'; readonly refusal: NotedRefusal })
  | (Stamped & { readonly type: 'refusals.ended' })
  | (Stamped & DayFold & { readonly type: 'earnings.fold' })
  | (Stamped & { readonly type: 'provider.show' })
  | (Stamped & RefreshStep)
  | (Stamped & { readonly type: 'actor.activated' });

function declare({ slug }: ProviderState, event: ProviderEvent): ProviderState {
  const { facts, digest, at } = only(event, 'provider.declare');
  return { slug, facts, digest, declaredAt: at };
}

function stepOf(event: ProviderEvent): RefreshStep {
  return only(event, 'refresh.begin', 'refresh.progress', 'refresh.end', 'refresh.lapsed');
}

/** What is shown of a provider beside its declaration. */
export type ProviderView = Pick<ProviderState, 'slug' | 'facts' | 'document' | 'earnings' | 'refreshes'>;

function show({ slug, facts, document, earnings, refreshes }: ProviderState): ProviderView {
  return { slug, facts, ...(document && { document }), ...(earnings && { earnings }), ...(refreshes && { refreshes }) };
}

/** A broken document declares no endpoints: the count of the last usable document stays. */
function read({ document }: ProviderState, event: ProviderEvent): Pick<ProviderState, 'document'> {
  const { problem, endpoints, at } = only(event, 'provider.read');
  return { document: { problem, endpoints: problem === null ? endpoints : (document?.endpoints ?? 0), since: at } };
}

function isRead({ document }: ProviderState, event: ProviderEvent): boolean {
  const { problem, endpoints } = only(event, 'provider.read');
  return document?.problem === problem && (problem !== null || document.endpoints === endpoints);
}

function withdraw({ slug }: ProviderState, { at }: ProviderEvent): ProviderState {
  return { slug, facts: null, digest: null, declaredAt: at };
}

function refuseKey({ keyRefusal }: ProviderState, event: ProviderEvent): Pick<ProviderState, 'keyRefusal'> {
  const { status, at } = only(event, 'key.refused');
  return { keyRefusal: { status, since: keyRefusal?.since ?? at, last: at } };
}

function record({ refusals }: ProviderState, event: ProviderEvent): Pick<ProviderState, 'refusals'> {
  const { minutes, at } = only(event, 'refusals.record');
  return { refusals: recorded(refusals, minutes, at) };
}

function note({ refusals }: ProviderState): Pick<ProviderState, 'refusals'> {
  const { until = null, noted = 0 } = refusals ?? {};
  return { refusals: { until, noted: noted + 1 } };
}

function endRecording({ refusals }: ProviderState): Pick<ProviderState, 'refusals'> {
  return { refusals: { until: null, noted: refusals?.noted ?? 0 } };
}

function pause(state: ProviderState, event: ProviderEvent): Required<Pausable> {
  return pausedState(state, only(event, 'provider.pause'), event.at);
}

function pauseChanged(state: ProviderState, event: ProviderEvent): readonly Effect[] {
  const { by } = only(event, 'provider.pause', 'provider.resume');
  return pauseEffects(state.slug, state, providerAddress(state.slug), by);
}

function publish({ slug, facts }: ProviderState): Effect {
  return { type: 'publish', topic: 'providers', key: slug, value: facts === null ? null : plain(facts) };
}

export const providerMachine = setup({
  types: {} as { context: ProviderState; events: ProviderEvent; input: { address: string } },
  guards: {
    isRead: ({ context, event }) => isRead(context, event),
    isRecording: ({ context, event }) => isRecording(context.refusals, event.at),
    isSame: ({ context, event }) => context.digest === only(event, 'provider.declare').digest,
    isPausedFor: ({ context, event }) => context.paused?.reason === only(event, 'provider.pause').reason,
    isPaused: ({ context }) => context.paused != null,
  },
  actions: {
    declare: assign(({ context, event }) => declare(context, event)),
    withdraw: assign(({ context, event }) => withdraw(context, event)),
    read: assign(({ context, event }) => read(context, event)),
    refuseKey: assign(({ context, event }) => refuseKey(context, event)),
    acceptKey: assign(() => ({ keyRefusal: null })),
    record: assign(({ context, event }) => record(context, event)),
    note: assign(({ context }) => note(context)),
    endRecording: assign(({ context }) => endRecording(context)),
    publishRecording: emit<ProviderState, ProviderEvent>(({ context: { slug, refusals } }) =>
      recordingEffects(slug, refusals as RefusalState),
    ),
    keepRefusal: emit<ProviderState, ProviderEvent>(({ context, event }) =>
      noteEffect(only(event, 'refusals.note').refusal, context.refusals as RefusalState),
    ),
    unpublishRecording: emit<ProviderState, ProviderEvent>(({ context }) => unpublished(context.slug)),
    republishRecording: emit<ProviderState, ProviderEvent>(({ context: { slug, refusals } }) =>
      refusals?.until == null ? [] : [published(slug, refusals.until)],
    ),
    pause: assign(({ context, event }) => pause(context, event)),
    resume: assign(() => ({ paused: null })),
    pauseChanged: emit<ProviderState, ProviderEvent>(({ context, event }) => pauseChanged(context, event)),
    answerPause: emit<ProviderState, ProviderEvent>(({ context }) => pauseReply(context, false)),
    republishPause: emit<ProviderState, ProviderEvent>(({ context }) =>
      context.paused == null ? [] : publishPause(context.slug, context),
    ),
    fold: assign(({ context, event }) => ({ earnings: folded(context.earnings, only(event, 'earnings.fold')) })),
    keepEarnings: emit<ProviderState, ProviderEvent>(({ event }) => foldEffects(only(event, 'earnings.fold'))),
    refresh: assign(({ context, event }) => ({ refreshes: refreshed(context.refreshes, stepOf(event), event.at) })),
    refreshEffects: emit<ProviderState, ProviderEvent>(({ context, event }) =>
      refreshEffects(context.refreshes as RefreshState, stepOf(event), event.at),
    ),
    answerState: emit<ProviderState, ProviderEvent>(({ context }) => ({ type: 'reply', body: plain(show(context)) })),
    publish: emit<ProviderState, ProviderEvent>(({ context }) => publish(context)),
    answerChanged: emit(() => ({ type: 'reply', body: { changed: true } })),
    answerSame: emit(() => ({ type: 'reply', body: { changed: false } })),
  },
}).createMachine({
  id: 'provider',
  initial: 'declared',
  context: ({ input }) => ({
    slug: input.address.slice(input.address.indexOf(':') + 1),
    facts: null,
    digest: null,
    declaredAt: null,
  }),
  options: { maxIterations: 1000 },
  states: {
    declared: {
      on: {
        'provider.withdraw': { target: 'withdrawn', actions: ['withdraw', 'publish', 'answerChanged'] },
      },
    },
    withdrawn: {
      on: {
        'provider.withdraw': { actions: 'answerSame' },
      },
    },
  },
  on: {
    'provider.declare': [
      { guard: 'isSame', actions: 'answerSame' },
      { target: '.declared', actions: ['declare', 'publish', 'answerChanged'] },
    ],
    'provider.read': [{ guard: 'isRead', actions: 'answerSame' }, { actions: ['read', 'answerChanged'] }],
    'provider.pause': [{ guard: 'isPausedFor', actions: 'answerPause' }, { actions: ['pause', 'pauseChanged'] }],
    'provider.resume': [{ guard: 'isPaused', actions: ['resume', 'pauseChanged'] }, { actions: 'answerPause' }],
    'key.refused': { actions: 'refuseKey' },
    'key.accepted': { actions: 'acceptKey' },
    'refusals.record': { actions: ['record', 'publishRecording'] },
    'refusals.note': [{ guard: 'isRecording', actions: ['keepRefusal', 'note'] }, {}],
    'refusals.ended': { actions: ['endRecording', 'unpublishRecording'] },
    'earnings.fold': { actions: ['fold', 'keepEarnings', 'answerChanged'] },
    'provider.show': { actions: 'answerState' },
    'refresh.begin': { actions: ['refresh', 'refreshEffects'] },
    'refresh.progress': { actions: 'refresh' },
    'refresh.end': { actions: ['refresh', 'refreshEffects'] },
    'refresh.lapsed': { actions: 'refresh' },
    'actor.activated': { actions: ['publish', 'republishPause', 'republishRecording'] },
  },
});
