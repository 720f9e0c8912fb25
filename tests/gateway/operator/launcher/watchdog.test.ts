import { test } from 'uvu';
import * as assert from 'uvu/assert';
import config from '../../../../cluster.config.ts';
import {
  QUIET,
  restartDelay,
  startingVitals,
  tickVitals,
  type Vitals,
  verdictOn,
} from '../../../../gateway/operator/launcher/watchdog.ts';

const limits = config.launcher;

const VERDICTS: readonly (readonly [string, Partial<Vitals>, RegExp | null])[] = [
  ['lives when it answers', {}, null],
  ['lives when silent for less than the bound', { silentMs: limits.silentKillMs - 1 }, null],
  ['dies when silent for the bound', { silentMs: limits.silentKillMs }, /^silent for/],
  ['lives when stopped for less than the bound', { silentMs: 999, stoppedMs: limits.stoppedKillMs - 1 }, null],
  ['dies when stopped for the bound', { silentMs: 1_000, stoppedMs: limits.stoppedKillMs }, /^stopped for/],
  ['lives when the store is busy and it answers', { storeBusyMs: 60_000 }, null],
  [
    'lives when silent and the store was busy for less than the bound',
    { silentMs: 600, storeBusyMs: limits.storeBusyKillMs - 1 },
    null,
  ],
  [
    'dies when silent while the store was busy',
    { silentMs: limits.silentMs, storeBusyMs: limits.storeBusyKillMs },
    /store was busy/,
  ],
];

for (const [what, vitals, expected] of VERDICTS) {
  test(`a node ${what}`, () => {
    const verdict = verdictOn({ ...QUIET, ...vitals }, limits);
    if (expected) assert.match(String(verdict), expected);
    else assert.is(verdict, null);
  });
}

const tick = { elapsedMs: 100, pingEveryMs: 100, unanswered: true, stopped: false, storeBusyMs: 0 };

test('silence grows with each tick and ends with the answer', () => {
  let vitals = QUIET;
  for (let i = 0; i < 6; i++) vitals = tickVitals(vitals, tick);
  assert.is(vitals.silentMs, 600);
  assert.is(tickVitals(vitals, { ...tick, unanswered: false }).silentMs, 0);
});

test('a stalled launcher does not blame its nodes: one tick counts for two intervals at most', () => {
  assert.is(tickVitals(QUIET, { ...tick, elapsedMs: 60_000 }).silentMs, 200);
});

test('a node that starts may be silent, but is killed where it is stopped while the store is busy', () => {
  const patient = { ...limits, stoppedKillMs: 1e9, silentKillMs: 1e9 };
  const silent = { silentMs: 60_000, stoppedMs: 0, storeBusyMs: limits.storeBusyKillMs };
  assert.is(verdictOn(startingVitals(silent), limits), null);
  assert.match(
    verdictOn(startingVitals({ ...silent, stoppedMs: limits.silentMs }), patient) ?? '',
    /while the store was busy/,
  );
  assert.is(verdictOn(startingVitals({ ...silent, stoppedMs: limits.silentMs, storeBusyMs: 0 }), patient), null);
});

test('the stopped time restarts when the process was seen running', () => {
  let vitals = tickVitals(QUIET, { ...tick, stopped: true });
  vitals = tickVitals(vitals, { ...tick, stopped: true });
  assert.is(vitals.stoppedMs, 200);
  assert.is(tickVitals(vitals, tick).stoppedMs, 0);
});

test('the delay before a restart doubles up to its bound', () => {
  const delays = [0, 1, 2, 3, 4, 5, 6, 1_000].map((failures) => restartDelay(failures, limits));
  assert.equal(delays, [0, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
});

test.run();
