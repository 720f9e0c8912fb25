import { type Clock, type Cluster, type Random, Slab } from '../../actors/runtime/index.ts';
import type { Endpoint } from '../../actors/terms/endpoint.ts';
import type { RenderTarget } from '../../actors/video-job/render-ask.ts';
import { FileRoom, type FileServices } from '../files/file-services.ts';
import type { Credentials } from '../outbound/credentials.ts';
import type { Outbound } from '../outbound/outbound.ts';
import { FairRoom } from '../overload/fair-room.ts';
import type { StreamShares } from '../overload/stream-shares.ts';
import { credentialsOf, type Target, targetOf } from '../providers/call/target.ts';
import { type VideoTarget, videoTargetOf } from '../providers/video/video-target.ts';
import { Affinity } from '../routing/affinity.ts';
import { Workspaces } from '../routing/workspaces.ts';
import type { ClusterConfig } from '../terms/config/config.ts';
import type { Measures } from '../terms/measures.ts';
import type { ProviderKeys } from '../terms/provider-declaration.ts';
import type { TraceSpan } from '../terms/tracing.ts';
import { KeyAlarms } from './key-alarms.ts';
import { Outcomes } from './outcomes.ts';
import { RefusalRecorder } from './refusal-recorder.ts';

type CrashPoint = 'hold.committed' | 'upstream.sent' | 'upstream.firstbyte' | 'settle.committed';

export interface LogRecord {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly [member: string]: unknown;
}

/** What inference needs from its node. */
interface InferenceParts {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly random: Random;
  readonly config: ClusterConfig;
  readonly outbound: Outbound;
  readonly files: FileServices;
  /** Provider slug to its API key. Never logged. */
  readonly keys: ProviderKeys;
  readonly crashpoint: (name: CrashPoint) => void;
  /** True while the store has room only for work under way: nothing new may be held. */
  readonly storeFull: () => boolean;
  readonly measures: Measures;
  /** Shares of the event loop for the streams of providers. */
  readonly streamShares: StreamShares;
  readonly log: (record: LogRecord) => void;
}

/** The parts, and the state that one node's inference keeps between requests. */
export interface InferenceServices extends Omit<InferenceParts, 'keys'> {
  readonly targets: Targets;
  readonly affinity: Affinity;
  readonly outcomes: Outcomes;
  readonly fileRoom: FileRoom;
  readonly replyRoom: FairRoom;
  readonly refusals: RefusalRecorder;
  readonly keyAlarms: KeyAlarms;
  readonly pending: BackgroundWork;
  /** The span of the request that these services run; absent where it is not traced. */
  readonly span?: TraceSpan;
  readonly workspaces: Workspaces;
}

export function openInference({ keys, ...parts }: InferenceParts): InferenceServices {
  return {
    ...parts,
    targets: new Targets(keys),
    affinity: new Affinity(parts.cluster.board),
    outcomes: new Outcomes(parts.cluster, parts.clock),
    fileRoom: new FileRoom(parts.files.limits.heldBytesMax, parts.clock),
    replyRoom: new FairRoom(parts.config.upstream.repliesBytesMax),
    refusals: new RefusalRecorder(parts.cluster, keys),
    keyAlarms: new KeyAlarms(parts),
    pending: new BackgroundWork(),
    workspaces: new Workspaces(parts.cluster, parts.clock, parts.config),
  };
}

/**
 * Called when a node ends: waits until every hold of this node is settled or released, then sends the last outcomes.
 */
export async function drainInference(services: InferenceServices): Promise<void> {
  await services.pending.idle();
  services.outcomes.flush();
}

/** Work that continues after the client has its answer: settles, releases, answers read to their end. */
class BackgroundWork {
  readonly #work = new Slab<Promise<void>>();

  get count(): number {
    return this.#work.size;
  }

  /** `work` never rejects. */
  add(work: Promise<void>): void {
    const place = this.#work.add(work);
    void work.finally(() => this.#work.take(place));
  }

  /** Resolves when no work is left, including work added while waiting. */
  async idle(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work.all());
  }
}

/** The provider target of each endpoint, with the operator's key for it: computed once per endpoint object and key. */
class Targets {
  readonly #keys: ProviderKeys;
  readonly #known = new WeakMap<Endpoint, { readonly target: Target; readonly key: string | null }>();

  constructor(keys: ProviderKeys) {
    this.#keys = keys;
  }

  /** Throws `ProviderFailure` for an invalid address or dialect. */
  of(endpoint: Endpoint): Target {
    const key = this.#keys.get(endpoint.provider.slug) ?? null;
    const known = this.#known.get(endpoint);
    if (known?.key === key) return known.target;
    const target = targetOf(endpoint, key);
    this.#known.set(endpoint, { target, key });
    return target;
  }

  /** What authenticates calls to the provider of an endpoint, whatever it serves. */
  credentials(endpoint: Endpoint): Credentials {
    return credentialsOf(endpoint, this.#keys.get(endpoint.provider.slug) ?? null);
  }

  /** The target of a render, as frozen with its job. Throws `ProviderFailure` for an invalid address. */
  video(slug: string, target: RenderTarget): VideoTarget {
    return videoTargetOf(target, this.#keys.get(slug) ?? null);
  }
}

/** The services for one traced request: its asks and its calls of providers are parts of `span`. */
export function tracedServices(services: InferenceServices, span: TraceSpan): InferenceServices {
  return { ...services, cluster: tracedCluster(services.cluster, span), span };
}

/** The same cluster; each ask is a span that the owner's node continues. */
function tracedCluster(cluster: Cluster, span: TraceSpan): Cluster {
  const ask: Cluster['ask'] = async (to, event, options) => {
    const asking = span.child(`ask ${event.type}`, { 'troupe.kind': to.slice(0, to.indexOf(':')) });
    try {
      return await cluster.ask(to, event, { ...options, trace: asking.traceparent });
    } catch (thrown) {
      asking.end('unanswered');
      throw thrown;
    } finally {
      asking.end();
    }
  };
  return new Proxy(cluster, {
    get: (target, name) => {
      if (name === 'ask') return ask;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
