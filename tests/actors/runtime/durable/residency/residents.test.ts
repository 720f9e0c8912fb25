import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Answer } from '../../../../../actors/runtime/actor/answer.ts';
import { systemClock } from '../../../../../actors/runtime/system/clock.ts';
import { bounded } from '../../../../support/bounded.ts';
import { MemoryStore } from '../../../../support/memory-store.ts';
import { counterKind } from '../../../example-kinds/counter.ts';
import { openStage, SHARDS, type Stage, turns, until } from '../stage.ts';

const it = bounded(test);
const add = { type: 'add', by: 1 };
const total = (body: unknown): number => (body as { total: number }).total;
const named = (count: number, prefix = 'a'): string[] =>
  Array.from({ length: count }, (_, i) => `counter:${prefix}${i}`);

/** Counts how often an actor is read from the store. */
class CountingStore extends MemoryStore {
  readonly loaded: string[] = [];
  override loadActor(address: string) {
    this.loaded.push(address);
    return super.loadActor(address);
  }
}

const counting = (): CountingStore => new CountingStore({ clock: systemClock, shards: SHARDS });

async function addToEach(stage: Stage, addresses: readonly string[]): Promise<void> {
  for (const address of addresses) await stage.body(address, add);
  await turns();
}

it('keeps no more actors than its cap, and loses no state of evicted ones', async () => {
  const stage = await openStage({ limits: { residentsMax: 32 } });
  const addresses = named(200);
  await addToEach(stage, addresses);
  assert.ok(stage.engine.gauges.cells <= 32, `${stage.engine.gauges.cells} cells`);
  assert.ok(stage.engine.gauges.evicted >= 168, `${stage.engine.gauges.evicted} evicted`);
  for (const address of addresses) assert.is(total(await stage.body(address, add)), 2);
  await stage.close();
});

it('evicts the least recently used first: an actor in constant use is read once', async () => {
  const store = counting();
  const stage = await openStage({ store, limits: { residentsMax: 32 } });
  for (const address of named(200)) {
    await stage.body('counter:hot', add);
    await stage.body(address, add);
  }
  assert.is(store.loaded.filter((address) => address === 'counter:hot').length, 1);
  await stage.close();
});

it('never evicts an actor of a resident kind, and does not count it', async () => {
  const store = counting();
  const stage = await openStage({ store, kinds: [{ ...counterKind, resident: true }], limits: { residentsMax: 4 } });
  const addresses = named(40);
  await addToEach(stage, addresses);
  assert.equal([stage.engine.gauges.cells, stage.engine.gauges.evicted], [40, 0]);
  await addToEach(stage, addresses);
  assert.is(store.loaded.length, 40);
  await stage.close();
});

it('writes volatile state before it evicts an actor', async () => {
  const stage = await openStage({ limits: { residentsMax: 16 } });
  const addresses = named(100);
  for (const address of addresses) {
    await stage.body(address, { type: 'peek' });
    await turns(2);
  }
  await until(() => stage.engine.gauges.cells <= 16);
  assert.ok(stage.engine.gauges.evicted >= 84);
  for (const address of addresses) {
    const body = (await stage.body(address, { type: 'peek' })) as { seen: number };
    assert.is(body.seen, 2, address);
    await turns(2);
  }
  await stage.close();
});

it('keeps actors with uncommitted output, answers others busy at the cap, warns once, and accepts inputs that end work', async () => {
  const store = new MemoryStore({ clock: systemClock, shards: SHARDS });
  const stage = await openStage({ store, limits: { residentsMax: 8 } });
  await stage.body('counter:old', add);
  await addToEach(stage, named(8, 'fill'));
  const resume = store.pauseCommits();
  const waiting: Promise<Answer>[] = [];
  for (const address of named(40)) {
    waiting.push(stage.ask(address, add));
    await turns(2);
  }
  const busy = await Promise.all(waiting.map((answer) => Promise.race([answer, Promise.resolve(null)])));
  const refused = busy.filter((answer) => answer !== null && !answer.ok && answer.failure.code === 'busy');
  assert.ok(refused.length > 25, `${refused.length} were answered busy`);
  assert.is(busy.filter((answer) => answer?.ok).length, 0, 'no output before its commit');
  const cells = stage.engine.gauges.cells;
  assert.ok(cells <= 8, `${cells} cells`);
  const end = stage.ask('counter:old', { type: 'finish' });
  await turns(4);
  assert.is(stage.engine.gauges.cells, cells + 1, 'an input that ends work is accepted beyond the cap');
  const warnings = stage.recorded.logged.filter(({ message }) => /answered busy/.test(message));
  assert.equal([warnings.length, warnings[0]?.residentsMax], [1, 8]);
  resume();
  assert.ok((await end).ok);
  const answers = await Promise.all(waiting);
  assert.ok(answers.every((answer) => answer.ok || answer.failure.code === 'busy'));
  await until(async () => (await stage.ask('counter:later', add)).ok);
  assert.is(total(await stage.body('counter:later', { type: 'read' })), 1, 'an input answered busy was not applied');
  await stage.close();
});

it('loses no volatile state when the write that should make room is refused', async () => {
  const store = new MemoryStore({ clock: systemClock, shards: SHARDS });
  const stage = await openStage({ store, limits: { residentsMax: 16 } });
  await addToEach(stage, named(40));
  store.fault = () => ({ type: 'refuse', reason: 'full' });
  for (const address of named(15, 'v')) {
    await stage.body(address, { type: 'peek' });
    await turns(2);
  }
  store.fault = null;
  for (const address of named(40)) assert.is(total(await stage.body(address, add)), 2);
  await stage.close();
});

it('serves more actors than its cap under load, and counts each input once', async () => {
  const store = new MemoryStore({ clock: systemClock, shards: SHARDS, commitMs: 1 });
  const stage = await openStage({ store, limits: { residentsMax: 64 } });
  const addresses = named(400);
  const answered = new Map<string, number>();
  await Promise.all(
    Array.from({ length: 32 }, async (_, at) => {
      for (let round = 0; round < 40; round++) {
        const address = addresses[(at * 131 + round * 37) % addresses.length] as string;
        const answer = await stage.ask(address, round % 3 === 0 ? { type: 'peek' } : add);
        if (answer.ok && round % 3 !== 0) answered.set(address, (answered.get(address) ?? 0) + 1);
      }
    }),
  );
  await stage.close();
  for (const [address, sum] of answered) {
    const { actor } = (await store.loadActor(address)) ?? {};
    assert.is(JSON.parse(actor?.snapshot ?? '{}').context.total, sum, address);
  }
});

it('accepts activity results although all resident actors are in use', async () => {
  const store = counting();
  const stage = await openStage({ store, limits: { residentsMax: 4 } });
  await addToEach(stage, ['counter:worker', ...named(8, 'other')]);
  const resume = store.pauseCommits();
  const waiting: Promise<Answer>[] = [];
  for (const address of named(8)) {
    waiting.push(stage.ask(address, add));
    await turns();
  }
  const end = { type: 'done', result: 1 };
  const told = await stage.ask('counter:worker', { type: '$result', id: 'w', attempt: 1, key: '', end, last: false });
  assert.equal(told, { ok: true, body: 'stale' });
  resume();
  assert.is((await Promise.all(waiting)).filter(({ ok }) => !ok).length, 4, 'the others were answered busy');
  await stage.close();
});

test.run();
