/** Video jobs across deaths, pauses, drains, cancels and the end of their time, on virtual time. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { release } from '../../actors/account/account.ts';
import type { Generation } from '../../actors/terms/hold.ts';
import { accountAddress, generationId, keyAddress, videoJobAddress, videoJobId } from '../../actors/terms/ids.ts';
import type { VideoBounds } from '../../actors/video-job/job.ts';
import type { JobRecord } from '../../actors/video-job/job-record.ts';
import { cancelVideo, closeClip, findVideoJob, openClip, submitVideo } from '../../actors/video-job/video-job.ts';
import { sealPrompt } from '../../gateway/jobs/video/seal-prompt.ts';
import { clip } from '../../gateway/simulator/video/clip.ts';
import { bounded } from '../support/bounded.ts';
import * as made from '../support/model/video-jobs.ts';
import type { VirtualNode } from './virtual-nodes.ts';
import { inWorld, type ProviderCall, type ProviderReply, type Scene, WITHIN_MS, World } from './world.ts';

const it = bounded(test, 60_000);
/** Shorter than the product's: each second of the world costs work. */
const BOUNDS: VideoBounds = {
  ...made.BOUNDS,
  jobMs: 60_000,
  windowMs: 90_000,
  deliveredMs: 30_000,
  downloadMs: 60_000,
};
const SECONDS = 10;
/** The provider's clip, charged with 0.1 USD per second. */
const CLIP = Buffer.concat([
  ...clip({ seconds: SECONDS, fps: 1, width: 64, height: 48, audio: false, bytesMin: 0, headLast: false }).pieces(),
]);
const COST = 1;
/** The grace of a node in virtual time is 15 s; a node without work waits 30 s for the others. */
const PATIENT = { renderMs: 25_000, drainMs: 50_000 };
const LONGEST = { renderMs: 48_000, drainMs: 55_000 };
const IMPATIENT = { renderMs: 25_000, drainMs: 20_000 };

/** One render at the provider. Times in ms of the world. */
interface Render {
  readonly id: string;
  readonly job: string;
  readonly node: string;
  readonly readyAt: number;
  /** It can be continued: a polled one is known to its job, a direct one to its open call. */
  isKnown: boolean;
  aborted: boolean;
}

/** The provider renders on, whatever becomes of the node that asked. */
class VideoWorld extends World {
  readonly #renderMs: number;
  readonly rendered: Render[] = [];
  /** The provider never finishes. */
  hangs = false;

  /** A drain waits so long for a render that only the open call knows. */
  constructor({ renderMs, drainMs } = { renderMs: 10_000, drainMs: 0 }) {
    super();
    this.#renderMs = renderMs;
    this.renders = { ...this.renders, drainMs };
  }

