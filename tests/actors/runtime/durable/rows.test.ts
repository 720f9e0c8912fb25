import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../../actors/runtime/system/clock.ts';
import { bounded } from '../../../support/bounded.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { LINE_RETENTION_MS } from '../../example-kinds/register.ts';
import { openStage, SHARDS, turns } from './stage.ts';

const it = bounded(test, 5_000);
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

it('shows a chart rows that are not durable yet, and their removal', async () => {
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

it('keeps open rows beside the cell and loads them with it, in their order', async () => {
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

it('reads a closed row from the store only where the kind says it may be there', async () => {
  const stage = await openStage();
  await stage.body(R, { type: 'put', id: 'x', amount: 9 });
  await stage.body(R, { type: 'close', id: 'x' });
  assert.is(await stage.body(R, { type: 'line', id: 'x', stored: false }), null);
  assert.is(((await stage.body(R, { type: 'line', id: 'x' })) as { amount: number }).amount, 9);
  assert.is(await stage.body(R, { type: 'line', id: 'never' }), null);
  await stage.close();
});

it('keeps the order of one actor while a row is read, and shows what was written meanwhile', async () => {
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

it('forgets rows of a refused commit', async () => {
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
