/** Batches across deaths, drains, cancels and the end of their window, on virtual time. */
import { Registry } from 'prom-client';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { release } from '../../actors/account/account.ts';
import { cancelBatch, findBatch } from '../../actors/batch/batch.ts';
import type { BatchRecord } from '../../actors/batch/batch-record.ts';
import { changeKey } from '../../actors/key/key.ts';
import { holdAttempt } from '../../actors/terms/hold.ts';
import { accountAddress, keyAddress, lineGenerationId } from '../../actors/terms/ids.ts';
import { reportCharge } from '../../gateway/node/open-cluster.ts';
import { RequestMetrics } from '../../gateway/operator/metrics/request-metrics.ts';
import { bounded } from '../support/bounded.ts';
import { BatchWorld, type Call, type ResultLine } from './batch-world.ts';
import type { VirtualNode } from './virtual-nodes.ts';

const it = bounded(test, 60_000);

interface Scene {
  readonly world: BatchWorld;
  readonly trio: readonly [VirtualNode, VirtualNode, VirtualNode];
  /** Owns the account. */
  readonly owner: VirtualNode;
  readonly other: VirtualNode;
  readonly account: string;
}

const within = (title: string, run: (scene: Scene) => Promise<void>): void =>
  it(title, async () => {
    const world = new BatchWorld();
    try {
      const trio = (await world.start('n1', 'n2', 'n3')) as unknown as Scene['trio'];
      const account = await world.fund(trio[0], 'acct_1');
      const owner = trio.find(({ node }) => node.owns(`account:${account}`)) as VirtualNode;
      const other = trio.find((node) => node !== owner) as VirtualNode;
      await run({ world, trio, owner, other, account });
    } finally {
      await world.nodes.close();
    }
  });

const isFinished = (count: number) => (record: BatchRecord) => record.counts.completed >= count;
const idsOf = (lines: readonly ResultLine[]) => lines.map(({ custom_id }) => custom_id);
const inOrder = (count: number) => Array.from({ length: count }, (_, index) => `line-${index}`);

/** The most calls open at one instant; calls of a dead node count until it is declared dead. */
function mostAtOnce(calls: readonly Call[]): number {
  return Math.max(...calls.map(({ at }) => calls.filter((call) => call.at <= at && at < call.at + 1_000).length));
}

within('a batch runs to its end, eight lines at a time, in the order of the submission', async (scene) => {
  const { world, other, account } = scene;
  const batch = await world.submit(other, account, 40);
  assert.is(batch.status, 'validating');
  const ended = await world.ended(other, batch);
  assert.equal([ended.status, ended.counts], ['completed', { total: 40, completed: 40, failed: 0 }]);
  assert.is(mostAtOnce(world.calls), 8);
  const first = world.calls.map(({ index }) => index);
  assert.equal(
    first.toSorted((a, b) => a - b),
    inOrder(40).map((_, index) => index),
    'each line once',
  );
  const lines = await world.results(other, ended);
  assert.equal(idsOf(lines), inOrder(40));
  assert.ok(lines.every(({ response, error }) => response !== null && error === null));
  await world.audit(other, account, [ended]);
});

within('when the owner dies, another node goes on: what was charged is never sent again', async (scene) => {
  const { world, owner, other, account } = scene;
  const batch = await world.submit(other, account, 40);
  await world.until(other, batch, isFinished(12), 'twelve lines are charged');
  await owner.kill();
  const killedAt = other.node.now();
  const before = await world.read(other, batch);
  const ended = await world.ended(other, batch);
  assert.equal([ended.status, ended.counts], ['completed', { total: 40, completed: 40, failed: 0 }]);
  const resent = world.calls.filter(({ at, attempt }) => at > killedAt && attempt > 1);
  assert.ok(resent.length > 0 && resent.length <= 8, `${resent.length} lines were in flight`);
  for (let index = 0; index < 40; index++) {
    const attempts = world.callsOf(batch, index).map(({ attempt }) => attempt);
    assert.ok(attempts.length >= 1 && attempts.length <= 2, `line ${index}: ${attempts}`);
    if (index < before.counts.completed - 8) assert.equal(attempts, [1], `line ${index} was charged before the kill`);
  }
  const lines = await world.results(other, ended);
  assert.equal(idsOf(lines), inOrder(40));
  await world.audit(other, account, [ended]);
});

