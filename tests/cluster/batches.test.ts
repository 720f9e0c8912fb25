/** Batches across deaths, drains, cancels and the end of their window, on virtual time. */
import { Registry } from 'prom-client';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { release } from '../../actors/account/account.ts';
import { cancelBatch, findBatch, submitBatch } from '../../actors/batch/batch.ts';
import type { BatchRecord } from '../../actors/batch/batch-record.ts';
import type { BatchBounds, NewBatch } from '../../actors/batch/batch-state.ts';
import { findFile } from '../../actors/file/file.ts';
import { changeKey } from '../../actors/key/key.ts';
import { type Json, openBlob, sealBlob } from '../../actors/runtime/index.ts';
import { holdAttempt } from '../../actors/terms/hold.ts';
import { accountAddress, batchId, keyAddress, lineGenerationId } from '../../actors/terms/ids.ts';
import { placeOfFile } from '../../gateway/files/file-services.ts';
import { placeOfBodies } from '../../gateway/jobs/batch/seal-submission.ts';
import { reportCharge } from '../../gateway/node/open-cluster.ts';
import { RequestMetrics } from '../../gateway/operator/metrics/request-metrics.ts';
import { bounded } from '../support/bounded.ts';
import type { MemoryKeyStore } from '../support/memory-key-store.ts';
import { endpointOf } from '../support/model/endpoints.ts';
import { pieces } from '../support/pieces.ts';
import { TESTER } from '../support/tester.ts';
import type { VirtualNode } from './virtual-nodes.ts';
import { inWorld, type ProviderCall, type ProviderReply, type Scene, WITHIN_MS, World } from './world.ts';

const it = bounded(test, 60_000);
const HOUR_MS = 3_600_000;
const BOUNDS: BatchBounds = {
  resultsBytesMax: 32 * 1024 * 1024,
  resultsLifetimeMs: 48 * HOUR_MS,
  retentionMs: 30 * 24 * HOUR_MS,
  lineMs: 660_000,
};

const LINE_MS = 1_000;
const COST = '0.5';
const MODEL = 'sim/fast';
const ENDPOINT = endpointOf({
  model: MODEL,
  target: { dialect: 'chat', baseUrl: 'https://provider.example/v1', upstreamId: MODEL },
  tariff: { id: 'tar_1', prompt: '0', completion: '0', request: COST, discount: 0 },
});
const REPLY = JSON.stringify({
  id: 'up-1',
  object: 'chat.completion',
  created: 1,
  model: MODEL,
  choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
});

/** One call to the provider. */
interface LineCall extends ProviderCall {
  readonly batch: string;
  readonly index: number;
  /** 1 for the first call of its line. */
  readonly nth: number;
}

interface ResultLine {
  readonly custom_id: string;
  readonly response: { readonly request_id: string; readonly body: Json } | null;
  readonly error: { readonly type: string; readonly request_id: string | null } | null;
}

/** The provider answers each line after a second. */
class BatchWorld extends World {
  override readonly calls: LineCall[] = [];

  override provider(call: ProviderCall): ProviderReply {
    const { messages } = JSON.parse(call.body) as { readonly messages: readonly [{ readonly content: string }] };
    const [batch, index] = messages[0].content.split(' ') as [string, string];
    const nth = this.calls.filter((each) => each.batch === batch && each.index === Number(index)).length + 1;
    Object.assign(call, { batch, index: Number(index), nth });
    return { afterMs: LINE_MS, body: REPLY };
  }

  override async start(...names: string[]): Promise<VirtualNode[]> {
    const nodes = await super.start(...names);
    await this.list(nodes, ENDPOINT);
    return nodes;
  }

  async submit(
    via: VirtualNode,
    account: string,
    count: number,
    { windowMs = 24 * HOUR_MS, keys = this.bytes.keys }: { windowMs?: number; keys?: MemoryKeyStore } = {},
  ): Promise<BatchRecord> {
    const id = batchId(this.random, via.node.now());
    const texts = Array.from({ length: count }, (_, index) =>
      Buffer.from(JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: `${id} ${index}` }] })),
    );
    const stored = await this.bytes.blobs.put(pieces.of(...texts));
    let offset = 0;
    const batch: NewBatch = {
      id,
      account,
      key: keyAddress(account, 'key_1'),
      model: null,
      bodies: sealBlob(await keys.current(), placeOfBodies(account, id), stored, this.random),
      endpoint: '/v1/chat/completions',
      provider: null,
      attribution: { appTitle: null, appUrl: null },
      windowMs,
      workspace: null,
      lines: texts.map(({ length }, index) => {
        offset += length;
        return { customId: `line-${index}`, offset: offset - length, length };
      }),
    };
    return submitBatch(via.node, batch, { bounds: BOUNDS, withinMs: WITHIN_MS });
  }

  async read(via: VirtualNode, { account, id }: BatchRecord): Promise<BatchRecord> {
    return (await findBatch(via.node, account, id)) as BatchRecord;
  }

  /** The record, once so many lines are charged. */
  async charged(via: VirtualNode, batch: BatchRecord, count: number): Promise<BatchRecord> {
    return this.seen(
      () => this.read(via, batch),
      ({ counts }) => counts.completed >= count,
      `${count} lines are charged`,
    );
  }

  async inFlight(count: number): Promise<void> {
    const open = () => this.calls.filter(({ end }) => end === 'open').length;
    await this.nodes.until(() => open() === count, `${count} lines are in flight`);
  }

  async ended(via: VirtualNode, batch: BatchRecord): Promise<BatchRecord> {
    return this.seen(
      () => this.read(via, batch),
      ({ finalizedAt }) => finalizedAt !== null,
      'the batch has ended',
    );
  }

  async results(via: VirtualNode, { account, resultsFileId }: BatchRecord): Promise<ResultLine[]> {
    const file = await findFile(via.node, account, String(resultsFileId));
    assert.ok(file, 'the results file exists');
    const place = placeOfFile(account, String(resultsFileId));
    const blob = await openBlob(this.bytes.keys, place, file?.blob as never);
    const lines = String(await pieces.gather(this.bytes.blobs.read(blob)))
      .trimEnd()
      .split('\n');
    return lines.map((line) => JSON.parse(line) as ResultLine);
  }

  callsOf({ id }: BatchRecord, index: number): readonly LineCall[] {
    return this.calls.filter((call) => call.batch === id && call.index === index);
  }
}

