import { type Check, Checking } from './check.ts';
import type { RuntimeEvidence } from './runtime-evidence.ts';

/** C2, C3: what was acknowledged is there, once; what certainly failed is not; nothing is there that nobody sent. */
export function additionsOnce({ additions, tallies }: RuntimeEvidence): Check {
  const check = new Checking('C3', 'commands are applied once');
  const asked = new Map(additions.map((addition) => [`${addition.address} ${addition.op}`, addition]));
  const stored = new Map<string, number>();
  for (const { address, total, additions: rows } of tallies) {
    let sum = 0;
    for (const { op, by, times } of rows) {
      sum += by * times;
      stored.set(`${address} ${op}`, times);
      const known = asked.get(`${address} ${op}`);
      check.expect(times === 1, () => `${address} ${op}: applied ${times} times`);
      check.expect(known !== undefined && known.by === by, () => `${address} ${op}: nobody sent ${by}`);
      check.expect(known?.outcome !== 'fail', () => `${address} ${op}: answered as not done, and done`);
    }
    check.expect(sum === total, () => `${address}: total ${total}, its additions give ${sum}`);
  }
  for (const { address, op, outcome } of additions) {
    if (outcome !== 'ok') continue;
    check.expect(stored.has(`${address} ${op}`), () => `${address} ${op}: acknowledged, and lost`);
  }
  return check.done();
}

/** C4: a timer that stands fires, once, not before its time as its node knows it; a cancelled one does not. */
export function alarmsOnce({ alarms, clockworks, timeSlackMs }: RuntimeEvidence): Check {
  const check = new Checking('C4', 'timers fire once');
  const stored = new Map(clockworks.map((alarm) => [`${alarm.address} ${alarm.name}`, alarm]));
  for (const { address, name, set, cancel } of alarms) {
    const alarm = stored.get(`${address} ${name}`);
    check.expect(set !== 'ok' || alarm !== undefined, () => `${address} ${name}: set, and lost`);
    check.expect(set !== 'fail' || alarm === undefined, () => `${address} ${name}: answered as not set, and set`);
    if (alarm === undefined) continue;
    const { rings, cancelled, rangAt, dueAt } = alarm;
    check.expect(
      rings === (cancelled ? 0 : 1),
      () => `${address} ${name}: rang ${rings} times, cancelled ${cancelled}`,
    );
    check.expect(cancel !== 'none' || !cancelled, () => `${address} ${name}: nobody cancelled it`);
    check.expect(
      rangAt === null || rangAt >= dueAt - timeSlackMs,
      () => `${address} ${name}: due at ${dueAt}, rang at ${rangAt}`,
    );
  }
  return check.done();
}

/** Money moved between actors of one shard is neither made nor lost, in no moment. */
export function pursesKeepTheirSum({ purses }: RuntimeEvidence): Check {
  const check = new Checking('C5p', 'a transfer keeps the sum');
  for (const { at, owner, sum, expected } of purses) {
    check.expect(sum === expected, () => `${owner} at ${at}: ${sum} of ${expected}`);
  }
  return check.done();
}
