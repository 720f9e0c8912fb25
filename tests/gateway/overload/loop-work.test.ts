import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/runtime/index.ts';
import { arrivalShare, loopShare } from '../../../gateway/overload/loop-work.ts';
import { bounded } from '../../support/bounded.ts';
import { LoopModel } from './loop-model.ts';

const it = bounded(test);
const KIB = 1024;

/** The turn in which each share began, all requested together. */
async function turnsOf(sizes: readonly number[]): Promise<readonly number[]> {
  await turn();
  let now = 0;
  let over = false;
  const count = async (): Promise<void> => {
    for (; !over; now++) await turn();
  };
  const counting = count();
  const begun = await Promise.all(sizes.map((bytes) => loopShare(systemClock, bytes).then(() => now)));
  over = true;
  await counting;
  return begun;
}

it('small texts share a turn; a text that fills a turn or exceeds it has a turn of its own', async () => {
  assert.equal(spread(await turnsOf([64 * KIB, 64 * KIB, 128 * KIB])), [0, 0, 0]);
  assert.equal(spread(await turnsOf([256 * KIB, 1, 256 * KIB])), [0, 1, 2]);
  assert.equal(spread(await turnsOf([9_000 * KIB, 9_000 * KIB, 1])), [0, 1, 2]);
});

it('shares begin in the order of their requests, even where a later one would still fit', async () => {
  assert.equal(spread(await turnsOf([200 * KIB, 100 * KIB, 10 * KIB])), [0, 1, 1]);
});

it('bytes still to be received wait for all bytes already received', async () => {
  const order: string[] = [];
  const record = (name: string) => () => void order.push(name);
  const arrivals = ['arrival 1', 'arrival 2'].map((name) => arrivalShare(systemClock, 256 * KIB).then(record(name)));
  const again = (): Promise<void> => loopShare(systemClock, 256 * KIB).then(record('read 2'));
  const readings = [
    loopShare(systemClock, 256 * KIB)
      .then(record('read 1'))
      .then(again),
  ];
  await Promise.all([...arrivals, ...readings]);
  assert.equal(order, ['read 1', 'read 2', 'arrival 1', 'arrival 2']);
});

it('two full shares never begin in one turn, whenever they are requested', async () => {
  const turns: number[] = [];
  let now = 0;
  let over = false;
  const counting = (async () => {
    for (; !over; now++) await turn();
  })();
  for (let nth = 0; nth < 5; nth++) {
    await new Promise((resolve) => setTimeout(resolve, nth % 2));
    await Promise.all([1, 2].map(() => loopShare(systemClock, 256 * KIB).then(() => turns.push(now))));
  }
  over = true;
  await counting;
  assert.is(new Set(turns).size, turns.length);
});

it('after a turn, shares rest for as long, at most 50 ms', async () => {
  for (const [workMs, restMs] of [
    [1, 1],
    [10, 10],
    [300, 50],
  ] as const) {
    const loop = new LoopModel();
    const begun: number[] = [];
    const work = async (): Promise<void> => {
      for (let nth = 0; nth < 5; nth++) {
        await loopShare(loop, 256 * KIB);
        begun.push(loop.monotonic());
        loop.spend(workMs);
      }
    };
    void work();
    await loop.run(10_000);
    assert.equal(
      begun,
      [0, 1, 2, 3, 4].map((nth) => nth * (workMs + restMs)),
      `${workMs} ms`,
    );
  }
});

/** Renumbers the turns, leaving out those in which no share began. */
function spread(turns: readonly number[]): readonly number[] {
  const different = [...new Set(turns)].sort((a, b) => a - b);
  return turns.map((one) => different.indexOf(one));
}

test.run();
