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
      seed: Math.floor(Math.random() * 2 ** 31),
      inFlight: 16,
      calmMs: 1_000,
      keep: false,
      tell: () => {},
    });
    assert.ok(passed(report), render(report));
  });
}

it('a node frozen inside a transaction, an unreachable store, stepping clocks and a full disk lose nothing', async () => {
  const report = await runChaos({
    store: 'sqlite',
    kills: 0,
    stops: 1,
    places: ['in transaction'],
    losses: 1,
    clocks: 1,
    fulls: 1,
    seed: Math.floor(Math.random() * 2 ** 31),
    inFlight: 8,
    calmMs: 700,
    keep: false,
    tell: () => {},
  });
  assert.ok(passed(report), render(report));
});

test.run();
