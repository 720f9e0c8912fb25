import type { Json, OpenBlob } from '../../../actors/runtime/index.ts';
import { sealBlob } from '../../../actors/runtime/index.ts';
import type { ClusterNode } from '../../../actors/runtime/node.ts';
import { ActivityFailed, type ActivityHandler, type ActivityTask } from '../../../actors/runtime/ports/activity.ts';
import { BlobsRefused } from '../../../actors/runtime/ports/blobs.ts';
import { placeOfClip } from '../../../actors/video-job/clips.ts';
import type { AbortResult, RenderedClip, RenderResult } from '../../../actors/video-job/outcome.ts';
import type { AbortInput, RenderInput } from '../../../actors/video-job/render.ts';
import type { FrozenCandidate } from '../../../actors/video-job/render-ask.ts';
import { beginRender, type RenderRun, reportSubmitted } from '../../../actors/video-job/video-job.ts';
import { renderSettlement } from '../../../gateway/jobs/video/render-settlement.ts';
import { openPrompt } from '../../../gateway/jobs/video/seal-prompt.ts';
import { removalHandler } from '../../../gateway/jobs/video/store-clip.ts';
import type { History } from '../history.ts';
import type { Database } from '../world/database.ts';
import type { Dice } from '../world/dice.ts';
import type { ProcessBytes, SimulatedProcess } from '../world/node.ts';
import { pause } from './client.ts';

const ASK_MS = 3_000;
const POLL_MS = 400;
const RENDER_MS_MAX = 5_000;
const CLIP_BYTES_MAX = 90_000;
const STORE_TRIES = 3;
const STORE_AGAIN_MS = 500;
const CANCELLED_SECONDS = '0.5';
const RUNNING = { runningMax: 64, runningPerGroupMax: 8 };

/** What becomes of the renders of a job: `unkept` ones find no room in the blob store, and `endless` ones never end. */
export type Fate = 'delivered' | 'refused' | 'unkept' | 'endless';

/** What the provider was asked to do with a job. */
interface Order {
  readonly job: string;
  readonly prompt: string;
  readonly fate: Fate;
}

/** One render at the provider, which goes on whatever becomes of the node that asked. */
interface Render {
  readonly id: string;
  readonly readyAt: number;
  readonly seconds: string;
  readonly bytes: number;
  readonly cancelledSeconds: string | null;
}

/** The activities of video jobs as a gateway has them, with simulated providers and clips in the world's blobs. */
export class VideoRuns {
  readonly #orders = new Map<string, Order>();
  readonly #renders = new Map<string, Render>();
  readonly #history: History;
  readonly #database: Database;

  constructor(history: History, database: Database) {
    this.#history = history;
    this.#database = database;
  }

  /** What the provider will do with a job. */
  expect(order: Order): void {
    this.#orders.set(order.job, order);
  }