within('after the death of all nodes at once every batch goes on (rule V22)', async (scene) => {
  const { world, trio, account } = scene;
  const [first] = trio;
  const batches = [await world.submit(first, account, 20), await world.submit(first, account, 12)];
  await world.until(first, batches[0] as BatchRecord, isFinished(8), 'eight lines are charged');
  for (const node of trio) await node.kill();
  const [next] = (await world.start('n4', 'n5')) as [VirtualNode, VirtualNode];
  const ended = await Promise.all(batches.map((batch) => world.ended(next, batch)));
  assert.equal(
    ended.map(({ status, counts }) => [status, counts.completed]),
    [
      ['completed', 20],
      ['completed', 12],
    ],
  );
  await world.audit(next, account, ended);
});

within('a drain lets lines in flight end; the other node sends the rest, and no line is sent twice', async (scene) => {
  const { world, owner, other, account } = scene;
  const batch = await world.submit(other, account, 40);
  await world.until(other, batch, isFinished(12), 'twelve lines are charged');
  await owner.node.drain();
  await owner.node.finishActivities();
  await owner.kill();
  const ended = await world.ended(other, batch);
  assert.equal([ended.status, ended.counts.completed], ['completed', 40]);
  assert.equal([world.calls.length, world.calls.filter(({ end }) => end === 'cut').length], [40, 0]);
  assert.ok(new Set(world.calls.map(({ node }) => node)).size > 1, 'another node has sent lines');
  await world.audit(other, account, [ended]);
});

within(
  'a cancel cuts the calls in flight and sends nothing more; finished lines keep reply and charge',
  async (scene) => {
    const { world, other, account } = scene;
    const batch = await world.submit(other, account, 40);
    await world.until(other, batch, isFinished(12), 'twelve lines are charged');
    await world.nodes.pause(300);
    const cancelled = (await cancelBatch(other.node, account, batch.id, 10_000)) as BatchRecord;
    assert.is(cancelled.status, 'cancelling');
    const calls = world.calls.length;
    const ended = await world.ended(other, batch);
    const { completed, failed, total } = ended.counts;
    assert.equal([ended.status, completed, failed, total], ['cancelled', calls - 8, 0, 40]);
    assert.is(world.calls.length, calls, 'no call after the answer');
    assert.is(world.calls.filter(({ end }) => end === 'cut').length, 8);
    const lines = await world.results(other, ended);
    assert.equal(idsOf(lines), inOrder(40));
    const types = lines.map(({ response, error }) => (response === null ? error?.type : 'replied'));
    assert.is(types.filter((type) => type === 'replied').length, completed);
    assert.is(types.filter((type) => type === 'batch_cancelled').length, total - completed);
    assert.is(((await cancelBatch(other.node, account, batch.id, 10_000)) as BatchRecord).status, 'cancelled');
    await world.audit(other, account, [ended]);
  },
);

within('when its window closes, lines in flight end and no other is sent (rule B24)', async (scene) => {
  const { world, other, account } = scene;
  const batch = await world.submit(other, account, 40, 2_500);
  const ended = await world.ended(other, batch);
  const { completed } = ended.counts;
  assert.is(ended.status, 'expired');
  assert.ok(completed >= 16 && completed < 40 && completed === world.calls.length, `${completed} completed`);
  assert.ok(world.calls.every(({ at }) => at < batch.expiresAt));
  assert.ok((ended.finalizedAt as number) < batch.expiresAt + 5_000);
  const lines = await world.results(other, ended);
  assert.is(lines.filter(({ error }) => error?.type === 'batch_expired').length, 40 - completed);
  const again = await cancelBatch(other.node, account, batch.id, 10_000);
  assert.is('refusal' in again ? again.refusal.status : 0, 409);
  await world.audit(other, account, [ended]);
});

