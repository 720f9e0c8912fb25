import { ENDPOINTS_TOPIC, endpointKind } from '../../../actors/endpoint/endpoint.ts';
import type { ObservedAttempt } from '../../../actors/endpoint/window.ts';
import { type ActorEvent, type Cluster, type Json, systemClock } from '../../../actors/runtime/index.ts';
import type { Endpoint, Evidence } from '../../../actors/terms/endpoint.ts';
import { endpointAddress } from '../../../actors/terms/ids.ts';
import config from '../../../cluster.config.ts';
import { Prober } from '../../../gateway/catalogue/declare/prober.ts';
import type { CheckSite } from '../../../gateway/checks/ask.ts';
import { Benchmarker } from '../../../gateway/checks/benchmarker.ts';
import { Checker } from '../../../gateway/checks/checker.ts';
import { Pools } from '../../../gateway/outbound/pools.ts';
import { credentialsOf, modelListOf, targetOf } from '../../../gateway/providers/call/target.ts';
import type { BenchmarkLimits, CheckLimits } from '../../../gateway/terms/config/check-limits.ts';
import { boardEndpoint } from '../../support/model/endpoints.ts';
import { PureActors } from '../../support/model/pure-actors.ts';
import { ManualClock } from '../outbound/manual-clock.ts';

const START = 1_763_690_400_000;
const LOOKS_MAX = 5_000;

/**
 * Endpoint actors without a cluster and a checker that calls real providers. Tests move the clock; any access to an
 * account throws.
 */
export class Market {
  readonly actors = new PureActors([endpointKind], START);
  readonly board = new Map<string, Json>();
  readonly clock = new ManualClock();
  readonly logs: object[] = [];
  readonly checker: Checker;
  readonly benchmarker: Benchmarker;
  readonly prober: Prober;
  /** Where single questions are asked. */
  readonly site: CheckSite;
  /** The operator's key for every provider. */
  key: string | null = null;
  readonly foreign = new Set<string>();
  readonly sent: ActorEvent[] = [];
  readonly #outbound = new Pools({
    clock: systemClock,
    lease: { connected: true },
    connectionsPerOriginMax: 8,
    connectMs: 1_000,
  });

  constructor(limits: Partial<CheckLimits> = {}, runs: Partial<BenchmarkLimits> = {}) {
    const cluster = {
      tell: (to: string, event: ActorEvent) => void this.tell(to, event),
      ask: () => Promise.reject(new Error('a check sends no ask')),
      now: () => this.actors.now,
      owns: (address: string) => !this.foreign.has(address),
      board: { topic: (name: string) => (name === ENDPOINTS_TOPIC ? this.board : new Map()) },
    };
    const parts = {
      cluster: cluster as unknown as Cluster,
      clock: this.clock,
      outbound: this.#outbound,
      upstream: config.upstream,
      targetOf: (endpoint: Endpoint) => targetOf(endpoint, this.key),
      log: (record: object) => void this.logs.push(record),
    };
    this.site = {
      ...{ outbound: this.#outbound, clock: this.clock, targetOf: parts.targetOf, begun: () => {} },
      limits: { ...config.checks, timeoutMs: 2_000 },
      ...config.upstream,
    };
    this.checker = new Checker({
      ...parts,
      limits: { ...config.checks, firstWithinMs: 1, timeoutMs: 2_000, ...limits },
    });
    this.prober = new Prober({
      ...parts,
      clock: systemClock,
      credentialsOf: (endpoint) => credentialsOf(endpoint, this.key),
      modelsPathOf: (endpoint) => modelListOf(endpoint)?.path ?? '/models',
      log: { info: parts.log, warn: parts.log },
    });
    this.benchmarker = new Benchmarker({ ...parts, limits: { ...config.benchmarks, timeoutMs: 2_000, ...runs } });
  }

  /** Declares an endpoint; `model` is its upstream id. */
  declare(slug: string, baseUrl: string, model: string, over: Partial<Endpoint> = {}): Endpoint {
    const { health, evidence, measured, ...declaration } = {
      ...boardEndpoint(slug, baseUrl, {
        id: `m/${model.replace('/', '-')}`,
        upstreamId: model,
        maxCompletionTokens: 4_096,
      }),
      ...over,
    };
    const event = { type: 'endpoint.declare', declaration, digest: JSON.stringify(declaration) };
    this.tell(endpointAddress(declaration.id), event as never);
    return this.shown(declaration.id);
  }

  tell(to: string, event: ActorEvent): void {
    this.sent.push(event);
    for (const { key, value } of this.actors.tell(to, event).published) this.board.set(key, value);
  }

  observe(endpoint: string, attempts: readonly ObservedAttempt[]): void {
    this.actors.now += 5_000;
    this.tell(endpointAddress(endpoint), { type: 'attempts.observed', attempts } as never);
  }

  shown(id: string): Endpoint {
    return this.board.get(id) as unknown as Endpoint;
  }

  evidence(id: string): Evidence {
    return this.shown(id).evidence;
  }

  /** Repeats the look, a second apart, until every check was tried and reported. */
  async settle(): Promise<void> {
    for (let idle = 0, looks = 0; idle < 2 && looks < LOOKS_MAX; looks++) {
      const before = this.sent.length;
      this.actors.now += 1_000;
      await this.checker.look();
      idle = this.sent.length === before ? idle + 1 : 0;
    }
  }

  async close(): Promise<void> {
    this.checker.stop();
    this.benchmarker.stop();
    await this.#outbound.close();
  }
}
