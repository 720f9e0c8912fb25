import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { causeOfDeath } from '../../../../gateway/operator/launcher/cause-of-death.ts';
import { EXIT_REJOIN, EXIT_UNCAUGHT } from '../../../../gateway/operator/launcher/message.ts';
import type { NodeEnd } from '../../../../gateway/operator/launcher/node-process.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test, 5_000);
const END: NodeEnd = {
  ...{ code: null, signal: null, killedFor: null, silentLoop: false, fault: null, livedMs: 60_000, wasUp: true },
};

const CASES: readonly (readonly [string, Partial<NodeEnd>, 'own-hand' | 'outside'])[] = [
  ['an error that nobody caught', { code: EXIT_UNCAUGHT }, 'own-hand'],
  ['an abort, as when the heap is full', { signal: 'SIGABRT' }, 'own-hand'],
  ['a segmentation fault', { signal: 'SIGSEGV' }, 'own-hand'],
  ['a loop gone silent', { signal: 'SIGKILL', killedFor: 'silent for 5000 ms', silentLoop: true }, 'own-hand'],
  ['a kill from outside', { signal: 'SIGKILL' }, 'outside'],
  ['a stop from outside, ended by the launcher', { signal: 'SIGKILL', killedFor: 'stopped for 1000 ms' }, 'outside'],
  ['a store that failed', { code: 70 }, 'outside'],
  ['a node declared dead', { code: EXIT_REJOIN }, 'outside'],
  ['a drain', { code: 0 }, 'outside'],
  ['a drain that failed', { code: 1 }, 'outside'],
];

for (const [what, end, cause] of CASES) {
  it(`${what} is a death ${cause === 'own-hand' ? 'by its own hand' : 'from outside'}`, () => {
    assert.is(causeOfDeath({ ...END, ...end }), cause);
  });
}

test.run();
