import { type Check, Checking } from './check.ts';
import type { RuntimeEvidence } from './runtime-evidence.ts';

/** C2: nothing is shown before it is durable: no answer, no value on a board. */
export function nothingLeavesEarly({ shown }: RuntimeEvidence): Check {
  const check = new Checking('C2o', 'no output before its commit');
  for (const { at, what, address, count, stored } of shown) {
    check.expect(count <= stored, () => `${address} at ${at}: ${what} shows change ${count}, stored is ${stored}`);
  }
  return check.done();
}
