/**
 * The provider's chart: the operator's declaration, published on the board, and the result of the last reading of its
 * models document, shown to operators only.
 */
import { setup } from 'xstate';
import { assignOn, type Effect, emitOn, guardOn, type Stamped } from '../runtime/index.ts';
import { plain, reply } from '../terms/chart-tools.ts';
import type { ProviderFacts } from '../terms/endpoint.ts';
import { providerAddress } from '../terms/ids.ts';
import { type Pausable, type PauseEvent, pausing } from '../terms/pause.ts';
import { type EarningsFold, earningsActions, type FoldState } from './earnings.ts';
import { type RefreshState, type RefreshStep, refreshActions } from './refreshes.ts';
import { type RefusalState, type RefusalsEvent, refusalsActions, refusalsGuards } from './refusals.ts';

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

type ProviderDeclare = Stamped & {
  readonly type: 'provider.declare';
  readonly facts: ProviderFacts;
  readonly digest: string;
};
type ProviderRead = Stamped & {
  readonly type: 'provider.read';
  readonly problem: string | null;
  readonly endpoints: number;
};
type KeyRefused = Stamped & { readonly type: 'key.refused'; readonly status: number };

type ProviderEvent =
  | ProviderDeclare
  | ProviderRead
  | (Stamped & { readonly type: 'provider.withdraw' })
  | PauseEvent<'provider'>
  | KeyRefused
  | (Stamped & { readonly type: 'key.accepted' })
  | RefusalsEvent
  | EarningsFold
  | (Stamped & { readonly type: 'provider.show' })
  | (Stamped & RefreshStep)
  | (Stamped & { readonly type: 'actor.activated' });

function declare({ slug }: ProviderState, { facts, digest, at }: ProviderDeclare): ProviderState {
  return { slug, facts, digest, declaredAt: at };
}

/** What is shown of a provider: its declaration, its document, its earnings and its readings. */
export type ProviderView = Pick<ProviderState, 'slug' | 'facts' | 'document' | 'earnings' | 'refreshes'>;

function viewOf({ slug, facts, document, earnings, refreshes }: ProviderState): ProviderView {
  return { slug, facts, ...(document && { document }), ...(earnings && { earnings }), ...(refreshes && { refreshes }) };
}

/** A broken document declares no endpoints: the count of the last usable document stays. */
function keepReading(
  { document }: ProviderState,
  { problem, endpoints, at }: ProviderRead,
): Pick<ProviderState, 'document'> {
  return { document: { problem, endpoints: problem === null ? endpoints : (document?.endpoints ?? 0), since: at } };
}

function isRead({ document }: ProviderState, { problem, endpoints }: ProviderRead): boolean {
  return document?.problem === problem && (problem !== null || document.endpoints === endpoints);
}

function refuseKey({ keyRefusal }: ProviderState, { status, at }: KeyRefused): Pick<ProviderState, 'keyRefusal'> {
  return { keyRefusal: { status, since: keyRefusal?.since ?? at, last: at } };
}

function publish({ slug, facts }: ProviderState): Effect {
  return { type: 'publish', topic: 'providers', key: slug, value: facts === null ? null : plain(facts) };
}

const pauses = pausing('provider', ({ slug }: ProviderState) => slug, providerAddress);
const answerChanged = (changed: boolean) => ({ type: 'answerChanged', params: { changed } }) as const;

export const providerMachine = setup({
  types: {} as { context: ProviderState; events: ProviderEvent; input: { address: string } },
  guards: {
    ...pauses.guards,
    ...refusalsGuards,
    isRead: guardOn('provider.read', isRead),
    isSame: guardOn('provider.declare', (state: ProviderState, { digest }: ProviderDeclare) => state.digest === digest),
  },
  actions: {
    ...pauses.actions,
    ...refusalsActions,
    ...earningsActions,
    ...refreshActions,
    declare: assignOn('provider.declare', declare),
    withdraw: assignOn('*', (_: ProviderState, { at }) => ({ facts: null, digest: null, declaredAt: at })),
    keepReading: assignOn('provider.read', keepReading),
    refuseKey: assignOn('key.refused', refuseKey),
    acceptKey: assignOn('*', (_: ProviderState) => ({ keyRefusal: null })),
    publish: emitOn('*', publish),
    answerView: emitOn('*', (state: ProviderState) => reply(viewOf(state))),
    answerChanged: emitOn('*', (_: ProviderState, __, { changed }: { readonly changed: boolean }) =>
      reply({ changed }),
    ),
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
        'provider.withdraw': { target: 'withdrawn', actions: ['withdraw', 'publish', answerChanged(true)] },
      },
    },
    withdrawn: {
      on: {
        'provider.withdraw': { actions: answerChanged(false) },
      },
    },
  },
  on: {
    'provider.declare': [
      { guard: 'isSame', actions: answerChanged(false) },
      { target: '.declared', actions: ['declare', 'publish', answerChanged(true)] },
    ],
    'provider.read': [
      { guard: 'isRead', actions: answerChanged(false) },
      { actions: ['keepReading', answerChanged(true)] },
    ],
    'provider.pause': [{ guard: 'isPausedFor', actions: 'answerPause' }, { actions: ['pause', 'recordPause'] }],
    'provider.resume': [{ guard: 'isPaused', actions: ['resume', 'recordPause'] }, { actions: 'answerPause' }],
    'key.refused': { actions: 'refuseKey' },
    'key.accepted': { actions: 'acceptKey' },
    'refusals.record': { actions: ['record', 'publishRecording'] },
    'refusals.note': [{ guard: 'isRecording', actions: ['putRefusal', 'countRefusal'] }, {}],
    'refusals.ended': { actions: ['endRecording', 'unpublishRecording'] },
    'earnings.fold': { actions: ['fold', 'putEarnings', answerChanged(true)] },
    'provider.show': { actions: 'answerView' },
    'refresh.begin': { actions: ['refresh', 'answerRefresh'] },
    'refresh.progress': { actions: 'refresh' },
    'refresh.end': { actions: ['refresh', 'answerRefresh'] },
    'refresh.lapsed': { actions: 'refresh' },
    'actor.activated': { actions: ['publish', 'republishPause', 'republishRecording'] },
  },
});