within('a key that is disabled midway authorizes no further line', async (scene) => {
  const { world, other, account } = scene;
  const batch = await world.submit(other, account, 40);
  await world.until(other, batch, isFinished(8), 'eight lines are charged');
  await changeKey(other.node, keyAddress(account, 'key_1'), 'disable', 10_000);
  const calls = world.calls.length;
  const ended = await world.ended(other, batch);
  assert.is(world.calls.length, calls);
  assert.equal(ended.counts, { total: 40, completed: calls, failed: 40 - calls });
  const lines = await world.results(other, ended);
  assert.ok(lines.slice(calls).every(({ error }) => error?.type === 'authentication' && error.request_id === null));
  await world.audit(other, account, [ended]);
});

within('eight slots serve all batches of an account, oldest first; another account has its own', async (scene) => {
  const { world, other, account } = scene;
  const [a, b] = [await world.submit(other, account, 20), await world.submit(other, account, 20)];
  const second = await world.fund(other, 'acct_2');
  const c = await world.submit(other, second, 20);
  const ended = await Promise.all([a, b, c].map((batch) => world.ended(other, batch)));
  assert.ok(ended.every(({ status }) => status === 'completed'));
  const own = world.calls.filter(({ batch }) => batch !== c.id);
  assert.is(mostAtOnce(own), 8);
  const lastOfFirst = Math.max(...own.filter(({ batch }) => batch === a.id).map(({ at }) => at));
  const firstOfSecond = Math.min(...own.filter(({ batch }) => batch === b.id).map(({ at }) => at));
  assert.ok(firstOfSecond >= lastOfFirst, 'the older batch is sent first');
  const [, endB, endC] = ended as [BatchRecord, BatchRecord, BatchRecord];
  assert.ok((endC.finalizedAt as number) < (endB.finalizedAt as number), 'the other account does not wait');
});

within('results whose keys are destroyed name the charge of each lost reply', async (scene) => {
  const { world, other, account } = scene;
  const batch = await world.submit(other, account, 12);
  await world.until(other, batch, isFinished(8), 'eight lines are charged');
  world.keys.lose();
  const ended = await world.ended(other, batch);
  assert.equal(ended.counts, { total: 12, completed: 4, failed: 8 });
  const lines = await world.results(other, ended);
  const lost = lines.filter(({ error }) => error !== null);
  assert.is(lost.length, 8);
  assert.ok(lost.every(({ error }) => error?.type === 'server' && error.request_id?.startsWith('gen-')));
  assert.is(await findBatch(other.node, 'acct_2', batch.id), null, 'another account has no such batch');
});

within(
  'the owner of the account counts and logs the charge of a line whose hold was released before',
  async (scene) => {
    const { world, owner, other, account } = scene;
    const batch = await world.submit(other, account, 2);
    await world.nodes.until(() => world.callsOf(batch, 1).length === 1, 'both lines are sent');
    assert.equal(world.reported, [], 'no hold has ended');
    const generation = lineGenerationId(batch.id, 1);
    const ended = { generation, attempt: holdAttempt(1, 1), reason: 'a test', status: null, attempts: [] };
    await release(other.node, accountAddress(account), ended, 10_000);
    const { counts } = await world.ended(other, batch);
    assert.is(counts.completed, 2);
    assert.equal(
      world.reported.map(({ node, row }) => [node, row.id]),
      [[owner.process.name, generation]],
    );
    const registry = new Registry();
    const logged: object[] = [];
    for (const { row } of world.reported)
      reportCharge(row, new RequestMetrics(registry), (record) => logged.push(record));
    assert.match(await registry.metrics(), /\ntroupe_settles_late_total 1\n/);
    assert.match(await registry.metrics(), /\ntroupe_overshoots_total 0\n/);
    const [{ message, cost, late }] = logged as [Record<string, unknown>];
    assert.equal([message, cost, late], ['charged late or beyond its hold', '0.5', true]);
    await world.audit(other, account, [{ ...batch, counts }]);
  },
);

test.run();
