/**
 * Video jobs on nodes in virtual time: the product's actors, holds and clips; the provider is simulated. It renders on,
 * whatever becomes of the node that asked.
 */
import * as assert from 'uvu/assert';
import { showAccount } from '../../actors/account/account.ts';
import {
  ActivityFailed,
  type ActivityHandler,
  type ActivityTask,
  type Json,
  sealBlob,
} from '../../actors/runtime/index.ts';
import type { Generation } from '../../actors/terms/hold.ts';
import { accountAddress, generationId, keyAddress, videoJobAddress, videoJobId } from '../../actors/terms/ids.ts';
import { placeOfClip } from '../../actors/video-job/clips.ts';
import type { NewVideoJob, VideoBounds } from '../../actors/video-job/job.ts';
import type { JobRecord } from '../../actors/video-job/job-record.ts';
import type { AbortResult, RenderedClip, RenderResult } from '../../actors/video-job/outcome.ts';
import type { AbortInput, RenderInput } from '../../actors/video-job/render.ts';
import {
  beginRender,
  findVideoJob,
  type RenderRun,
  reportSubmitted,
  submitVideo,
} from '../../actors/video-job/video-job.ts';
import { removalHandler } from '../../gateway/jobs/video/store-clip.ts';
import { Dice } from '../simulation/world/dice.ts';
import { MemoryBlobs } from '../support/memory-blobs.ts';
import { MemoryKeyStore } from '../support/memory-key-store.ts';
import * as made from '../support/model/video-jobs.ts';
import * as words from '../support/model/words.ts';
import { JobWorld, WITHIN_MS } from './job-world.ts';
import type { VirtualNode } from './virtual-nodes.ts';

/** Shorter than the product's: each second of the world costs work. */
export const BOUNDS: VideoBounds = {
  ...made.BOUNDS,
  ...{ jobMs: 60_000, windowMs: 90_000, deliveredMs: 30_000, downloadMs: 60_000 },
};
const POLL_MS = 1_000;
const COST = '1';

/** One render at the provider. Times in ms of the world. */
interface Render {
  readonly id: string;
  readonly job: string;
  readonly node: string;
  readonly readyAt: number;
  aborted: boolean;
}

export class VideoWorld extends JobWorld {
  readonly renders: Render[] = [];
  renderMs = 10_000;
  /** How long a drain waits for a render that only the open call knows, ms. */
  patienceMs = 0;
  /** The provider never finishes. */
  hangs = false;
  readonly #keys: MemoryKeyStore;
  readonly #blobs: MemoryBlobs;
  readonly #random = new Dice(1);
  /** Addresses of jobs whose render only the open call knows. */
  readonly #direct = new Set<string>();

