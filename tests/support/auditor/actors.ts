import { type Check, Checking } from './check.ts';
import type { RuntimeEvidence } from './runtime-evidence.ts';

/** An acknowledged addition is stored once, a failed one is not stored, and no other addition is stored. */
export function additionsOnce({ additions, tallies }: RuntimeEvidence): Check {
  const check = new Checking('rule N7', 'commands are applied once');
  const requested = new Map(additions.map((addition) => [`${addition.address} ${addition.op}`, addition]));
  const stored = new Map<string, number>();
  for (const { address, total, additions: rows } of tallies) {
    let sum = 0;
    for (const { op, by, times } of rows) {
      sum += by * times;
      stored.set(`${address} ${op}`, times);
      const known = requested.get(`${address} ${op}`);
      check.expect(times === 1, () => `${address} ${op}: was applied ${times} times`);
      check.expect(
        known !== undefined && known.by === by,
        () => `${address} ${op}: an addition of ${by} was never sent`,
      );
      check.expect(known?.outcome !== 'fail', () => `${address} ${op}: the answer was a failure, but it was applied`);
    }
    check.expect(sum === total, () => `${address}: total ${total}, its additions give ${sum}`);
  }
  for (const { address, op, outcome } of additions) {
    if (outcome !== 'ok') continue;
    check.expect(stored.has(`${address} ${op}`), () => `${address} ${op}: acknowledged, but lost`);
  }
  return check.done();
}

/** A set timer fires once and not before its time on its node's clock; a cancelled one does not fire. */
export function alarmsOnce({ alarms, clockworks, timeSlackMs }: RuntimeEvidence): Check {
  const check = new Checking('rule N9', 'timers fire once');
  const stored = new Map(clockworks.map((alarm) => [`${alarm.address} ${alarm.name}`, alarm]));
  for (const { address, name, set, cancel } of alarms) {
    const alarm = stored.get(`${address} ${name}`);
    check.expect(set !== 'ok' || alarm !== undefined, () => `${address} ${name}: set, but lost`);
    check.expect(
      set !== 'fail' || alarm === undefined,
      () => `${address} ${name}: the answer was a failure, but it was set`,
    );
    if (alarm === undefined) continue;
    const { rings, cancelled, rangAt, dueAt } = alarm;
    check.expect(
      rings === (cancelled ? 0 : 1),
      () => `${address} ${name}: rang ${rings} times, cancelled ${cancelled}`,
    );
    check.expect(cancel !== 'none' || !cancelled, () => `${address} ${name}: it was never cancelled`);
    check.expect(
      rangAt === null || rangAt >= dueAt - timeSlackMs,
      () => `${address} ${name}: due at ${dueAt}, rang at ${rangAt}`,
    );
  }
  return check.done();
}

/** Transfers between actors of one shard never create or lose money, at any moment. */
export function pursesKeepTheirSum({ purses }: RuntimeEvidence): Check {
  const check = new Checking('rule N10', 'a transfer keeps the sum');
  for (const { at, owner, sum, expected } of purses) {
    check.expect(sum === expected, () => `${owner} at ${at}: ${sum} of ${expected}`);
  }
  return check.done();
}
