/** Every mutation is caught, by the seed known to catch it or by another. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { patch } from './mutation.ts';
import { MUTATIONS } from './mutations.ts';
import { readSeeds, SUITE_SEEDS } from './read-seeds.ts';
import { isGreen, run } from './run.ts';

/** Most seeds tried for one mutation, from seed 1 after those of the suite; far above the measured need of each. */
const SEEDS_MAX = 200;
const it = bounded(test, 120_000);

it('a mutation of a method that the runtime no longer has is an error, and a restored method is the original', () => {
  class Sound {
    answer(): string {
      return 'sound';
    }
  }
  assert.throws(() => patch(Sound, ['reply'], () => ({ reply: () => 'odd' })), /Sound has no method reply/);
  const restore = patch(Sound, ['answer'], ({ answer }) => ({ answer: () => `not ${answer()}` }));
  assert.is(new Sound().answer(), 'not sound');
  restore();
  assert.is(new Sound().answer(), 'sound');
});

for (const mutation of MUTATIONS.filter(({ isLong }) => !isLong)) {
  it(`"${mutation.name}" is caught and the seed is green without it`, async () => {
    // Try the seed that caught it in the last measurement first.
    const seeds = [mutation.caughtBy, ...SUITE_SEEDS, ...Array.from({ length: SEEDS_MAX }, (_, i) => i + 1)];
    const caught = await firstCaught(mutation, seeds);
    assert.ok(caught !== null, `not caught within ${SEEDS_MAX} seeds`);
    assert.ok(await isSound(caught), `seed ${caught} fails without the mutation`);
  });
}

/** The simulation's own test runs the seeds of the suite. */
const SOUND = new Set([...SUITE_SEEDS, ...readSeeds().map(({ seed }) => seed)]);

async function isSound(seed: number): Promise<boolean> {
  return SOUND.has(seed) || isGreen(await run(seed));
}

async function firstCaught(mutation: (typeof MUTATIONS)[number], seeds: readonly number[]): Promise<number | null> {
  for (const seed of seeds) if (!isGreen(await run(seed, mutation))) return seed;
  return null;
}

test.run();