  constructor() {
    super();
    const parts = { clock: this.nodes.clock, random: this.#random };
    this.#keys = new MemoryKeyStore(parts);
    this.#blobs = new MemoryBlobs({ ...parts, bytesMax: 64 * 1024 * 1024 });
  }

  /** `isDirect`: the provider renders while the call is open, and knows no job. */
  async submit(via: VirtualNode, account: string, { isDirect = false } = {}): Promise<JobRecord> {
    const now = via.node.now();
    const target = {
      ...made.candidate().target,
      dialect: isDirect ? ('video-sync' as const) : ('video-jobs' as const),
    };
    const job: NewVideoJob = made.newJob(1, {
      ...{ id: videoJobId(this.#random, now), account, key: keyAddress(account, 'key_1') },
      ...{ generation: generationId(this.#random, now), candidates: [made.candidate(1, { target })] },
    });
    return submitVideo(via.node, job, { bounds: BOUNDS, withinMs: WITHIN_MS });
  }

  /** The states of a job, in the order in which its steps are committed. */
  statesOf(via: VirtualNode, { account, id }: Pick<JobRecord, 'account' | 'id'>): readonly string[] {
    const states: string[] = [];
    via.node.operator.watch(videoJobAddress(account, id), ({ to }) => {
      if (states.at(-1) !== to) states.push(to);
    });
    return states;
  }

  /** The record, once it matches. */
  async until(via: VirtualNode, job: JobRecord, status: JobRecord['status'], withinMs = 600_000): Promise<JobRecord> {
    let record = job;
    const look = async (): Promise<boolean> => {
      record = (await findVideoJob(via.node, job.account, job.id)) as JobRecord;
      return record.status === status;
    };
    await this.nodes.until(look, `the job is ${status}`, withinMs);
    return record;
  }

  async renderOf({ id }: JobRecord): Promise<Render> {
    await this.nodes.until(() => this.renders.some(({ job }) => job === id), 'the provider has the render', 60_000);
    return this.renders.find(({ job }) => job === id) as Render;
  }

  /** The only charges are those of completed jobs, each once, and nothing is held. */
  async audit(via: VirtualNode, account: string, completed: number): Promise<void> {
    const { charges, held, holds } = await showAccount(via.node, accountAddress(account), WITHIN_MS);
    assert.equal([Number(charges), held, holds], [completed * Number(COST), '0', 0]);
  }

  async hold(via: VirtualNode, { account, generation }: JobRecord): Promise<string | undefined> {
    const row = await via.node.rows.row(accountAddress(account), 'generation', generation);
    return row === null ? undefined : (JSON.parse(row.body) as Generation).status;
  }

  async clipCount(): Promise<number> {
    return (await this.#blobs.list({ after: null, before: Number.MAX_SAFE_INTEGER, limit: 100 })).length;
  }

  protected activities(self: () => VirtualNode): Readonly<Record<string, ActivityHandler>> {
    const handler = (run: (task: ActivityTask, signal: AbortSignal) => Promise<object>): ActivityHandler => ({
      ...{ runningMax: 256, runningPerGroupMax: 16 },
      run: async (task, signal) => (await run(task, signal)) as unknown as Json,
    });
    return {
      render: {
        ...handler((task, signal) => this.#render(self(), task, signal)),
        patience: { graceMs: this.patienceMs, applies: (address) => this.#direct.has(address) },
      },
      abort: handler((task) => this.#abort(task)),
      removal: removalHandler(() => this.#blobs),
    };
  }

  /** Begins, reports, polls and stores as the product's handler does. */
  async #render({ node, process }: VirtualNode, task: ActivityTask, signal: AbortSignal): Promise<RenderResult> {
    const { job, account, candidates } = task.input as unknown as RenderInput;
    const run: RenderRun = { account, id: job, run: task.attempt, withinMs: WITHIN_MS };
    const begun = await beginRender(node, run);
    if (begun === null) throw new ActivityFailed('superseded', 'another attempt renders the job', true);
    const isDirect = candidates[0]?.target.dialect === 'video-sync';
    const id = begun.remote?.providerJobId ?? this.#create(job, process.name);
    if (!isDirect && begun.remote === null) {
      const remote = made.remote({ providerJobId: id, createdAt: node.now() });
      if ((await reportSubmitted(node, run, remote)) === null) throw new ActivityFailed('superseded', 'ended', true);
    }
    if (isDirect) this.#direct.add(task.address);
    while (this.#isRendering(id)) {
      await new Promise<void>((resolve) => void process.clock.after(POLL_MS, resolve));
      if (signal.aborted) throw signal.reason;
    }
    this.#direct.delete(task.address);
    return this.#store({ account, job });
  }

  #create(job: string, node: string): string {
    const id = `remote-${this.renders.length + 1}`;
    this.renders.push({ id, job, node, readyAt: this.nodes.clock.now() + this.renderMs, aborted: false });
    return id;
  }

  #isRendering(id: string): boolean {
    const { readyAt } = this.renders.find((render) => render.id === id) as Render;
    return this.hangs || this.nodes.clock.now() < readyAt;
  }

  async #store({ account, job }: { readonly account: string; readonly job: string }): Promise<RenderResult> {
    const key = await this.#keys.current();
    const blob = await this.#blobs.put(pieces(Buffer.alloc(1_000)));
    const sealed = sealBlob(key, placeOfClip(account, job, 0), blob, this.#random);
    const clip: RenderedClip = { ...made.clip(), blob: sealed };
    const settlement = { ...words.settlement('', COST), media: { videoSeconds: '10' } };
    return { outcome: 'completed', clips: [clip], settlement };
  }

  async #abort(task: ActivityTask): Promise<AbortResult> {
    const { remote } = task.input as unknown as AbortInput;
    const render = this.renders.find(({ id }) => id === remote.providerJobId) as Render;
    render.aborted = true;
    return { settlement: null };
  }
}

async function* pieces(...all: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* all;
}
