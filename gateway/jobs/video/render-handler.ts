import {
  ActivityFailed,
  type ActivityHandler,
  type ActivityTask,
  type Cluster,
  Counts,
  type Json,
  openBlob,
  Semaphore,
} from '../../../actors/runtime/index.ts';
import type { AttemptRecord } from '../../../actors/terms/hold.ts';
import { accountAddress } from '../../../actors/terms/ids.ts';
import { isPausedOn } from '../../../actors/terms/pause.ts';
import { placeOfAssets, placeOfClip } from '../../../actors/video-job/clips.ts';
import { ATTEMPTS_MAX, type RenderResult } from '../../../actors/video-job/outcome.ts';
import type { BegunRender, RenderInput } from '../../../actors/video-job/render.ts';
import type { AssetRef, FrozenCandidate, RemoteRender } from '../../../actors/video-job/render-ask.ts';
import {
  beginRender,
  cancelVideo,
  type RenderRun,
  reportMoved,
  reportSubmitted,
} from '../../../actors/video-job/video-job.ts';
import { isLost } from '../../files/byte-failure.ts';
import { accountTag } from '../../inference/reports/outcomes.ts';
import type { Flight } from '../../inflight/flights.ts';
import { ProviderFailure } from '../../providers/provider-failure.ts';
import type { RenderLimits } from '../../terms/config/render-limits.ts';
import { refusalError } from '../../terms/gateway-error.ts';
import type { RenderServices } from '../job-services.ts';
import { CandidateRender, type DeliveredClip } from './candidate-render.ts';
import { judgeClip } from './judge-clip.ts';
import { type CandidateFailure, categoryOf, isFault, isRefusal, renderError, shownOf } from './render-error.ts';
import type { RenderNode } from './render-services.ts';
import { renderSettlement } from './render-settlement.ts';
import { openPrompt } from './seal-prompt.ts';

const CLIP = 0;
/** What was submitted cannot be read any more, so nothing was sent and nothing is charged. (rule V27) */
const LOST = {
  outcome: 'failed',
  error: { code: 500, message: 'The service has lost what was submitted; nothing was charged', error_type: 'server' },
  fault: 'marketplace',
  settlement: null,
} as const;

/**
 * The activity `render`: renders one video job at the first of its candidates that delivers, and resolves with the
 * stored clip and its charge, which the job records in one commit. What a provider failed at is a result; a failure of
 * the cluster or of a store is none, and the chart repeats the attempt, which continues at the provider's own job.
 * (rule V21, rule V22)
 */
export function renderHandler(services: () => RenderServices, limits: RenderLimits): ActivityHandler {
  const receiving = new Semaphore(limits.receivingMax);
  const direct = new Set<string>();
  const outliving = new Counts();
  return {
    runningMax: limits.runningMax,
    runningPerGroupMax: limits.runningPerAccountMax,
    patience: { graceMs: limits.drainMs, applies: (address) => direct.has(address) },
    run: async (task, signal) =>
      (await new RenderWork(
        { services: services(), receiving, direct, outliving },
        task,
        signal,
      ).run()) as unknown as Json,
  };
}

/** How one candidate ended: with a clip, or not. */
type Tried = { readonly clip: DeliveredClip } | { readonly failure: CandidateFailure };

class RenderWork {
  readonly #node: RenderNode;
  readonly #input: RenderInput;
  readonly #signal: AbortSignal;
  readonly #run: RenderRun;
  readonly #address: string;
  readonly #attempts: AttemptRecord[] = [];
  readonly #startedAt: number;
  /** When the current call to a provider began. */
  #calledAt = 0;

  constructor(node: RenderNode, task: ActivityTask, signal: AbortSignal) {
    const { files, upstream } = node.services;
    this.#node = node;
    this.#input = task.input as unknown as RenderInput;
    this.#signal = signal;
    this.#address = task.address;
    const { account, job } = this.#input;
    this.#run = { account, id: job, run: task.attempt, withinMs: upstream.askMs };
    this.#startedAt = files.clock.monotonic();
  }

  async run(): Promise<RenderResult> {
    const flight = this.#flight();
    try {
      return await this.#render();
    } finally {
      this.#node.services.flights.end(this.#input.generation, flight);
    }
  }

