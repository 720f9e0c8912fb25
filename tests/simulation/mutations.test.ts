/** Every deliberate bug is caught, by the seed that is known to catch it or by one of those around it. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { MUTATIONS } from './mutations.ts';
import { isGreen, run } from './run.ts';

/** Tried in all, from the first on: the bound of every bug, and far above what each was measured to need. */
const SEEDS_MAX = 200;
const it = bounded(test, 120_000);

for (const mutation of MUTATIONS) {
  it(`"${mutation.name}" is caught, and nothing is left of it`, async () => {
    // The seed that caught it when it was last measured comes first.
    const seeds = [mutation.caughtBy, ...Array.from({ length: SEEDS_MAX }, (_, i) => i + 1)];
    const caught = await firstCaught(mutation, seeds);
    assert.ok(caught !== null, `not caught within ${SEEDS_MAX} seeds`);
    assert.ok(isGreen(await run(caught)), `seed ${caught} is not green without it`);
  });
}

async function firstCaught(mutation: (typeof MUTATIONS)[number], seeds: readonly number[]): Promise<number | null> {
  for (const seed of seeds) if (!isGreen(await run(seed, mutation))) return seed;
  return null;
}

test.run();
