import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { passed, render } from './report.ts';
import { runChaos } from './run.ts';

const it = bounded(test, 150_000);

it('three kills under load lose nothing, charge nothing twice and leave no hold', async () => {
  const report = await runChaos({
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

test.run();
