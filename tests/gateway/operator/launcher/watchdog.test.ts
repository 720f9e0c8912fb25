import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CUT_OFF } from '../../../../actors/runtime/index.ts';
import config from '../../../../cluster.config.ts';
import { EXIT_NOT_JOINED, EXIT_REJOIN, exitOfDead } from '../../../../gateway/operator/launcher/message.ts';
import {
  type LifeEnd,
  QUIET,
  restartAfter,
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

/** How a life ended, the failures before it, and the delay and the failures after it. */
const RESTARTS: readonly (readonly [string, LifeEnd, number, number, number])[] = [
  ['was declared dead after it served', { code: EXIT_REJOIN, livedMs: 9_000, wasUp: true }, 3, 0, 0],
  ['was declared dead soon after it served', { code: EXIT_REJOIN, livedMs: 2_000, wasUp: true }, 3, 0, 3],
  ['was cut off before it served', { code: EXIT_REJOIN, livedMs: 9_000, wasUp: false }, 3, 0, 3],
  ['drained', { code: 0, livedMs: 9_000, wasUp: true }, 3, 200, 0],
  ['was killed after it served', { code: null, livedMs: 9_000, wasUp: true }, 3, 200, 1],
  ['was killed soon after it served', { code: null, livedMs: 2_000, wasUp: true }, 3, 1_600, 4],
  ['ended before it served', { code: 1, livedMs: 9_000, wasUp: false }, 0, 200, 1],
  ['did not join in time: as long as it tried', { code: EXIT_NOT_JOINED, livedMs: 14_000, wasUp: false }, 0, 14_000, 1],
  ['did not join in time, up to a bound', { code: EXIT_NOT_JOINED, livedMs: 140_000, wasUp: false }, 2, 60_000, 3],
  ['was refused at once, often', { code: EXIT_NOT_JOINED, livedMs: 900, wasUp: false }, 8, 5_000, 9],
];

for (const [title, end, before, delayMs, failures] of RESTARTS) {
  test(`the next start of a node that ${title}`, () => {
    assert.equal(restartAfter(end, before, limits), { delayMs, failures });
  });
}

test('a node declared dead asks to rejoin if it served, or if its links were cut before it did (rule N43)', () => {
  for (const why of ['silent heartbeat', 'did not join', CUT_OFF]) assert.is(exitOfDead(why, true), EXIT_REJOIN);
  assert.is(exitOfDead(CUT_OFF, false), EXIT_REJOIN);
  for (const why of ['silent heartbeat', 'did not join']) assert.is(exitOfDead(why, false), EXIT_NOT_JOINED);
});

test.run();
