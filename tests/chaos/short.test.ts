import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { type ChaosReport, passed, render } from './report.ts';
import { runChaos } from './run.ts';

/** `npm run chaos` is the long form; here every kind of fault strikes once. */
const it = bounded(test, 400_000);

/** Requests are in flight at each fault, at a fraction of the CPU time of clients without a rest. */
const REST_MS = 150;

/**
 * A run that proves nothing, because a fault took no effect on a slow machine, is repeated once with another seed. A
 * violation that it found counts.
 */
async function provingRun(settings: Omit<Parameters<typeof runChaos>[0], 'seed'>): Promise<ChaosReport> {
  const run = (): Promise<ChaosReport> => runChaos({ ...settings, seed: Math.floor(Math.random() * 2 ** 31) });
  const report = await run();
  return report.verdict.clean && report.problems.length > 0 ? run() : report;
}

it('kills, a node frozen inside a transaction, an unreachable store, stepping clocks and a full disk: sqlite (rule E51, rule N25)', async () => {
  const report = await provingRun({
    store: 'sqlite',
    kills: 1,
    points: ['line.sent'],
    stops: 1,
    places: ['in transaction'],
    losses: 1,
    clocks: 1,
    fulls: 1,
    owners: false,
    inFlight: 4,
    restMs: REST_MS,
    calmMs: 700,
    keep: false,
    tell: () => {},
  });
  assert.ok(passed(report), render(report));
});

it('kills under load lose nothing, charge nothing twice and leave no hold: postgres', async () => {
  const report = await provingRun({
    store: 'postgres',
    kills: 1,
    points: ['line.settled'],
    stops: 0,
    owners: false,
    inFlight: 4,
    restMs: REST_MS,
    calmMs: 1_000,
    keep: false,
    tell: () => {},
  });
  assert.ok(passed(report), render(report));
});

test.run();
