/** Every mutation is caught, by the seed known to catch it or by another of the first seeds. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { MUTATIONS } from './mutations.ts';
import { isGreen, run } from './run.ts';

/** Most seeds tried for one mutation, from seed 1; far above the measured need of each. */
const SEEDS_MAX = 200;
const it = bounded(test, 120_000);

for (const mutation of MUTATIONS) {
  it(`"${mutation.name}" is caught and fully restored`, async () => {
    // Try the seed that caught it in the last measurement first.
    const seeds = [mutation.caughtBy, ...Array.from({ length: SEEDS_MAX }, (_, i) => i + 1)];
    const caught = await firstCaught(mutation, seeds);
    assert.ok(caught !== null, `not caught within ${SEEDS_MAX} seeds`);
    assert.ok(isGreen(await run(caught)), `seed ${caught} fails without the mutation`);
  });
}

async function firstCaught(mutation: (typeof MUTATIONS)[number], seeds: readonly number[]): Promise<number | null> {
  for (const seed of seeds) if (!isGreen(await run(seed, mutation))) return seed;
  return null;
}

test.run();
