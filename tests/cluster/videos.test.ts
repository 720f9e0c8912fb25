/** Video jobs across deaths, pauses, drains, cancels and the end of their time, on virtual time. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { release } from '../../actors/account/account.ts';
import type { Generation } from '../../actors/terms/hold.ts';
import { accountAddress } from '../../actors/terms/ids.ts';
import type { JobRecord } from '../../actors/video-job/job-record.ts';
import { cancelVideo, closeClip, findVideoJob, openClip } from '../../actors/video-job/video-job.ts';
import { bounded } from '../support/bounded.ts';
import { BOUNDS, VideoWorld } from './video-world.ts';
import type { VirtualNode } from './virtual-nodes.ts';

const it = bounded(test, 60_000);
const WITHIN_MS = 10_000;
/** The grace of a node in virtual time is 15 s; a node without work waits 30 s for the others. */
const PATIENT = { renderMs: 25_000, patienceMs: 50_000 };
const LONGEST = { renderMs: 48_000, patienceMs: 55_000 };
const IMPATIENT = { renderMs: 25_000, patienceMs: 20_000 };

interface Scene {
  readonly world: VideoWorld;
  readonly trio: readonly VirtualNode[];
  /** Owns the account, so that it runs the renders of its jobs. */
  readonly owner: VirtualNode;
  readonly other: VirtualNode;
  readonly account: string;
}

const within = (title: string, run: (scene: Scene) => Promise<void>, world = new VideoWorld()): void =>
  it(title, async () => {
    try {
      const trio = await world.start('n1', 'n2', 'n3');
      const account = await world.fund(trio[0] as VirtualNode, 'acct_1');
      const owner = trio.find(({ node }) => node.owns(`account:${account}`)) as VirtualNode;
      const other = trio.find((node) => node !== owner) as VirtualNode;
      await run({ world, trio, owner, other, account });
    } finally {
      await world.nodes.close();
    }
  });

/** Renders take longer than the grace of a node, and a drain waits for those that nobody can poll. */
const patient = (
  title: string,
  world: { readonly renderMs: number; readonly patienceMs: number },
  run: (scene: Scene) => Promise<void>,
): void => within(title, run, Object.assign(new VideoWorld(), world));

const nodesOf = ({ renders }: VideoWorld) => renders.map(({ node }) => node);
const current = async (via: VirtualNode, { account, id }: JobRecord) =>
  (await findVideoJob(via.node, account, id)) as JobRecord;

within('a job renders once and completes with its charge', async ({ world, other, account }) => {
  const job = await world.submit(other, account);
  assert.equal([job.status, await world.hold(other, job)], ['pending', 'running']);
  await world.until(other, job, 'in_progress');
  const ended = await world.until(other, job, 'completed');
  assert.equal([ended.usage?.cost, world.renders.length], ['1', 1]);
  await world.audit(other, account, 1);
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
  await world.audit(other, account, 1);
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
    assert.equal([ended.run, world.renders.length], [2, 1]);
    await world.audit(other, account, 1);
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
    await world.audit(other, account, 1);
  },
);

within('after the death of all nodes at once every job goes on (rule V22)', async ({ world, trio, account }) => {
  const [first] = trio as [VirtualNode];
  const jobs = [await world.submit(first, account), await world.submit(first, account)];
  for (const job of jobs) await world.renderOf(job);
  for (const node of trio) await node.kill();
  const [next] = (await world.start('n4', 'n5')) as [VirtualNode, VirtualNode];
  for (const job of jobs) await world.until(next, job, 'completed');
  assert.is(world.renders.length, 2);
  await world.audit(next, account, 2);
});

within('a paused runner that wakes up after its takeover changes nothing', async (scene) => {
  const { world, owner, other, account } = scene;
  const job = await world.submit(other, account, { isDirect: true });
  await world.renderOf(job);
  world.nodes.stall(owner);
  await world.nodes.until(() => world.renders.length === 2, 'another node renders', 60_000);
  world.nodes.resume(owner);
  const ended = await world.until(other, job, 'completed');
  assert.is(ended.run, 2);
  await world.nodes.pause(20_000);
  assert.equal(await current(other, job), ended);
  await world.audit(other, account, 1);
});

within('a drain restarts no render', async ({ world, owner, other, account }) => {
  const jobs = [await world.submit(other, account), await world.submit(other, account, { isDirect: true })];
  for (const job of jobs) await world.renderOf(job);
  await owner.node.drain();
  await owner.node.finishActivities();
  await owner.kill();
  for (const job of jobs) assert.is((await world.until(other, job, 'completed')).run, 1);
  assert.equal(nodesOf(world), [owner.process.name, owner.process.name]);
  assert.is(world.renders.length, 2);
  await world.audit(other, account, 2);
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
  assert.is(world.renders.length, 2, 'no render began again');
  await world.audit(other, account, 2);
});

patient('nodes that all drain wait for each other, until the last render is recorded', LONGEST, async (scene) => {
  const { world, trio, other, account } = scene;
  const job = await world.submit(other, account, { isDirect: true });
  await world.renderOf(job);
  await Promise.all(trio.map(leave));
  const [next] = (await world.start('n4')) as [VirtualNode];
  assert.is((await world.until(next, job, 'completed')).run, 1);
  assert.is(world.renders.length, 1);
  await world.audit(next, account, 1);
});

patient('a render that outlasts this grace too begins again on another node', IMPATIENT, async (scene) => {
  const { world, owner, other, account } = scene;
  const job = await world.submit(other, account, { isDirect: true });
  await world.renderOf(job);
  const from = world.nodes.clock.monotonic();
  await leave(owner);
  assert.ok(world.nodes.clock.monotonic() - from < IMPATIENT.renderMs, 'the drain is bounded');
  await world.nodes.until(() => world.renders.length === 2, 'it renders again', 60_000);
  assert.is((await world.until(other, job, 'completed')).run, 2);
  await world.audit(other, account, 1);
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
  await world.audit(other, account, 0);
});

within('a cancel of a render that its provider cannot know ends it with its call', async (scene) => {
  const { world, other, account } = scene;
  const job = await world.submit(other, account, { isDirect: true });
  await world.renderOf(job);
  assert.is(((await cancelVideo(other.node, job, WITHIN_MS)) as JobRecord).status, 'cancelled');
  await world.nodes.pause(20_000);
  assert.is((await current(other, job)).status, 'cancelled');
  await world.audit(other, account, 0);
});

within('a render that never ends fails at the deadline of its job, across a takeover', async (scene) => {
  const { world, owner, other, account } = scene;
  world.hangs = true;
  const job = await world.submit(other, account);
  await world.renderOf(job);
  await owner.kill();
  const ended = await world.until(other, job, 'failed', BOUNDS.jobMs + 60_000);
  assert.is(ended.error?.error_type, 'timeout');
  assert.is(world.renders.length, 1);
  await world.audit(other, account, 0);
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