  handlers(process: SimulatedProcess, dice: Dice): Readonly<Record<string, ActivityHandler>> {
    const handler = (run: (task: ActivityTask, signal: AbortSignal) => Promise<object>): ActivityHandler => ({
      ...RUNNING,
      run: async (task, signal) => (await run(task, signal)) as unknown as Json,
    });
    return {
      render: handler((task, signal) => this.#render(process, dice, task, signal)),
      abort: handler((task) => this.#abort(process, dice, task)),
      removal: removalHandler(() => bytesOf(process).blobs),
    };
  }

  /** Begins, reports, polls, stores and prices as the product's handler does. */
  async #render(process: SimulatedProcess, dice: Dice, task: ActivityTask, signal: AbortSignal): Promise<RenderResult> {
    const input = task.input as unknown as RenderInput;
    const { job, account, ask } = input;
    const node = nodeOf(process);
    const run: RenderRun = { account, id: job, run: task.attempt, withinMs: ASK_MS };
    const begun = await beginRender(node, run).catch(unavailable);
    if (begun === null) throw new ActivityFailed('superseded', 'another attempt renders the job', false);
    const candidate = input.candidates[0] as FrozenCandidate;
    const known = begun.remote?.providerJobId ?? null;
    if (known !== null) this.#history.saw('render polled by a later attempt');
    else if (task.attempt > 1) this.#history.saw('render begun again');
    let render = known === null ? null : (this.#renders.get(known) ?? null);
    if (render === null) {
      const prompt = await openPrompt(bytesOf(process).keys, { account, job }, ask.prompt).catch(unavailable);
      if (prompt !== this.#orders.get(job)?.prompt) throw new Error(`${job} was asked for another prompt`);
      await pause(process, dice.between(1, 200));
      render = this.#create(job, dice);
      if (candidate.target.dialect === 'video-jobs') {
        const remote = { candidate: 0, providerJobId: render.id, createdAt: node.now() };
        const kept = await reportSubmitted(node, run, remote).catch(unavailable);
        if (kept === null) throw new ActivityFailed('superseded', 'the job has ended', false);
      }
    }
    while (this.#database.now() < render.readyAt) {
      await pause(process, POLL_MS);
      if (signal.aborted) throw signal.reason;
    }
    return this.#delivered(process, dice, { input, candidate, render });
  }

  #create(job: string, dice: Dice): Render {
    const id = `remote-${this.#renders.size + 1}`;
    const endless = this.#orders.get(job)?.fate === 'endless';
    const render: Render = {
      id,
      readyAt: endless ? Number.POSITIVE_INFINITY : this.#database.now() + dice.between(100, RENDER_MS_MAX),
      seconds: `${dice.whole(1, 4)}.${dice.whole(0, 999)}5`,
      bytes: dice.whole(1, CLIP_BYTES_MAX),
      cancelledSeconds: dice.happens(0.5) ? CANCELLED_SECONDS : null,
    };
    this.#renders.set(id, render);
    this.#history.note('render', { job, ...render });
    return render;
  }

  async #delivered(
    process: SimulatedProcess,
    dice: Dice,
    { input, candidate, render }: { input: RenderInput; candidate: FrozenCandidate; render: Render },
  ): Promise<RenderResult> {
    const { job, account } = input;
    const fate = this.#orders.get(job)?.fate;
    if (fate === 'refused') {
      const error = { code: 422, message: 'The provider refused it', error_type: 'unprocessable' } as const;
      return { outcome: 'failed', error, fault: null, settlement: null };
    }
    const settlement = this.#settlement(input, candidate, { seconds: render.seconds, cancelled: false });
    const key = await bytesOf(process).keys.current().catch(unavailable);
    const blob = fate === 'unkept' ? null : await this.#store(process, render.bytes);
    if (blob === null) {
      this.#history.saw('clip charged and not stored');
      const error = { code: 500, message: 'It could not be stored', error_type: 'server' } as const;
      return { outcome: 'failed', error, fault: 'marketplace', settlement };
    }
    const clip: RenderedClip = {
      blob: sealBlob(key, placeOfClip(account, job, 0), blob, dice),
      ...{ durationSeconds: render.seconds, frames: 1, width: 16, height: 16, fps: '24' },
      ...{ bytes: render.bytes, audio: false },
    };
    return { outcome: 'completed', clips: [clip], settlement };
  }

  /** Null: the blobs refused every try. */
  async #store(process: SimulatedProcess, bytes: number): Promise<OpenBlob | null> {
    for (let tries = 1; tries <= STORE_TRIES; tries++) {
      try {
        return await bytesOf(process).blobs.put(filled(bytes));
      } catch (thrown) {
        if (!(thrown instanceof BlobsRefused)) throw thrown;
        await pause(process, STORE_AGAIN_MS);
      }
    }
    return null;
  }

  #settlement(
    { generation }: Pick<RenderInput, 'generation'>,
    candidate: FrozenCandidate,
    { seconds, cancelled }: { readonly seconds: string; readonly cancelled: boolean },
  ) {
    return renderSettlement({
      ...{ generation, candidate, videoSeconds: seconds, upstreamId: null, cancelled, attempts: [] },
      generationMs: 1,
    });
  }

  async #abort(process: SimulatedProcess, dice: Dice, task: ActivityTask): Promise<AbortResult> {
    const { generation, candidate, remote } = task.input as unknown as AbortInput;
    await pause(process, dice.between(1, 1_000));
    const seconds = this.#renders.get(remote.providerJobId)?.cancelledSeconds ?? null;
    if (seconds === null) return { settlement: null };
    this.#history.saw('video cancelled and charged');
    return { settlement: this.#settlement({ generation }, candidate, { seconds, cancelled: true }) };
  }
}

/** A failure of the cluster or of a store is repeated by the chart. */
function unavailable(thrown: unknown): never {
  throw new ActivityFailed('unavailable', String(thrown), true);
}

function nodeOf({ node, name }: SimulatedProcess): ClusterNode {
  if (node === null) throw new Error(`${name} runs an activity before it has joined`);
  return node;
}

function bytesOf({ bytes, name }: SimulatedProcess): ProcessBytes {
  if (bytes === null) throw new Error(`${name} has no byte stores`);
  return bytes;
}

async function* filled(bytes: number): AsyncIterable<Uint8Array> {
  yield Buffer.alloc(bytes, 'clip ');
}
