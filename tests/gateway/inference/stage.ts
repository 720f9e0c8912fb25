import { ENDPOINTS_TOPIC } from '../../../actors/endpoint/endpoint.ts';
import { NO_EVIDENCE } from '../../../actors/endpoint/evidence.ts';
import {
  type ActorEvent,
  AskError,
  type AskFailure,
  type Clock,
  type Cluster,
  type Json,
  systemClock,
  systemRandom,
} from '../../../actors/runtime/index.ts';
import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import type { HoldRequest, Release, Settlement } from '../../../actors/terms/hold.ts';
import { endpointId, providerId } from '../../../actors/terms/ids.ts';
import type { Tariff } from '../../../actors/terms/tariff.ts';
import config from '../../../cluster.config.ts';
import { chatDialect } from '../../../gateway/dialects/chat/chat-dialect.ts';
import type { FileServices } from '../../../gateway/files/file-services.ts';
import type { AbortNotice } from '../../../gateway/inference/caller-abort.ts';
import { drainInference, type InferenceServices, openInference } from '../../../gateway/inference/services.ts';
import type { TurnRequest } from '../../../gateway/inference/turn-request.ts';
import { Pools } from '../../../gateway/outbound/pools.ts';
import { StreamShares } from '../../../gateway/overload/stream-shares.ts';
import { plan } from '../../../gateway/routing/plan.ts';
import { configuredRouting } from '../../../gateway/routing/workspaces.ts';
import type { ClusterConfig, UpstreamLimits } from '../../../gateway/terms/config/config.ts';
import { type Measures, NO_MEASURES } from '../../../gateway/terms/measures.ts';
import { MemoryBoard } from '../../support/memory-board.ts';
import { DECLARATION } from '../../support/model/declaration.ts';
import { UNMEASURED } from '../../support/model/unmeasured.ts';
import '../../support/prompt-sizes.ts';

/** The declaration of a test endpoint, shorter than a models document. */
export interface Declared {
  /** Catalogue id. */
  readonly id: string;
  /** Absent: the catalogue id. */
  readonly upstreamId?: string;
  readonly name: string;
  readonly created: number;
  readonly contextLength: number;
  readonly maxCompletionTokens?: number;
  readonly maxPromptTokens?: number;
  readonly quantization?: string;
  readonly supportedParameters: readonly string[];
  readonly ceilingName?: Endpoint['ceilingName'];
  readonly cancellable: boolean;
  readonly pricing: Omit<Tariff, 'id' | 'discount'>;
  readonly discount?: number;
}

/** An endpoint as the board lists it. */
export function boardEndpoint(slug: string, baseUrl: string, model: Partial<Declared> = {}): Endpoint {
  const declared: Declared = {
    id: 'sim/fast',
    name: 'Sim Fast',
    created: 1_750_000_000,
    contextLength: 8_192,
    maxCompletionTokens: 1_024,
    supportedParameters: ['temperature', 'tools', 'response_format'],
    cancellable: true,
    pricing: { prompt: '0.000001', completion: '0.000002' },
    ...model,
  };
  const { id, quantization = null, pricing, discount = 0 } = declared;
  return {
    ...DECLARATION,
    id: endpointId(slug, id),
    model: id,
    modelName: declared.name,
    author: id.slice(0, id.indexOf('/')),
    created: declared.created,
    provider: { id: providerId(slug), slug, name: slug.toUpperCase() },
    tag: quantization === null ? slug : `${slug}/${quantization}`,
    quantization,
    contextLength: declared.contextLength,
    completionTokensMax: declared.maxCompletionTokens ?? null,
    promptTokensMax: declared.maxPromptTokens ?? null,
    supportedParameters: declared.supportedParameters,
    ceilingName: declared.ceilingName ?? 'max_tokens',
    cancellable: declared.cancellable,
    target: { dialect: 'chat', baseUrl, upstreamId: declared.upstreamId ?? id },
    tariff: { id: `tar_${JSON.stringify(pricing)}`, ...pricing, discount },
    ...{ health: 'healthy', healthReason: '', evidence: NO_EVIDENCE, measured: UNMEASURED },
  };
}

export function board(...endpoints: readonly Endpoint[]): ReadonlyMap<string, Json> {
  return new Map(endpoints.map((each) => [each.id, each as unknown as Json]));
}

