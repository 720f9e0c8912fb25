import { type Check, Checking } from './check.ts';
import type { RuntimeEvidence } from './runtime-evidence.ts';

/** No answer and no board value is visible before it is durable. */
export function nothingLeavesEarly({ shown }: RuntimeEvidence): Check {
  const check = new Checking('rule N5', 'no output before its commit');
  for (const { at, what, address, count, stored } of shown) {
    check.expect(count <= stored, () => `${address} at ${at}: ${what} shows change ${count}, stored is ${stored}`);
  }
  return check.done();
}
