/**
 * The endpoint's chart. Its state is the endpoint's health, changed by gateways' observations and by probes;
 * `withdrawn` when no configuration declares it. Failed checks withhold abilities, and an operator's pause keeps calls
 * away; both leave the state unchanged. The actor publishes itself on the board, and sends the operator's log its pauses.
 */
import { assign, setup } from 'xstate';
import { type Effect, emit, type Stamped } from '../runtime/index.ts';
import { only, plain } from '../terms/chart-tools.ts';
import type { CallFailure, CapacityReport, EndpointDeclaration } from '../terms/endpoint.ts';
import { endpointAddress } from '../terms/ids.ts';
import {
  type Pausable,
  type PauseRequest,
  pausedState,
  pauseEffects,
  pauseReply,
  publishPause,
} from '../terms/pause.ts';
import type { Principal } from '../terms/principal.ts';
import type { Observation, ObservedBenchmark } from './evidence.ts';
import { keepProvider } from './former-provider.ts';
import { historyRows } from './history.ts';
import * as record from './record.ts';
import type { ObservedAttempt } from './window.ts';

type EndpointRecord = record.EndpointRecord;

export type EndpointEvent =
  | (Stamped & {
      readonly type: 'endpoint.declare';
      readonly declaration: EndpointDeclaration;
      readonly digest: string;
    })
  | (Stamped & { readonly type: 'endpoint.withdraw' })
  | (Stamped & { readonly type: 'attempts.observed'; readonly attempts: readonly ObservedAttempt[] })
  | (Stamped & { readonly type: 'probe.observed'; readonly failure: CallFailure | null })
  | (Stamped & Observation & { readonly type: 'check.observed' })
  | (Stamped & ObservedBenchmark & { readonly type: 'benchmark.observed' })
  | (Stamped & PauseRequest & { readonly type: 'endpoint.pause' })
  | (Stamped & { readonly type: 'endpoint.resume'; readonly by?: Principal })
  | (Stamped & record.Slots & { readonly type: 'capacity.reported'; readonly reportedAt?: number })
  | (Stamped & { readonly type: 'endpoint.provider' })
  | (Stamped & { readonly type: 'actor.activated' });

function declare(before: EndpointRecord, event: EndpointEvent): EndpointRecord {
  const { declaration, digest } = only(event, 'endpoint.declare');
  return record.declare(before, declaration, digest);
}

function pause(now: EndpointRecord, event: EndpointEvent): Required<Pausable> {
  return pausedState(now, only(event, 'endpoint.pause'), event.at);
}

function pauseChanged(now: EndpointRecord, event: EndpointEvent): readonly Effect[] {
  const { by } = only(event, 'endpoint.pause', 'endpoint.resume');
  return pauseEffects(now.id, now, endpointAddress(now.id), by);
}

function publish(now: EndpointRecord): Effect {
  const endpoint = record.publishedEndpoint(now);
  return { type: 'publish', topic: 'endpoints', key: now.id, value: endpoint === null ? null : plain(endpoint) };
}

const TO_HEALTHY = { guard: 'isHealthy', target: 'healthy', actions: ['refresh', 'publish'] } as const;
const TO_DEGRADED = { guard: 'isDegraded', target: 'degraded', actions: ['refresh', 'publish'] } as const;
const TO_DOWN = { guard: 'isDown', target: 'down', actions: ['refresh', 'publish'] } as const;
const TO_UNKNOWN = { guard: 'isUnknown', target: 'unknown', actions: ['refresh', 'publish'] } as const;
const WHEN_UNKEPT = { guard: 'isUnkept', actions: ['writeHistory', 'kept'] } as const;
const WHEN_DUE = { guard: 'isDue', actions: ['refresh', 'publishFresh'] } as const;

