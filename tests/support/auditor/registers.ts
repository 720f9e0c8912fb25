import { type Check, Checking } from './check.ts';
import { isLinearizable } from './linearizable.ts';
import { ReadLease } from './read-lease.ts';
import type { RegisterOperation, RuntimeEvidence } from './runtime-evidence.ts';

/**
 * Every register is linearizable: one copy, one operation at a time, each between its call and its answer. A read may
 * be as old as the read lease allows.
 */
export function registersAreLinearizable({ registers, moves, readLeaseMs }: RuntimeEvidence): Check {
  const check = new Checking('rule N18', 'registers are linearizable');
  const byName = new Map<string, RegisterOperation[]>();
  for (const operation of registers) {
    byName.set(operation.register, [...(byName.get(operation.register) ?? []), operation]);
  }
  const lease = new ReadLease(moves, readLeaseMs);
  const reaches = ({ shard, at, endAt }: RegisterOperation): number => lease.reaches(shard, at, endAt ?? at);
  for (const [name, operations] of byName) {
    const verdict = isLinearizable(operations, reaches);
    check.expect(verdict.holds, () => `${name}: no order explains ${verdict.detail}`);
  }
  return check.done();
}
