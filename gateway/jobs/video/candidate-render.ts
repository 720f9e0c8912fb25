import type { AssetRef, FrozenCandidate, RemoteRender } from '../../../actors/video-job/render-ask.ts';
import { AttemptCalls } from '../../outbound/attempt-calls.ts';
import type { OutboundBody } from '../../outbound/outbound.ts';
import { failureOf } from '../../providers/failure-of.ts';
import { ProviderFailure } from '../../providers/provider-failure.ts';
import type { RenderOrder } from '../../providers/video/render-body.ts';
import { UncertainRender } from '../../providers/video/uncertain-render.ts';
import {
  type CreatedRender,
  cancelRender,
  createRender,
  fetchClip,
  type PolledRender,
  pollRender,
  type VideoLine,
} from '../../providers/video/video-calls.ts';
import type { ClipMeasure } from './clip/measure-clip.ts';
import { UnreadableClip } from './clip/unreadable-clip.ts';
import type { RenderNode, RenderTask } from './render-services.ts';
import { pause, renderCallLimits } from './render-services.ts';
import { type ReceivedClip, storeClip } from './store-clip.ts';

/** Polls in a row that may answer "unknown" before the job counts as lost: a provider may list a new one late. */
const UNKNOWN_MAX = 3;
/** Creates at one endpoint that certainly began no render, before the failure counts. (rule V25) */
const REFUSED_MAX = 2;
/** A provider that asks for a longer wait is not asked again: the next candidate is. */
const RETRY_AFTER_MS_MAX = 60_000;
const JITTER = 0.2;
const GROWTH = 1.5;

/** What this attempt needs beside the candidate. */
interface AttemptParts {
  readonly node: RenderNode;
  readonly task: RenderTask;
  /** Commits that the provider accepted the render; rejects where another attempt has taken over. */
  readonly accepted: (providerJobId: string) => Promise<RemoteRender>;
  readonly prompt: () => Promise<string | null>;
  readonly read: (asset: AssetRef) => AsyncIterable<Uint8Array>;
  readonly keeps: (measure: ClipMeasure) => boolean;
  /** Before a create is repeated, behind its wait: what the one before failed with, and how long it took, ms. */
  readonly repeats: (failure: ProviderFailure, tookMs: number) => void;
}

export interface DeliveredClip extends Omit<ReceivedClip, 'refusal'> {
  readonly upstreamId: string | null;
}

/**
 * One candidate of a video job, from the request for the render to the stored clip. Rejects with `ProviderFailure` where
 * the candidate failed, and with any other error where the service itself did. A create that certainly began no render is
 * repeated once; one without an answer only with an idempotency key that the provider recognises. Polls and contents are
 * repeated freely.
 */
export class CandidateRender {
  readonly #parts: AttemptParts;
  readonly #candidate: FrozenCandidate;
  readonly #key: string;
  readonly #line: VideoLine;