export const endpointMachine = setup({
  types: {} as { context: EndpointRecord; events: EndpointEvent; input: { address: string } },
  guards: {
    isSame: ({ context, event }) => context.digest === only(event, 'endpoint.declare').digest,
    isPausedFor: ({ context, event }) => context.paused?.reason === only(event, 'endpoint.pause').reason,
    isPaused: ({ context }) => context.paused != null,
    isHealthy: ({ context }) => record.healthIn(context) === 'healthy',
    isDegraded: ({ context }) => record.healthIn(context) === 'degraded',
    isDown: ({ context }) => record.healthIn(context) === 'down',
    isUnknown: ({ context }) => record.healthIn(context) === 'unknown',
    isUnkept: ({ context, event }) => record.isUnkept(context, event.at),
    isDue: ({ context, event }) => record.isDue(context, event.at),
  },
  actions: {
    declare: assign(({ context, event }) => declare(context, event)),
    withdraw: assign(({ context }) => record.withdraw(context)),
    keepProvider: emit<EndpointRecord, EndpointEvent>(({ context }) => keepProvider(context)),
    writeHistory: emit<EndpointRecord, EndpointEvent>(({ context }) => historyRows(context)),
    kept: assign(({ context }) => record.kept(context)),
    report: assign(({ context, event }) => record.report(context, only(event, 'capacity.reported'), event.at)),
    answerCapacity: emit<EndpointRecord, EndpointEvent>(({ context }) => ({
      ...{ type: 'reply', body: plain(context.capacity as CapacityReport) },
    })),
    benchmark: assign(({ context, event }) => record.benchmark(context, only(event, 'benchmark.observed'), event.at)),
    observe: assign(({ context, event }) =>
      record.observe(context, only(event, 'attempts.observed').attempts, event.at),
    ),
    probe: assign(({ context, event }) => record.probe(context, only(event, 'probe.observed').failure, event.at)),
    check: assign(({ context, event }) => record.check(context, only(event, 'check.observed'), event.at)),
    refresh: assign(({ context, event }) => record.refresh(context, event.at)),
    pause: assign(({ context, event }) => pause(context, event)),
    resume: assign(() => ({ paused: null })),
    pauseChanged: emit<EndpointRecord, EndpointEvent>(({ context, event }) => pauseChanged(context, event)),
    answerPause: emit<EndpointRecord, EndpointEvent>(({ context }) => pauseReply(context, false)),
    republishPause: emit<EndpointRecord, EndpointEvent>(({ context }) =>
      context.paused == null ? [] : publishPause(context.id, context),
    ),
    publish: emit<EndpointRecord, EndpointEvent>(({ context }) => publish(context)),
    publishFresh: emit<EndpointRecord, EndpointEvent>(({ context }) => (context.fresh ? publish(context) : [])),
    answerProvider: emit<EndpointRecord, EndpointEvent>(({ context }) => ({
      ...{ type: 'reply', body: { provider: context.declaration?.provider.slug ?? null } },
    })),
    answerChanged: emit(() => ({ type: 'reply', body: { changed: true } })),
    answerSame: emit(() => ({ type: 'reply', body: { changed: false } })),
  },
}).createMachine({
  id: 'endpoint',
  initial: 'unknown',
  context: ({ input }) => record.emptyRecord(input.address),
  options: { maxIterations: 1000 },
  states: {
    unknown: { always: [TO_DOWN, TO_DEGRADED, TO_HEALTHY, WHEN_DUE, WHEN_UNKEPT] },
    healthy: { always: [TO_DOWN, TO_DEGRADED, TO_UNKNOWN, WHEN_DUE, WHEN_UNKEPT] },
    degraded: { always: [TO_DOWN, TO_HEALTHY, TO_UNKNOWN, WHEN_DUE, WHEN_UNKEPT] },
    down: { always: [TO_DEGRADED, TO_HEALTHY, TO_UNKNOWN, WHEN_DUE, WHEN_UNKEPT] },
    withdrawn: {
      on: {
        'endpoint.withdraw': { actions: 'answerSame' },
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
      { guard: 'isSame', actions: 'answerSame' },
      { target: '.unknown', actions: ['declare', 'refresh', 'publish', 'answerChanged'] },
    ],
    'endpoint.withdraw': { target: '.withdrawn', actions: ['keepProvider', 'withdraw', 'publish', 'answerChanged'] },
    'endpoint.pause': [{ guard: 'isPausedFor', actions: 'answerPause' }, { actions: ['pause', 'pauseChanged'] }],
    'endpoint.resume': [{ guard: 'isPaused', actions: ['resume', 'pauseChanged'] }, { actions: 'answerPause' }],
    'attempts.observed': { actions: 'observe' },
    'probe.observed': { actions: 'probe' },
    'check.observed': { actions: ['check', 'refresh', 'publishFresh'] },
    'benchmark.observed': { actions: ['benchmark', 'refresh', 'publishFresh'] },
    'capacity.reported': { actions: ['report', 'publish', 'answerCapacity'] },
    'endpoint.provider': { actions: 'answerProvider' },
    'actor.activated': { actions: ['refresh', 'publish', 'republishPause'] },
  },
});