const within = (title: string, run: (scene: Scene<BatchWorld>) => Promise<void>): void =>
  it(title, () => inWorld(new BatchWorld(), run));

/** Each reply is charged, and nothing is held. */
const audit = ({ world, account }: Scene<BatchWorld>, via: VirtualNode, batches: readonly BatchRecord[]) =>
  world.audit(via, account, Number(COST) * batches.reduce((sum, { counts }) => sum + counts.completed, 0));

const idsOf = (lines: readonly ResultLine[]) => lines.map(({ custom_id }) => custom_id);
const inOrder = (count: number) => Array.from({ length: count }, (_, index) => `line-${index}`);

/** The most calls open at one instant; calls of a dead node count until it is declared dead. */
function mostAtOnce(calls: readonly LineCall[]): number {
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
  await audit(scene, other, [ended]);
});

within('when the owner dies, another node goes on: what was charged is never sent again', async (scene) => {
  const { world, owner, other, account } = scene;
  const batch = await world.submit(other, account, 40);
  await world.charged(other, batch, 12);
  await world.inFlight(8);
  await owner.kill();
  const killedAt = other.node.now();
  const before = await world.read(other, batch);
  const ended = await world.ended(other, batch);
  assert.equal([ended.status, ended.counts], ['completed', { total: 40, completed: 40, failed: 0 }]);
  const resent = world.calls.filter(({ at, nth }) => at > killedAt && nth > 1);
  assert.ok(resent.length === 8, `${resent.length} lines were in flight`);
  for (let index = 0; index < 40; index++) {
    const attempts = world.callsOf(batch, index).map(({ nth }) => nth);
    assert.ok(attempts.length >= 1 && attempts.length <= 2, `line ${index}: ${attempts}`);
    if (index < before.counts.completed - 8) assert.equal(attempts, [1], `line ${index} was charged before the kill`);
  }
  const lines = await world.results(other, ended);
  assert.equal(idsOf(lines), inOrder(40));
  await audit(scene, other, [ended]);
});

within('after the death of all nodes at once every batch goes on (rule V22)', async (scene) => {
  const { world, trio, account } = scene;
  const [first] = trio;
  const batches = [await world.submit(first, account, 20), await world.submit(first, account, 12)];
  await world.charged(first, batches[0] as BatchRecord, 8);
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
  await audit(scene, next, ended);
});

within('a drain lets lines in flight end; the other node sends the rest, and no line is sent twice', async (scene) => {
  const { world, owner, other, account } = scene;
  const batch = await world.submit(other, account, 40);
  await world.charged(other, batch, 12);
  await owner.node.drain();
  await owner.node.finishActivities();
  await owner.kill();
  const ended = await world.ended(other, batch);
  assert.equal([ended.status, ended.counts.completed], ['completed', 40]);
  assert.equal([world.calls.length, world.calls.filter(({ end }) => end === 'cut').length], [40, 0]);
  assert.ok(new Set(world.calls.map(({ node }) => node)).size > 1, 'another node has sent lines');
  await audit(scene, other, [ended]);
});

within(
  'a cancel cuts the calls in flight and sends nothing more; finished lines keep reply and charge',
  async (scene) => {
    const { world, other, account } = scene;
    const batch = await world.submit(other, account, 40);
    await world.charged(other, batch, 12);
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
    await audit(scene, other, [ended]);
  },
);

within('when its window closes, lines in flight end and no other is sent (rule B24)', async (scene) => {
  const { world, other, account } = scene;
  const batch = await world.submit(other, account, 40, { windowMs: 2_500 });
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
  await audit(scene, other, [ended]);
});

within('a key that is disabled midway authorizes no further line', async (scene) => {
  const { world, other, account } = scene;
  const batch = await world.submit(other, account, 40);
  await world.charged(other, batch, 8);
  await changeKey(other.node, keyAddress(account, 'key_1'), 'disable', 10_000, TESTER);
  const calls = world.calls.length;
  const ended = await world.ended(other, batch);
  assert.is(world.calls.length, calls);
  assert.equal(ended.counts, { total: 40, completed: calls, failed: 40 - calls });
  const lines = await world.results(other, ended);
  assert.ok(lines.slice(calls).every(({ error }) => error?.type === 'authentication' && error.request_id === null));
  await audit(scene, other, [ended]);
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
  const { random, nodes } = world;
  const { keys } = world.bytes;
  // The bodies are sealed with the key of the hour before: the lines after the loss can be opened.
  const before = keys.connect({ clock: { ...nodes.clock, now: () => nodes.clock.now() - HOUR_MS }, random });
  const batch = await world.submit(other, account, 20, { keys: before });
  await world.charged(other, batch, 8);
  await world.inFlight(8);
  keys.lose((await keys.current()).hour);
  const ended = await world.ended(other, batch);
  assert.equal(ended.counts, { total: 20, completed: 4, failed: 16 });
  const lines = await world.results(other, ended);
  const lost = lines.filter(({ error }) => error !== null);
  assert.is(lost.length, 16);
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
    await audit(scene, other, [{ ...batch, counts }]);
  },
);

test.run();