  constructor(parts: AttemptParts, candidate: FrozenCandidate, position: number) {
    const { node, task } = parts;
    const { renders, upstream, outbound, targets } = node.services;
    this.#parts = parts;
    this.#candidate = candidate;
    // The same for every attempt of the job, so that a takeover between the create and its report renders once.
    this.#key = `${task.input.generation}:${position}`;
    this.#line = {
      calls: new AttemptCalls(outbound, task.signal),
      target: targets.video(candidate.provider.slug, candidate.target),
      limits: renderCallLimits(renders, upstream, candidate.target.dialect === 'video-sync'),
    };
  }

  async run(remote: RemoteRender | null): Promise<DeliveredClip> {
    const { services } = this.#parts.node;
    let known = remote;
    if (known === null) {
      // Before the call: while the key store is out of reach nothing is rendered that could not be kept.
      await services.files.bytes.keys.current();
      const created = await this.#create();
      if (created.type === 'clip') {
        services.crashpoint('vjob.rendered');
        return { ...(await this.#receive(created.body)), upstreamId: null };
      }
      known = await this.#parts.accepted(created.providerJobId);
    }
    await this.#awaitRender(known);
    services.crashpoint('vjob.rendered');
    return { ...(await this.#receiveRemote(known.providerJobId)), upstreamId: known.providerJobId };
  }

  async #create(): Promise<CreatedRender> {
    const { task, prompt, read } = this.#parts;
    const order = { ask: task.input.ask, prompt: await prompt(), candidate: this.#candidate, read };
    const { clock } = this.#parts.node.services.files;
    for (let tries = 1; ; tries++) {
      const startedAt = clock.monotonic();
      try {
        return await this.#createOnce(order);
      } catch (thrown) {
        task.signal.throwIfAborted();
        const waitMs = thrown instanceof ProviderFailure ? this.#waitMsAfter(thrown, tries) : null;
        if (waitMs === null) throw thrown;
        const tookMs = clock.monotonic() - startedAt;
        await this.#pause(waitMs);
        this.#parts.repeats(thrown as ProviderFailure, tookMs);
      }
    }
  }

  /**
   * A job that is cancelled during its create has no render to abort yet, so the answer is awaited and reported: its chart
   * then aborts the render. Of one account at most as many answers are awaited as it may have renders; the rest is cut.
   */
  async #createOnce(order: RenderOrder): Promise<CreatedRender> {
    const { node, task } = this.#parts;
    const { account } = task.input;
    const { runningPerAccountMax } = node.services.renders;
    let isAwaited = false;
    let isOver = false;
    const outlives = (): boolean => {
      isAwaited = !isOver && node.outliving.of(account) < runningPerAccountMax;
      if (isAwaited) node.outliving.raise(account);
      return isAwaited;
    };
    try {
      return await createRender(this.#line, order, { idempotencyKey: this.#key, outlives });
    } finally {
      isOver = true;
      if (isAwaited) node.outliving.lower(account);
    }
  }

  /** The wait before a failed create is repeated; null where it is not. */
  #waitMsAfter(failure: ProviderFailure, tries: number): number | null {
    const { files, renders } = this.#parts.node.services;
    const { triesMax } = renders;
    const usualMs = this.#backOffMs(tries + 1);
    if (failure instanceof UncertainRender) {
      return this.#candidate.idempotentCreate && tries < triesMax ? usualMs : null;
    }
    if (!failure.repeatable || tries >= Math.min(REFUSED_MAX, triesMax)) return null;
    const afterMs = failure.retryAfterMs ?? 0;
    const isInTime = files.cluster.now() + afterMs < this.#parts.task.input.deadlineAt;
    // The jitter of the pause does not shorten what the provider asked for.
    return isInTime && afterMs <= RETRY_AFTER_MS_MAX ? Math.max(usualMs, afterMs / (1 - JITTER / 2)) : null;
  }

  /** Polls with a growing wait until the render has ended. */
  async #awaitRender({ providerJobId, createdAt }: RemoteRender): Promise<void> {
    const { files, renders } = this.#parts.node.services;
    const { renderMs, pollMsMin, pollMsMax } = renders;
    const silence = new Silence(renders.silentMs);
    for (let waitMs = pollMsMin; ; waitMs = Math.min(pollMsMax, waitMs * GROWTH)) {
      await this.#pause(waitMs);
      const shown = await this.#poll(providerJobId, silence);
      if (shown?.status === 'completed') return;
      if (shown?.failure != null) throw shown.failure;
      if (shown?.status === 'cancelled') throw new ProviderFailure('unavailable', 'the provider cancelled the render');
      if (files.cluster.now() - createdAt < renderMs) continue;
      await this.#giveUp(providerJobId);
      throw new ProviderFailure('timeout', `the render did not end within ${renderMs} ms`);
    }
  }

  /** Null: this poll failed, and the provider may still answer. */
  async #poll(providerJobId: string, silence: Silence): Promise<PolledRender | null> {
    const { clock } = this.#parts.node.services.files;
    try {
      const shown = await pollRender(this.#line, providerJobId);
      silence.ended();
      return shown;
    } catch (thrown) {
      this.#parts.task.signal.throwIfAborted();
      silence.failed(failureOf(thrown, null), clock.monotonic());
      return null;
    }
  }

  /** Nobody waits for this render any more: a provider that can abort it is asked to, once. */
  async #giveUp(providerJobId: string): Promise<void> {
    if (!this.#candidate.cancellable) return;
    try {
      await cancelRender(this.#line, providerJobId);
    } catch {
      this.#parts.task.signal.throwIfAborted();
    }
  }

  /** The content of a job can be read again, so what broke on the way, or in our store, is repeated. */
  async #receiveRemote(providerJobId: string): Promise<ReceivedClip> {
    const { triesMax } = this.#parts.node.services.renders;
    let last: ReceivedClip | null = null;
    for (let tries = 1; tries <= triesMax; tries++) {
      if (tries > 1) await this.#pauseBefore(tries);
      try {
        last = await this.#receive(async () => fetchClip(this.#line, providerJobId));
        if (last.blob !== null) return last;
      } catch (thrown) {
        const failure = this.#brokenClip(thrown);
        if (tries === triesMax && last === null) throw failure;
      }
    }
    if (last === null) throw new ProviderFailure('unavailable', 'the clip did not arrive');
    return last;
  }

  /** Throws what no repeat of a transfer changes: our own stores, and bytes that are no clip. */
  #brokenClip(thrown: unknown): ProviderFailure {
    this.#parts.task.signal.throwIfAborted();
    if (thrown instanceof ProviderFailure && thrown.repeatable && thrown.reason !== 'garbage') return thrown;
    throw thrown;
  }

  async #receive(open: OutboundBody | (() => Promise<OutboundBody>)): Promise<ReceivedClip> {
    const { node, task, keeps } = this.#parts;
    const { files, log } = node.services;
    const { bytes, clock, random } = files;
    const received = await node.receiving.take(async () => {
      const body = typeof open === 'function' ? await open() : open;
      try {
        return await storeClip(body, { bytes, clock, random, place: task.place, keeps });
      } catch (thrown) {
        throw this.#clipFailure(thrown);
      }
    });
    if (received.blob === null) {
      const detail = String(received.refusal);
      log({ level: 'error', message: 'a rendered clip was not stored', job: task.input.job, detail });
    }
    return received;
  }

  /** What the provider's side failed with; errors of our own stores stay what they are. */
  #clipFailure(thrown: unknown): unknown {
    this.#parts.task.signal.throwIfAborted();
    if (thrown instanceof UnreadableClip) return new ProviderFailure('garbage', thrown.message, 200);
    if (thrown instanceof Error && thrown.name === 'OutboundError') return failureOf(thrown, 200);
    return thrown;
  }

  #pauseBefore(tries: number): Promise<void> {
    return this.#pause(this.#backOffMs(tries));
  }

  #backOffMs(tries: number): number {
    return this.#parts.node.services.renders.tryAgainMs * 2 ** (tries - 2);
  }

  #pause(ms: number): Promise<void> {
    const { clock, random } = this.#parts.node.services.files;
    return pause(clock, ms * (1 + JITTER * (random.fraction() - 0.5)), this.#parts.task.signal);
  }
}

/** How long the polls of one render have failed. */
class Silence {
  readonly #longestMs: number;
  #since: number | null = null;
  #unknown = 0;

  constructor(longestMs: number) {
    this.#longestMs = longestMs;
  }

  ended(): void {
    this.#since = null;
    this.#unknown = 0;
  }

  /** Throws the failure once the provider has been silent for too long, or does not know the render. */
  failed(failure: ProviderFailure, nowMs: number): void {
    this.#since ??= nowMs;
    if (failure.status === 404) this.#unknown += 1;
    if (this.#unknown >= UNKNOWN_MAX) throw new ProviderFailure('unavailable', 'the provider lost the render', 404);
    if (nowMs - this.#since > this.#longestMs) throw failure;
  }
}
