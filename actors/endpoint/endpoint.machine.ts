/**
 * The endpoint's chart. Its state is the endpoint's health, changed by gateways' observations and by probes;
 * `withdrawn` when no configuration declares it. Failed checks withhold abilities, and an operator's pause keeps calls
 * away; both leave the state unchanged. The actor publishes itself on the board, and sends the operator's log its pauses.
 */
import { setup } from 'xstate';
import { assignOn, type Effect, emitOn, guardOn, type Stamped, verdictOn } from '../runtime/index.ts';
import { plain, reply } from '../terms/chart-tools.ts';
import type { CallFailure, EndpointDeclaration } from '../terms/endpoint.ts';
import { endpointAddress } from '../terms/ids.ts';
import { type PauseEvent, pausing } from '../terms/pause.ts';
import type { Observation, ObservedBenchmark } from './evidence.ts';
import type { Health } from './health.ts';
import { historyRows } from './history.ts';
import * as record from './record.ts';
import { keepProvider } from './record.ts';
import type { ObservedAttempt } from './window.ts';

type EndpointRecord = record.EndpointRecord;

type EndpointDeclare = Stamped & {
  readonly type: 'endpoint.declare';
  readonly declaration: EndpointDeclaration;
  readonly digest: string;
};
type AttemptsObserved = Stamped & {
  readonly type: 'attempts.observed';
  readonly attempts: readonly ObservedAttempt[];
};
type ProbeObserved = Stamped & { readonly type: 'probe.observed'; readonly failure: CallFailure | null };
type CheckObserved = Stamped & Observation & { readonly type: 'check.observed' };
type BenchmarkObserved = Stamped & ObservedBenchmark & { readonly type: 'benchmark.observed' };
type CapacityReported = Stamped & record.Slots & { readonly type: 'capacity.reported'; readonly reportedAt?: number };

type EndpointEvent =
  | EndpointDeclare
  | (Stamped & { readonly type: 'endpoint.withdraw' })
  | AttemptsObserved
  | ProbeObserved
  | CheckObserved
  | BenchmarkObserved
  | PauseEvent<'endpoint'>
  | CapacityReported
  | (Stamped & { readonly type: 'endpoint.provider' })
  | (Stamped & { readonly type: 'actor.activated' });

function publish(now: EndpointRecord): Effect {
  const endpoint = record.publishedEndpoint(now);
  return { type: 'publish', topic: 'endpoints', key: now.id, value: endpoint === null ? null : plain(endpoint) };
}

const pauses = pausing('endpoint', ({ id }: EndpointRecord) => id, endpointAddress);
const answerChanged = (changed: boolean) => ({ type: 'answerChanged', params: { changed } }) as const;

const to = (health: Health) =>
  ({ guard: { type: 'healthIs', params: { as: health } }, target: health, actions: ['refresh', 'publish'] }) as const;
const WHEN_UNKEPT = { guard: 'isUnkept', actions: ['writeHistory', 'markKept'] } as const;
const WHEN_DUE = { guard: 'isDue', actions: ['refresh', 'publishFresh'] } as const;

