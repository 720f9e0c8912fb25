/** Expired rows leave the store as fast as a busy cluster writes them, and on one node only. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rowSweep } from '../../../../actors/runtime/cluster/sweeps.ts';
import { own, row, write } from '../../../contracts/store/records.ts';
import { bounded } from '../../../support/bounded.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { HandClock } from '../durable/hand-clock.ts';

const it = bounded(test);
const limits = { sweepMs: 60_000, sweepRowsMax: 5 };
/** Three rounds of 20 sweeps. */
const EXPIRED = 300;

async function stage(isMine: () => boolean) {
  const clock = new HandClock(1_763_690_000_000);
  const store = new MemoryStore({ clock, shards: 16 });
  const fence = await own(store, 'i1');
  const rowsPut = Array.from({ length: EXPIRED }, (_, n) => row(`old-${n}`, { expiresAt: clock.now() + n }));
  await store.commit([write(fence, { rowsPut: [...rowsPut, row('kept'), row('later', { expiresAt: 2 ** 45 })] })]);
  const task = rowSweep({ isMine, store, clock, limits, log: () => {}, now: () => clock.now() });
  task.start();
  return { clock, task, left: async () => (await store.rows({ collection: 'holds', limit: 1_000 })).length };
}

it('a backlog of expired rows is swept within seconds, and what is kept stays (rule N58)', async () => {
  const { clock, task, left } = await stage(() => true);
  await clock.advance(limits.sweepMs);
  assert.is(await left(), EXPIRED + 2 - 100);
  await clock.advance(3_000);
  assert.is(await left(), 2);
  task.stop();
});

it('a node that is not the one that sweeps removes nothing', async () => {
  const { clock, task, left } = await stage(() => false);
  await clock.advance(3 * limits.sweepMs);
  assert.is(await left(), EXPIRED + 2);
  task.stop();
});

test.run();