export interface SentEvent {
  readonly to: string;
  readonly event: ActorEvent & {
    readonly request?: HoldRequest;
    readonly settlement?: Settlement;
    readonly release?: Release;
  };
}

/** The answer of the actors; throw to fail the ask. */
export type Answers = (sent: SentEvent, nth: number) => Json;

/** Grants every hold and every settle. */
export function generous({ event }: SentEvent): Json {
  if (event.request) {
    const { generation, attempt, amount } = event.request as unknown as HoldRequest;
    return { admitted: true, generation, attempt, amount };
  }
  if (event.settlement) {
    const { generation, cost } = event.settlement as unknown as Settlement;
    return { generation, cost, late: false };
  }
  return { generation: (event.release as unknown as Release).generation, status: 'released' };
}

export function failing(failure: AskFailure): never {
  throw new AskError('key:acct_1/key_1', failure);
}

export interface Stage {
  readonly services: InferenceServices;
  readonly asks: SentEvent[];
  readonly tells: SentEvent[];
  readonly crashpoints: string[];
  readonly logs: object[];
  request(body: object, endpoints: ReadonlyMap<string, Json>, signal?: AbortNotice): TurnRequest;
  end(): Promise<void>;
}

export interface StageOptions {
  readonly upstream?: Partial<UpstreamLimits>;
  readonly answers?: Answers;
  /** The board's endpoints for `startTurn`. */
  readonly endpoints?: ReadonlyMap<string, Json>;
  readonly measures?: Measures;
  /** Absent: real time. */
  readonly clock?: Clock;
}

/** Inference on a fake cluster that returns the given answers and records every ask. */
export function stage(options: StageOptions = {}): Stage {
  const asks: SentEvent[] = [];
  const tells: SentEvent[] = [];
  const crashpoints: string[] = [];
  const logs: object[] = [];
  const { answers = generous, clock = systemClock } = options;
  const cluster = {
    self: { name: 'n1', incarnation: 'inc_1', birth: 1, address: '' },
    ask: async (to: string, event: ActorEvent) => {
      const sent = { to, event } as SentEvent;
      asks.push(sent);
      await Promise.resolve();
      return answers(sent, asks.length);
    },
    tell: (to: string, event: ActorEvent) => void tells.push({ to, event } as SentEvent),
    now: () => Date.now(),
    board: new MemoryBoard({ [ENDPOINTS_TOPIC]: options.endpoints ?? new Map() }),
  } as unknown as Cluster;
  const upstream = { ...config.upstream, settleRetryMs: 5, ...options.upstream };
  const outbound = new Pools({
    clock,
    lease: { connected: true },
    connectionsPerOriginMax: 64,
    connectMs: upstream.connectMs,
  });
  const opened = openInference({
    storeFull: () => false,
    measures: options.measures ?? NO_MEASURES,
    streamShares: new StreamShares(clock, config.overload),
    cluster,
    clock,
    random: systemRandom,
    config: { ...config, upstream } as ClusterConfig,
    outbound,
    files: { limits: config.files } as FileServices,
    keys: new Map([['a', 'secret-a']]),
    crashpoint: (name) => crashpoints.push(name),
    log: (record) => logs.push(record),
  });
  // As a node that has just read them.
  const workspaces = { routingOf: () => configuredRouting(config) } as unknown as typeof opened.workspaces;
  const services = { ...opened, workspaces };
  let generation = 0;
  return {
    services,
    asks,
    tells,
    crashpoints,
    logs,
    request: (body, endpoints, signal) => {
      const chat = { model: 'sim/fast', messages: [{ role: 'user', content: 'hello' }], ...body };
      const { turn, reply } = chatDialect.parse(chat, null);
      return {
        generation: `gen-${++generation}`,
        turn,
        reply,
        bytes: JSON.stringify(body).length,
        plan: plan({ ...turn, preferences: { ...turn.preferences, sort: 'price' } }, endpoints, 0.5),
        caller: { account: 'account:acct_1', key: 'key:acct_1/key_1', kind: 'inference' },
        attribution: { appTitle: null, appUrl: null },
        startedAt: clock.monotonic(),
        signal,
      };
    },
    end: async () => {
      await drainInference(services);
      await outbound.close();
    },
  };
}