export const endpointMachine = setup({
  types: {} as { context: EndpointRecord; events: EndpointEvent; input: { address: string } },
  guards: {
    ...pauses.guards,
    isSame: guardOn('endpoint.declare', (now: EndpointRecord, { digest }: EndpointDeclare) => now.digest === digest),
    healthIs: verdictOn('*', (now: EndpointRecord) => record.healthIn(now)),
    isUnkept: guardOn('*', (now: EndpointRecord, { at }) => record.isUnkept(now, at)),
    isDue: guardOn('*', (now: EndpointRecord, { at }) => record.isDue(now, at)),
  },
  actions: {
    ...pauses.actions,
    declare: assignOn('endpoint.declare', (now: EndpointRecord, { declaration, digest }: EndpointDeclare) =>
      record.declare(now, declaration, digest),
    ),
    withdraw: assignOn('*', record.withdraw),
    keepProvider: emitOn('*', keepProvider),
    writeHistory: emitOn('*', historyRows),
    markKept: assignOn('*', record.kept),
    keepReport: assignOn('capacity.reported', (now: EndpointRecord, event: CapacityReported) =>
      record.report(now, event, event.at),
    ),
    answerCapacity: emitOn('*', ({ capacity }: EndpointRecord) => ({
      type: 'reply',
      body: capacity && plain(capacity),
    })),
    keepBenchmark: assignOn('benchmark.observed', (now: EndpointRecord, event: BenchmarkObserved) =>
      record.benchmark(now, event, event.at),
    ),
    countAttempts: assignOn('attempts.observed', (now: EndpointRecord, { attempts, at }: AttemptsObserved) =>
      record.observe(now, attempts, at),
    ),
    keepProbe: assignOn('probe.observed', (now: EndpointRecord, { failure, at }: ProbeObserved) =>
      record.probe(now, failure, at),
    ),
    keepCheck: assignOn('check.observed', (now: EndpointRecord, event: CheckObserved) =>
      record.check(now, event, event.at),
    ),
    refresh: assignOn('*', (now: EndpointRecord, { at }) => record.refresh(now, at)),
    publish: emitOn('*', publish),
    publishFresh: emitOn('*', (now: EndpointRecord) => (now.fresh ? publish(now) : [])),
    answerProvider: emitOn('*', ({ declaration }: EndpointRecord) =>
      reply({ provider: declaration?.provider.slug ?? null }),
    ),
    answerChanged: emitOn('*', (_: EndpointRecord, __, { changed }: { readonly changed: boolean }) =>
      reply({ changed }),
    ),
  },
}).createMachine({
  id: 'endpoint',
  initial: 'unknown',
  context: ({ input }) => record.emptyRecord(input.address),
  options: { maxIterations: 1000 },
  states: {
    unknown: { always: [to('down'), to('degraded'), to('healthy'), WHEN_DUE, WHEN_UNKEPT] },
    healthy: { always: [to('down'), to('degraded'), to('unknown'), WHEN_DUE, WHEN_UNKEPT] },
    degraded: { always: [to('down'), to('healthy'), to('unknown'), WHEN_DUE, WHEN_UNKEPT] },
    down: { always: [to('degraded'), to('healthy'), to('unknown'), WHEN_DUE, WHEN_UNKEPT] },
    withdrawn: {
      on: {
        'endpoint.withdraw': { actions: answerChanged(false) },
        'attempts.observed': {},
        'probe.observed': {},
        'check.observed': {},
        'benchmark.observed': {},
        'capacity.reported': {},
        'actor.activated': { actions: ['publish', 'republishPause'] },
      },
    },
  },
  on: {
    'endpoint.declare': [
      { guard: 'isSame', actions: answerChanged(false) },
      { target: '.unknown', actions: ['declare', 'refresh', 'publish', answerChanged(true)] },
    ],
    'endpoint.withdraw': {
      target: '.withdrawn',
      actions: ['keepProvider', 'withdraw', 'publish', answerChanged(true)],
    },
    'endpoint.pause': [{ guard: 'isPausedFor', actions: 'answerPause' }, { actions: ['pause', 'recordPause'] }],
    'endpoint.resume': [{ guard: 'isPaused', actions: ['resume', 'recordPause'] }, { actions: 'answerPause' }],
    'attempts.observed': { actions: 'countAttempts' },
    'probe.observed': { actions: 'keepProbe' },
    'check.observed': { actions: ['keepCheck', 'refresh', 'publishFresh'] },
    'benchmark.observed': { actions: ['keepBenchmark', 'refresh', 'publishFresh'] },
    'capacity.reported': { actions: ['keepReport', 'publish', 'answerCapacity'] },
    'endpoint.provider': { actions: 'answerProvider' },
    'actor.activated': { actions: ['refresh', 'publish', 'republishPause'] },
  },
});
