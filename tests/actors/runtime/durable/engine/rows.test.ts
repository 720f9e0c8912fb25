import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../../../actors/runtime/system/clock.ts';
import { bounded } from '../../../../support/bounded.ts';
import { MemoryStore } from '../../../../support/memory-store.ts';
import { LINE_RETENTION_MS, NEXT_MAX } from '../../../example-kinds/register.ts';
import { openStage, SHARDS, type Stage, turns } from '../stage.ts';

const it = bounded(test);
const R = 'register:a';
const fresh = (): MemoryStore => new MemoryStore({ clock: systemClock, shards: SHARDS });

it('writes rows with the columns that their collection derives from the body', async () => {
  const stage = await openStage();
  await stage.body(R, { type: 'put', id: 'x', amount: 5, node: 'n7' });
  const key = { address: R, collection: 'line', id: 'x' };
  const open = await stage.store.row(key);
  assert.ok(open);
  assert.equal([open.open, open.index.slice(0, 2), open.expiresAt], [true, ['n7', 'paid'], null]);
  assert.is(JSON.parse(open.body).at, open.sort);
  await stage.body(R, { type: 'close', id: 'x' });
  const closed = await stage.store.row(key);
  assert.equal([closed?.open, closed?.expiresAt], [false, open.sort + LINE_RETENTION_MS]);
  await stage.body(R, { type: 'put', id: 'x', amount: 0 });
  assert.equal((await stage.store.row(key))?.index.slice(0, 2), ['n1', null]);
  await stage.body(R, { type: 'remove', id: 'x' });
  assert.is(await stage.store.row(key), null);
  await stage.close();
});

it('shows a chart rows and removals that are not yet durable', async () => {
  const store = fresh();
  const stage = await openStage({ store });
  await stage.body(R, { type: 'put', id: 'x', amount: 1 });
  const resume = store.pauseCommits();
  const asks = [
    stage.body(R, { type: 'put', id: 'y', amount: 2 }),
    stage.body(R, { type: 'line', id: 'y', stored: false }),
    stage.body(R, { type: 'remove', id: 'x' }),
    stage.body(R, { type: 'line', id: 'x' }),
    stage.body(R, { type: 'list' }),
  ];
  await turns();
  resume();
  const [, line, , gone, list] = await Promise.all(asks);
  assert.is((line as { amount: number }).amount, 2);
  assert.is(gone, null);
  assert.equal(list, ['y']);
  await stage.close();
});

it('keeps open rows with the cell and loads them with it, in order', async () => {
  const first = await openStage();
  for (const id of ['c', 'a', 'b']) await first.body(R, { type: 'put', id });
  await first.body(R, { type: 'close', id: 'a' });
  await first.close();
  const stage = await openStage({ store: first.store });
  const list = (await stage.body(R, { type: 'list' })) as string[];
  assert.equal([...list].sort(), ['b', 'c']);
  assert.equal((await stage.engine.inspect(R))?.openRows, { line: 2 });
  await stage.close();
});

it('reads a closed row from the store only if the kind declares that it may exist', async () => {
  const stage = await openStage();
  await stage.body(R, { type: 'put', id: 'x', amount: 9 });
  await stage.body(R, { type: 'close', id: 'x' });
  assert.is(await stage.body(R, { type: 'line', id: 'x', stored: false }), null);
  assert.is(((await stage.body(R, { type: 'line', id: 'x' })) as { amount: number }).amount, 9);
  assert.is(await stage.body(R, { type: 'line', id: 'never' }), null);
  await stage.close();
});

it('keeps the message order of an actor during a row read, and shows rows written meanwhile', async () => {
  const stage = await openStage();
  await stage.body(R, { type: 'put', id: 'x', amount: 1 });
  await stage.body(R, { type: 'close', id: 'x' });
  const answers = await Promise.all([
    stage.body(R, { type: 'line', id: 'x' }),
    stage.body(R, { type: 'remove', id: 'x' }),
    stage.body(R, { type: 'line', id: 'x' }),
    stage.body(R, { type: 'put', id: 'x', amount: 3 }),
    stage.body(R, { type: 'line', id: 'x' }),
  ]);
  assert.equal(
    answers.map((answer) => (answer as { amount?: number } | null)?.amount ?? answer),
    [1, 3, null, 4, 3],
  );
  await stage.close();
});

const next = (stage: Stage, count: number) => stage.body(R, { type: 'next', count });
const put = (id: string, rank: number) => ({ type: 'quiet', id, rank });

