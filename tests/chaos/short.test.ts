import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { STORE_KINDS } from './chaos-store.ts';
import { passed, render } from './report.ts';
import { runChaos } from './run.ts';

const it = bounded(test, 150_000);

for (const store of STORE_KINDS) {
  it(`three kills under load lose nothing, charge nothing twice and leave no hold: ${store}`, async () => {
    const report = await runChaos({
      store,
      kills: 3,
      stops: 0,
      cuts: 0,
      seed: Math.floor(Math.random() * 2 ** 31),
      inFlight: 16,
      calmMs: 1_000,
      keep: false,
      tell: () => {},
    });
    assert.ok(passed(report), render(report));
  });
}

test.run();
