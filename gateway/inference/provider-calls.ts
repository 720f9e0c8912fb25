import type { Clock } from '../../actors/runtime/index.ts';
import type { Endpoint } from '../../actors/terms/endpoint.ts';
import type { RenderTarget } from '../../actors/video-job/render-ask.ts';
import type { Credentials } from '../outbound/credentials.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { FairRoom } from '../overload/fair-room.ts';
import type { StreamShares } from '../overload/stream-shares.ts';
import type { Learnt, ProviderAttempt, ProviderUpload } from '../providers/adapter.ts';
import { open } from '../providers/call/open.ts';
import { credentialsOf, type Target, targetOf } from '../providers/call/target.ts';
import { type VideoTarget, videoTargetOf } from '../providers/video/video-target.ts';
import type { UpstreamLimits } from '../terms/config/config.ts';
import type { Candidate } from '../terms/plan.ts';
import type { ProviderKeys } from '../terms/provider-declaration.ts';
import type { TraceSpan } from '../terms/tracing.ts';
import type { Turn } from '../terms/turn.ts';
import type { RefusalRecorder } from './reports/refusal-recorder.ts';
import type { TurnRequest } from './turn-request.ts';

/** A stream spends many bytes on little text, and its bytes are not kept in memory. */
const STREAM_BYTES_FACTOR = 16;

interface ProviderCallParts {
  readonly clock: Clock;
  readonly limits: UpstreamLimits;
  readonly outbound: Outbound;
  readonly targets: Targets;
  /** Bounds the bytes of replies that one node holds at once. */
  readonly replyRoom: FairRoom;
  /** Shares of the event loop for the streams of providers. */
  readonly streamShares: StreamShares;
  readonly refusals: RefusalRecorder;
}

/** What is sent to an endpoint. */
interface SentTurn {
  readonly turn: Turn;
  /** Absent: written when it is sent. */
  readonly body: string | ProviderUpload | undefined;
  /** The span of the call, where the request is traced. */
  readonly span: TraceSpan | undefined;
  /** Receives the function that aborts the call, once it is under way. */
  readonly begun: (abort: () => void) => void;
}

/** Calls the providers of one node for turns, within the node's bounds and the time that a request has left. */
export class ProviderCalls {
  readonly limits: UpstreamLimits;
  readonly #parts: ProviderCallParts;

  constructor(parts: ProviderCallParts) {
    this.limits = parts.limits;
    this.#parts = parts;
  }

  /** Milliseconds left of a request that began at this monotonic time. */
  leftMs(startedAt: number): number {
    return this.limits.totalMs - (this.#parts.clock.monotonic() - startedAt);
  }

  /** The body as the endpoint receives it. */
  write({ endpoint, completionTokensMax }: Candidate, turn: Turn): string | ProviderUpload {
    return this.#parts.targets.of(endpoint).write(turn, completionTokensMax);
  }

  /** Rejects with `ProviderFailure`. */
  open(request: TurnRequest, candidate: Candidate, { turn, body, span, begun }: SentTurn): Promise<ProviderAttempt> {
    const { clock, outbound, targets, replyRoom, streamShares, refusals } = this.#parts;
    const { connectMs, firstByteMs, idleMs, bodyBytesMax, lineBytesMax } = this.limits;
    const { generation, caller } = request;
    return open(outbound, {
      target: targets.of(candidate.endpoint),
      turn,
      body,
      ceiling: candidate.completionTokensMax,
      generation,
      trace: span?.traceparent,
      limits: {
        connectMs,
        firstByteMs,
        idleMs,
        totalMs: Math.max(1, this.leftMs(request.startedAt)),
        bodyBytesMax: turn.stream ? bodyBytesMax * STREAM_BYTES_FACTOR : bodyBytesMax,
      },
      lineBytesMax,
      sharing: {
        clock,
        room: (bytes) => replyRoom.take(caller.account, bytes),
        streamShare: (bytes) => streamShares.take(caller.account, bytes),
      },
      refusals: refusals.sinkFor(candidate.endpoint, generation),
      begun,
    });
  }
}

/** Endpoints that a node remembers: more than a catalogue has. */
const LEARNT_MAX = 16_384;

/** The provider target of each endpoint, with the operator's key for it: computed once per endpoint object and key. */
export class Targets {
  readonly #keys: ProviderKeys;
  readonly #known = new WeakMap<Endpoint, { readonly target: Target; readonly key: string | null }>();
  /** By endpoint id: an endpoint is another object after each of its publications. */
  readonly #learnt = new Map<string, Learnt>();

  constructor(keys: ProviderKeys) {
    this.#keys = keys;
  }

  /** Throws `ProviderFailure` for an invalid address or dialect. */
  of(endpoint: Endpoint): Target {
    const key = this.#keys.get(endpoint.provider.slug) ?? null;
    const known = this.#known.get(endpoint);
    if (known?.key === key) return known.target;
    const target = targetOf(endpoint, key, undefined, this.#learntOf(endpoint));
    this.#known.set(endpoint, { target, key });
    return target;
  }

  #learntOf({ id }: Endpoint): Learnt {
    const known = this.#learnt.get(id);
    if (known !== undefined) return known;
    if (this.#learnt.size >= LEARNT_MAX) this.#learnt.delete(this.#learnt.keys().next().value as string);
    const learnt: Learnt = {};
    this.#learnt.set(id, learnt);
    return learnt;
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
