import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

import { loopShare, systemClock } from '../../../../actors/runtime/index.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test, 5_000);
const KIB = 1024;

/** In which turn each of them began, asked for together. */
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

it('small ones share a turn, one that fills it has it alone, and one that is larger too', async () => {
  assert.equal(spread(await turnsOf([64 * KIB, 64 * KIB, 128 * KIB])), [0, 0, 0]);
  assert.equal(spread(await turnsOf([256 * KIB, 1, 256 * KIB])), [0, 1, 2]);
  assert.equal(spread(await turnsOf([9_000 * KIB, 9_000 * KIB, 1])), [0, 1, 2]);
});

it('whoever comes first is served first, even where a later one would still fit', async () => {
  assert.equal(spread(await turnsOf([200 * KIB, 100 * KIB, 10 * KIB])), [0, 1, 1]);
});

/** Turns numbered anew, without those in which nothing began. */
function spread(turns: readonly number[]): readonly number[] {
  const different = [...new Set(turns)].sort((a, b) => a - b);
  return turns.map((one) => different.indexOf(one));
}

test.run();