  /** The render as operators see it; they stop it by a cancel of its job. */
  #flight(): Flight {
    const { generation: id, account, job, candidates } = this.#input;
    const [first] = candidates;
    const flight = this.#node.services.flights.begin({
      id,
      kind: 'render',
      account: accountAddress(account),
      key: this.#input.key,
      model: first?.model ?? '',
    });
    flight.onStop = async (by) => {
      const { withinMs } = this.#run;
      const answer = await cancelVideo(
        this.#cluster,
        { account, id: job },
        withinMs,
        by,
        flight.stopReason ?? undefined,
      );
      if ('refusal' in answer) throw refusalError(answer.refusal, this.#cluster.now());
    };
    return flight;
  }

  async #render(): Promise<RenderResult> {
    try {
      await this.#awaitRoom();
      const begun = current(await beginRender(this.#cluster, this.#run));
      return await this.#tryAll(begun);
    } catch (thrown) {
      if (this.#signal.aborted) throw this.#signal.reason;
      if (thrown instanceof ActivityFailed) throw thrown;
      if (isLost(thrown)) return { ...LOST, attempts: this.#attempts };
      throw new ActivityFailed('unavailable', thrown instanceof Error ? thrown.message : String(thrown), true);
    }
  }

  /** Jobs are shed first: nothing begins while the node sheds load. (rule E48) */
  async #awaitRoom(): Promise<void> {
    const { pace } = this.#node.services;
    const { account, deadlineAt } = this.#input;
    const waitMs = Math.max(0, deadlineAt - this.#cluster.now());
    await pace.enter(account, { signal: this.#signal, waitMs });
  }

  async #tryAll({ candidate, remote }: BegunRender): Promise<RenderResult> {
    const { candidates } = this.#input;
    const failures: CandidateFailure[] = [];
    for (let position = candidate; position < candidates.length; position++) {
      const isUnderWay = position === candidate && remote !== null;
      if (!isUnderWay && this.#isPaused(candidates[position] as FrozenCandidate)) {
        failures.push(new ProviderFailure('unavailable', 'the operator paused it'));
        continue;
      }
      if (position > candidate) current(await reportMoved(this.#cluster, this.#run, position));
      const tried = await this.#try(position, position === candidate ? remote : null);
      if ('clip' in tried) return this.#delivered(tried.clip, candidates[position] as FrozenCandidate);
      failures.push(tried.failure);
      if (isRefusal(tried.failure)) break;
    }
    return { outcome: 'failed', error: renderError(failures), fault: null, settlement: null, attempts: this.#attempts };
  }

  #isPaused({ endpoint, provider }: FrozenCandidate): boolean {
    return isPausedOn(this.#cluster.board, endpoint, provider.slug);
  }

  get #cluster(): Cluster {
    return this.#node.services.files.cluster;
  }

  async #try(position: number, remote: RemoteRender | null): Promise<Tried> {
    const candidate = this.#input.candidates[position] as FrozenCandidate;
    const { clock } = this.#node.services.files;
    this.#calledAt = clock.monotonic();
    if (candidate.target.dialect === 'video-sync') this.#node.direct.add(this.#address);
    const tried = await this.#deliver(candidate, position, remote).finally(() =>
      this.#node.direct.delete(this.#address),
    );
    this.#observe(candidate, 'failure' in tried ? tried.failure : null, clock.monotonic() - this.#calledAt);
    return tried;
  }

  async #deliver(candidate: FrozenCandidate, position: number, remote: RemoteRender | null): Promise<Tried> {
    const { account, job, ask } = this.#input;
    const { clock } = this.#node.services.files;
    const outside = { reason: null as string | null };
    try {
      const attempt = new CandidateRender(
        {
          node: this.#node,
          task: { input: this.#input, signal: this.#signal, place: placeOfClip(account, job, CLIP) },
          accepted: (providerJobId) => this.#accepted(providerJobId, position),
          prompt: () => this.#readPrompt(),
          read: (asset) => this.#readAsset(asset),
          keeps: (measure) => {
            outside.reason = judgeClip(measure, ask, candidate);
            return outside.reason === null;
          },
          repeats: (failure, tookMs) => {
            this.#record(candidate, failure, tookMs);
            this.#calledAt = clock.monotonic();
          },
        },
        candidate,
        position,
      );
      const clip = await attempt.run(remote);
      outside.reason ??= judgeClip(clip.measure, ask, candidate);
      return outside.reason === null ? { clip } : { failure: { outside: outside.reason } };
    } catch (thrown) {
      this.#signal.throwIfAborted();
      if (thrown instanceof ProviderFailure) return { failure: thrown };
      throw thrown;
    }
  }

  /** Committed before the first poll, so that a takeover polls this render instead of beginning another. */
  async #accepted(providerJobId: string, candidate: number): Promise<RemoteRender> {
    const remote: RemoteRender = { candidate, providerJobId, createdAt: this.#cluster.now() };
    current(await reportSubmitted(this.#cluster, this.#run, remote));
    return remote;
  }

  #readPrompt(): Promise<string | null> {
    const { account, job, ask } = this.#input;
    return openPrompt(this.#node.services.files.bytes.keys, { account, job }, ask.prompt);
  }

  async *#readAsset({ offset, length }: AssetRef): AsyncIterable<Uint8Array> {
    const { account, job, assets } = this.#input;
    if (assets === null) throw new Error('a video job without the bytes of its assets');
    const { keys, blobs } = this.#node.services.files.bytes;
    const blob = await openBlob(keys, placeOfAssets(account, job), assets);
    yield* blobs.read(blob, { from: offset, to: offset + length });
  }

  /** Charged also where the clip could not be stored: it was rendered and measured. (rule V23) */
  #delivered({ blob, measure, bytes, upstreamId }: DeliveredClip, candidate: FrozenCandidate): RenderResult {
    const settlement = renderSettlement({
      generation: this.#input.generation,
      candidate,
      videoSeconds: measure.durationSeconds,
      upstreamId,
      cancelled: false,
      attempts: this.#attempts,
      generationMs: Math.round(this.#node.services.files.clock.monotonic() - this.#startedAt),
    });
    const { measures } = this.#node.services;
    const endpoint = { model: candidate.model, provider: candidate.provider.name };
    measures.charged(endpoint, settlement);
    measures.rendered(endpoint, this.#node.services.files.clock.monotonic() - this.#startedAt);
    if (blob === null) {
      const message = 'The clip was rendered, and the service could not store it';
      return {
        outcome: 'failed',
        error: { code: 500, message, error_type: 'server' },
        fault: 'marketplace',
        settlement,
      };
    }
    this.#node.services.crashpoint('vjob.stored');
    return { outcome: 'completed', clips: [{ blob, ...measure, bytes }], settlement };
  }

  /** The end of one candidate: a create that was repeated is recorded, and does not count. */
  #observe(candidate: FrozenCandidate, failure: CandidateFailure | null, tookMs: number): void {
    const { outcomes } = this.#node.services;
    this.#record(candidate, failure, tookMs);
    if (failure !== null) this.#log(candidate, failure, tookMs);
    const isCounted = failure !== null && ('outside' in failure || failure.counted);
    outcomes.observe(candidate.endpoint, {
      by: accountTag(accountAddress(this.#input.account)),
      at: this.#cluster.now(),
      outcome: failure === null ? 'success' : isCounted ? 'error' : 'other',
      ...(failure !== null && isFault(failure) ? { failure: shownOf(failure) } : {}),
      streamed: false,
      durationMs: Math.round(tookMs),
    });
  }

  #log({ endpoint }: FrozenCandidate, failure: CandidateFailure, tookMs: number): void {
    const { job } = this.#input;
    const detail = 'outside' in failure ? failure.outside : failure.message;
    this.#node.services.log({
      level: 'warn',
      message: 'a candidate did not render a video',
      job,
      endpoint,
      reason: categoryOf(failure),
      detail,
      tookMs: Math.round(tookMs),
    });
  }

  /** Keeps one call as an attempt of the generation. */
  #record(candidate: FrozenCandidate, failure: CandidateFailure | null, tookMs: number): void {
    const { measures } = this.#node.services;
    const attempt: AttemptRecord = {
      endpoint: candidate.endpoint,
      provider: candidate.provider.name,
      status: failure !== null && !('outside' in failure) ? failure.status : 200,
      outcome: failure === null ? 'served' : 'failed',
      latencyMs: Math.round(tookMs),
      ...(failure === null ? {} : { reason: categoryOf(failure) }),
    };
    this.#attempts.push(attempt);
    if (this.#attempts.length > ATTEMPTS_MAX) this.#attempts.shift();
    measures.attemptEnded({ model: candidate.model, provider: attempt.provider }, attempt);
  }
}

/** Rejects where another attempt renders the job, or where it has ended. */
function current(begun: BegunRender | null): BegunRender {
  if (begun === null) throw new ActivityFailed('superseded', 'another attempt renders this job', false);
  return begun;
}