  override provider({ url, body, node, at }: ProviderCall): ProviderReply {
    const [, dialect, id, step] = /^http:..(.*).example.videos.?([^/]*).?([^?]*)/.exec(url) as RegExpExecArray;
    const clip: ProviderReply = { afterMs: 0, type: 'video/mp4', body: CLIP };
    if (id === '') {
      const { prompt: job } = JSON.parse(body) as { readonly prompt: string };
      const render = { id: `remote-${this.rendered.length + 1}`, job, node, readyAt: at + this.#renderMs };
      const isDirect = dialect === 'video-sync';
      this.rendered.push({ ...render, isKnown: isDirect, aborted: false });
      return isDirect ? { ...clip, afterMs: this.#renderMs } : shown({ id: render.id, status: 'queued' });
    }
    if (step === 'content') return clip;
    const render = this.rendered.find((each) => each.id === id) as Render;
    if (step === 'cancel') render.aborted = true;
    else render.isKnown = true;
    const status = this.hangs || at < render.readyAt ? 'in_progress' : 'completed';
    return shown({ id, status: render.aborted ? 'cancelled' : status });
  }

  /** `isDirect`: the provider renders while the call is open, and knows no job. */
  async submit(via: VirtualNode, account: string, { isDirect = false } = {}): Promise<JobRecord> {
    const now = via.node.now();
    const id = videoJobId(this.random, now);
    const dialect = isDirect ? 'video-sync' : 'video-jobs';
    const target = { dialect, baseUrl: `http://${dialect}.example`, upstreamId: 'filmstrip' } as const;
    const prompt = await sealPrompt({ bytes: this.bytes, random: this.random }, { account, job: id }, id);
    const { ask } = made.newJob(1);
    const job = made.newJob(1, {
      id,
      account,
      key: keyAddress(account, 'key_1'),
      generation: generationId(this.random, now),
      ask: { ...ask, prompt },
      candidates: [made.candidate(1, { target })],
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

  /** The record, once it has this status. */
  async until(via: VirtualNode, job: JobRecord, status: JobRecord['status'], withinMs?: number): Promise<JobRecord> {
    return this.seen(
      () => current(via, job),
      (record) => record.status === status,
      `the job is ${status}`,
      withinMs,
    );
  }

  /** The render of a job, once it can be continued. */
  async renderOf({ id }: JobRecord): Promise<Render> {
    const find = () => this.rendered.find(({ job }) => job === id);
    await this.nodes.until(() => find()?.isKnown === true, 'the provider has the render', 60_000);
    return find() as Render;
  }

  async hold(via: VirtualNode, { account, generation }: JobRecord): Promise<string | undefined> {
    const row = await via.node.rows.row(accountAddress(account), 'generation', generation);
    return row === null ? undefined : (JSON.parse(row.body) as Generation).status;
  }

  async clipCount(): Promise<number> {
    return (await this.bytes.blobs.list({ after: null, before: Number.MAX_SAFE_INTEGER, limit: 100 })).length;
  }
}

function shown(job: object): ProviderReply {
  return { afterMs: 0, body: JSON.stringify(job) };
}

const within = (title: string, run: (scene: Scene<VideoWorld>) => Promise<void>): void =>
  it(title, () => inWorld(new VideoWorld(), run));

/** Renders take longer than the grace of a node, and a drain waits for those that nobody can poll. */
const patient = (
  title: string,
  times: { readonly renderMs: number; readonly drainMs: number },
  run: (scene: Scene<VideoWorld>) => Promise<void>,
): void => it(title, () => inWorld(new VideoWorld(times), run));

const nodesOf = ({ rendered }: VideoWorld) => rendered.map(({ node }) => node);
const current = async (via: VirtualNode, { account, id }: JobRecord) =>
  (await findVideoJob(via.node, account, id)) as JobRecord;

within('a job renders once and completes with its charge', async ({ world, other, account }) => {
  const job = await world.submit(other, account);
  assert.equal([job.status, await world.hold(other, job)], ['pending', 'running']);
  await world.until(other, job, 'in_progress');
  const ended = await world.until(other, job, 'completed');
  assert.equal([ended.usage?.cost, world.rendered.length], ['1', 1]);
  await world.audit(other, account, 1 * COST);
});

within('the owner of the account reports the charge of a video whose hold was released before', async (scene) => {
  const { world, owner, other, account } = scene;
  const job = await world.submit(other, account);
  await world.renderOf(job);
  const { generation } = job;
  const ended = { generation, attempt: 1, reason: 'a test', status: null, attempts: [] };
  await release(other.node, accountAddress(account), ended, WITHIN_MS);
  assert.equal(world.reported, []);
  await world.until(other, job, 'completed');
  assert.equal(
    world.reported.map(({ node, row }) => [node, row.id, (row.body as unknown as Generation).late]),
    [[owner.process.name, generation, true]],
  );
  await world.audit(other, account, 1 * COST);
});

within(
  'a runner dies: the job is pending again, and the next one polls the same render (rule V21, rule V22)',
  async (scene) => {
    const { world, owner, other, account } = scene;
    const job = await world.submit(other, account);
    await world.renderOf(job);
    const states = world.statesOf(other, job);
    await owner.kill();
    await world.nodes.until(() => states.includes('in_progress'), 'the next attempt has begun');
    assert.is(await world.hold(other, job), 'running', 'no death releases the hold');
    const ended = await world.until(other, job, 'completed');
    assert.equal(states.slice(-3), ['pending', 'in_progress', 'completed']);
    assert.equal([ended.run, world.rendered.length], [2, 1]);
    await world.audit(other, account, 1 * COST);
  },
);

within(
  'a provider without jobs renders again on another node; one render is charged (rule V21, rule V22)',
  async (scene) => {
    const { world, owner, other, account } = scene;
    const job = await world.submit(other, account, { isDirect: true });
    await world.renderOf(job);
    await owner.kill();
    await world.until(other, job, 'completed');
    assert.is(new Set(nodesOf(world)).size, 2);
    await world.audit(other, account, 1 * COST);
  },
);

within('after the death of all nodes at once every job goes on (rule V22)', async ({ world, trio, account }) => {
  const [first] = trio;
  const jobs = [await world.submit(first, account), await world.submit(first, account)];
  for (const job of jobs) await world.renderOf(job);
  for (const node of trio) await node.kill();
  const [next] = (await world.start('n4', 'n5')) as [VirtualNode, VirtualNode];
  for (const job of jobs) await world.until(next, job, 'completed');
  assert.is(world.rendered.length, 2);
  await world.audit(next, account, 2 * COST);
});

within('a paused runner that wakes up after its takeover changes nothing', async (scene) => {
  const { world, owner, other, account } = scene;
  const job = await world.submit(other, account, { isDirect: true });
  await world.renderOf(job);
  world.nodes.stall(owner);
  await world.nodes.until(() => world.rendered.length === 2, 'another node renders', 60_000);
  world.nodes.resume(owner);
  const ended = await world.until(other, job, 'completed');
  assert.is(ended.run, 2);
  await world.nodes.pause(20_000);
  assert.equal(await current(other, job), ended);
  await world.audit(other, account, 1 * COST);
});

within('a drain restarts no render', async ({ world, owner, other, account }) => {
  const jobs = [await world.submit(other, account), await world.submit(other, account, { isDirect: true })];
  for (const job of jobs) await world.renderOf(job);
  await owner.node.drain();
  await owner.node.finishActivities();
  await owner.kill();
  for (const job of jobs) assert.is((await world.until(other, job, 'completed')).run, 1);
  assert.equal(nodesOf(world), [owner.process.name, owner.process.name]);
  assert.is(world.rendered.length, 2);
  await world.audit(other, account, 2 * COST);
});

const leave = async ({ node, kill }: VirtualNode): Promise<void> => {
  await node.leave();
  await kill();
};

patient('a drain waits for a render that only its call knows, and hands a polled one over', PATIENT, async (scene) => {
  const { world, owner, other, account } = scene;
  const polled = await world.submit(other, account);
  const direct = await world.submit(other, account, { isDirect: true });
  for (const job of [polled, direct]) await world.renderOf(job);
  await leave(owner);
  assert.equal([...new Set(world.waits)], [`video-job:${account}/${direct.id}`]);
  assert.equal(
    [(await world.until(other, direct, 'completed')).run, (await world.until(other, polled, 'completed')).run],
    [1, 2],
  );
  assert.is(world.rendered.length, 2, 'no render began again');
  await world.audit(other, account, 2 * COST);
});

patient('nodes that all drain wait for each other, until the last render is recorded', LONGEST, async (scene) => {
  const { world, trio, other, account } = scene;
  const job = await world.submit(other, account, { isDirect: true });
  await world.renderOf(job);
  await Promise.all(trio.map(leave));
  const [next] = (await world.start('n4')) as [VirtualNode];
  assert.is((await world.until(next, job, 'completed')).run, 1);
  assert.is(world.rendered.length, 1);
  await world.audit(next, account, 1 * COST);
});

patient('a render that outlasts this grace too begins again on another node', IMPATIENT, async (scene) => {
  const { world, owner, other, account } = scene;
  const job = await world.submit(other, account, { isDirect: true });
  await world.renderOf(job);
  const from = world.nodes.clock.monotonic();
  await leave(owner);
  assert.ok(world.nodes.clock.monotonic() - from < IMPATIENT.renderMs, 'the drain is bounded');
  await world.nodes.until(() => world.rendered.length === 2, 'it renders again', 60_000);
  assert.is((await world.until(other, job, 'completed')).run, 2);
  await world.audit(other, account, 1 * COST);
});

within('a cancel aborts the render at its provider; nothing is charged', async ({ world, other, account }) => {
  const job = await world.submit(other, account);
  const render = await world.renderOf(job);
  await world.nodes.until(async () => (await current(other, job)).status === 'in_progress', 'it renders');
  await cancelVideo(other.node, job, WITHIN_MS);
  await world.until(other, job, 'cancelled');
  assert.ok(render.aborted);
  await world.nodes.pause(20_000);
  assert.is((await current(other, job)).status, 'cancelled');
  await world.audit(other, account, 0 * COST);
});

within('a cancel of a render that its provider cannot know ends it with its call', async (scene) => {
  const { world, other, account } = scene;
  const job = await world.submit(other, account, { isDirect: true });
  await world.renderOf(job);
  assert.is(((await cancelVideo(other.node, job, WITHIN_MS)) as JobRecord).status, 'cancelled');
  await world.nodes.pause(20_000);
  assert.is((await current(other, job)).status, 'cancelled');
  await world.audit(other, account, 0 * COST);
});

within('a render that never ends fails at the deadline of its job, across a takeover', async (scene) => {
  const { world, owner, other, account } = scene;
  world.hangs = true;
  const job = await world.submit(other, account);
  await world.renderOf(job);
  await owner.kill();
  const ended = await world.until(other, job, 'failed', BOUNDS.jobMs + 60_000);
  assert.is(ended.error?.error_type, 'timeout');
  assert.is(world.rendered.length, 1);
  await world.audit(other, account, 0 * COST);
});

within('a clip outlives its ten minutes only under a download, and a dead node has none (rule V33)', async (scene) => {
  const { world, owner, other, account } = scene;
  const job = await world.until(other, await world.submit(other, account), 'completed');
  await openClip(other.node, job, { index: 0, reader: 'whole', withinMs: WITHIN_MS });
  await closeClip(other.node, job, { index: 0, reader: 'whole', delivered: true, withinMs: WITHIN_MS });
  await world.nodes.pause(BOUNDS.deliveredMs - 10_000);
  // The node that serves this download dies with it.
  const reader = scene.trio.find((node) => node !== owner && node !== other) as VirtualNode;
  await openClip(reader.node, job, { index: 0, reader: 'slow', withinMs: WITHIN_MS });
  await world.nodes.pause(15_000);
  assert.is(await world.clipCount(), 1, 'a download is under way');
  await reader.kill();
  await world.nodes.until(async () => (await world.clipCount()) === 0, 'the clip is removed', 60_000);
  const again = await openClip(other.node, job, { index: 0, reader: 'late', withinMs: WITHIN_MS });
  assert.is('refusal' in again ? again.refusal.status : 200, 410);
});

within(
  'a clip that nobody fetched goes with its window, and the job expires (rule V33)',
  async ({ world, other, account }) => {
    const job = await world.until(other, await world.submit(other, account), 'completed');
    await world.nodes.pause(BOUNDS.windowMs - 10_000);
    assert.equal([(await current(other, job)).status, await world.clipCount()], ['completed', 1]);
    await world.until(other, job, 'expired', 120_000);
    await world.nodes.until(async () => (await world.clipCount()) === 0, 'the bytes are removed', 60_000);
  },
);

test.run();
