import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { EXIT_REJOIN, EXIT_UNCAUGHT } from '../../../../gateway/operator/launcher/message.ts';
import type { NodeEnd } from '../../../../gateway/operator/launcher/node-process.ts';
import { causeOfDeath } from '../../../../gateway/operator/launcher/node-process.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
const END: NodeEnd = {
  ...{ code: null, signal: null, killedFor: null, silentLoop: false, fault: null, livedMs: 60_000, wasUp: true },
};

const CASES: readonly (readonly [string, Partial<NodeEnd>, 'own-hand' | 'outside'])[] = [
  ['an uncaught error', { code: EXIT_UNCAUGHT }, 'own-hand'],
  ['an abort, as when the heap is full', { signal: 'SIGABRT' }, 'own-hand'],
  ['a segmentation fault', { signal: 'SIGSEGV' }, 'own-hand'],
  ['a silent event loop', { signal: 'SIGKILL', killedFor: 'silent for 5000 ms', silentLoop: true }, 'own-hand'],
  ['a kill by another process', { signal: 'SIGKILL' }, 'outside'],
  ['a stopped process, killed by the launcher', { signal: 'SIGKILL', killedFor: 'stopped for 1000 ms' }, 'outside'],
  ['a store that failed', { code: 70 }, 'outside'],
  ['a node declared dead', { code: EXIT_REJOIN }, 'outside'],
  ['a drain', { code: 0 }, 'outside'],
  ['a drain that failed', { code: 1 }, 'outside'],
];

for (const [what, end, cause] of CASES) {
  it(`${what} counts as ${cause === 'own-hand' ? 'crashed' : 'killed'}`, () => {
    assert.is(causeOfDeath({ ...END, ...end }), cause);
  });
}

test.run();
