import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CheckFinding } from '../../../actors/terms/endpoint.ts';
import config from '../../../cluster.config.ts';
import { dueAt } from '../../../gateway/checks/checker.ts';

const limits = config.checks;
const SINCE = 1_763_690_400_000;

function due(
  verdict: CheckFinding['verdict'] | undefined,
  over: { endpoint?: string; underFloor?: boolean } = {},
): number {
  const finding = verdict === undefined ? undefined : { check: 'tools' as const, verdict, triedAt: SINCE };
  const { endpoint = 'ep_1', underFloor = false } = over;
  return dueAt(endpoint, 'tools', { finding, underFloor, since: SINCE, limits }) - SINCE;
}

test('a check never tried is due within the first window, spread over it by name', () => {
  const dues = Array.from({ length: 200 }, (_, at) => due(undefined, { endpoint: `ep_${at}` }));
  assert.ok(dues.every((after) => after >= 0 && after < limits.firstWithinMs));
  const early = dues.filter((after) => after < limits.firstWithinMs / 2).length;
  assert.ok(early > 60 && early < 140, `${early} of 200 in the first half`);
  assert.is(due(undefined), due(undefined), 'every node finds the same moment');
});

test('a passed check repeats after hours, a failed or inconclusive one after minutes, at most a quarter earlier', () => {
  const within = (after: number, ms: number): boolean => after > 0.75 * ms - 1 && after <= ms;
  assert.ok(within(due('passed'), limits.everyMs));
  assert.ok(within(due('failed'), limits.againMs));
  assert.ok(within(due(null), limits.againMs));
  assert.ok(within(due('passed', { underFloor: true }), limits.againMs), 'below the minimum its requests are needed');
});

test('a passed check repeats before its verdict expires', () => {
  assert.ok(limits.everyMs * 2 < 24 * 60 * 60_000);
});

test.run();