it('shows a chart the next open rows by sort and id, up to the requested number', async () => {
  const stage = await openStage();
  assert.is((await stage.ask(R, { type: 'put', id: 'm', rank: 50 })).ok, true);
  for (const [id, rank] of [
    ['c', 30],
    ['a', 10],
    ['z', 10],
    ['b', 70],
  ] as const) {
    await stage.body(R, { type: 'put', id, rank });
  }
  assert.equal(await next(stage, 3), ['a', 'z', 'c']);
  assert.equal(await next(stage, NEXT_MAX), ['a', 'z', 'c', 'm', 'b']);
  await stage.body(R, { type: 'close', id: 'z' });
  await stage.body(R, { type: 'remove', id: 'c' });
  await stage.body(R, { type: 'put', id: 'b', rank: 5 });
  await stage.body(R, { type: 'put', id: 'd', rank: 20 });
  assert.equal(await next(stage, 2), ['b', 'a']);
  assert.equal(await next(stage, 50), ['b', 'a', 'd', 'm']);
  await stage.body(R, { type: 'put', id: 'z', rank: 10 });
  assert.equal(await next(stage, 50), ['b', 'a', 'z', 'd', 'm']);
  await stage.close();
});

it('counts rows that the same cascade opened, moved, closed and removed earlier', async () => {
  const stage = await openStage();
  for (let i = 0; i < 5; i++) await stage.body(R, { type: 'put', id: `r${i}`, rank: i * 10 });
  const ask = (...events: readonly { readonly type: string }[]) => stage.body(R, { type: 'all', events });
  const look = { type: 'next', count: 3 };
  assert.equal(await next(stage, 3), ['r0', 'r1', 'r2']);
  assert.equal(await ask(put('n', 5), { type: 'shut', id: 'r0' } as never, look), ['n', 'r1', 'r2']);
  assert.equal(await next(stage, 3), ['n', 'r1', 'r2'], 'and so it is after the commit');
  const drops = ['n', 'r1', 'r2', 'r3'].map((id) => ({ type: 'drop', id }));
  assert.equal(await ask(...drops, look), ['r4']);
  assert.equal(await ask(put('r4', 90), put('x', 80), put('x', 95), look), ['r4', 'x']);
  assert.equal(await ask(put('y', 1), { type: 'drop', id: 'y' } as never, look), ['r4', 'x']);
  const failed = await stage.ask(R, { type: 'all', events: [put('w', 0), { type: 'unknown' }] });
  assert.ok(!failed.ok && failed.failure.code === 'rejected');
  assert.equal(await next(stage, 3), ['r4', 'x'], 'what was not committed is not there');
  await stage.close();
});

it('shows next rows before they are durable, discards those of a refused commit, and reloads them', async () => {
  const store = fresh();
  const stage = await openStage({ store });
  await stage.body(R, { type: 'put', id: 'a', rank: 1 });
  assert.equal(await next(stage, 5), ['a']);
  const resume = store.pauseCommits();
  const asked = [stage.body(R, { type: 'put', id: 'b', rank: 0 }), next(stage, 5)];
  await turns();
  resume();
  assert.equal((await Promise.all(asked))[1], ['b', 'a']);
  store.fault = () => ({ type: 'refuse', reason: 'full' });
  assert.not((await stage.ask(R, { type: 'put', id: 'lost', rank: 0.5 })).ok);
  store.fault = null;
  assert.equal(await next(stage, 5), ['b', 'a']);
  await stage.body(R, { type: 'close', id: 'a' });
  for (const [i, id] of ['q', 'p', 'o'].entries()) await stage.body(R, { type: 'put', id, rank: 9 - i });
  await stage.close();
  const again = await openStage({ store });
  assert.equal(await next(again, 3), ['b', 'o', 'p']);
  await again.close();
});

it('fails a step that requests more next rows than its kind allows, none, or rows of another collection', async () => {
  const stage = await openStage();
  await stage.body(R, { type: 'put', id: 'a' });
  for (const event of [
    ...[0, -1, 1.5, NEXT_MAX + 1].map((count) => ({ type: 'next', count })),
    { type: 'next', count: 1, of: 'nothing' },
  ]) {
    const answer = await stage.ask(R, event);
    assert.ok(!answer.ok && answer.failure.code === 'failed');
    assert.match(
      answer.failure.detail,
      /rows names the next .* of collection (line, which allows 1 to 100|nothing, .* 0)$/,
    );
  }
  await stage.close();
});

it('answers refused when a row cannot be read', async () => {
  const store = fresh();
  const stage = await openStage({ store });
  await stage.body(R, { type: 'put', id: 'x' });
  store.cut = true;
  const answer = await stage.ask(R, { type: 'line', id: 'elsewhere' });
  assert.ok(!answer.ok && answer.failure.code === 'refused');
  store.cut = false;
  assert.is(await stage.body(R, { type: 'line', id: 'elsewhere' }), null);
  await stage.close();
});

it('discards rows of a refused commit', async () => {
  const store = fresh();
  const stage = await openStage({ store });
  await stage.body(R, { type: 'put', id: 'x' });
  store.fault = () => ({ type: 'refuse', reason: 'full' });
  assert.not((await stage.ask(R, { type: 'put', id: 'y' })).ok);
  store.fault = null;
  assert.equal(await stage.body(R, { type: 'list' }), ['x']);
  await stage.close();
});

test.run();
