import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { EXIT_NOT_JOINED, EXIT_REJOIN, EXIT_UNCAUGHT } from '../../../../gateway/operator/launcher/message.ts';
import type { NodeEnd } from '../../../../gateway/operator/launcher/node-process.ts';
import { causeOfDeath } from '../../../../gateway/operator/launcher/node-process.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
const END: NodeEnd = {
  ...{ code: null, signal: null, killedFor: null, silentLoop: false, fault: null, livedMs: 60_000, wasUp: true },
};

const CASES: readonly (readonly [string, Partial<NodeEnd>, 'crashed' | 'killed'])[] = [
  ['an uncaught error', { code: EXIT_UNCAUGHT }, 'crashed'],
  ['an abort, as when the heap is full', { signal: 'SIGABRT' }, 'crashed'],
  ['a segmentation fault', { signal: 'SIGSEGV' }, 'crashed'],
  ['a silent event loop', { signal: 'SIGKILL', killedFor: 'silent for 5000 ms', silentLoop: true }, 'crashed'],
  ['a kill by another process', { signal: 'SIGKILL' }, 'killed'],
  ['a stopped process, killed by the launcher', { signal: 'SIGKILL', killedFor: 'stopped for 1000 ms' }, 'killed'],
  ['a store that failed', { code: 70 }, 'killed'],
  ['a node declared dead', { code: EXIT_REJOIN }, 'killed'],
  ['a node that did not join', { code: EXIT_NOT_JOINED, wasUp: false }, 'killed'],
  ['a drain', { code: 0 }, 'killed'],
  ['a drain that failed', { code: 1 }, 'killed'],
];

for (const [what, end, cause] of CASES) {
  it(`${what} counts as ${cause === 'crashed' ? 'crashed' : 'killed'}`, () => {
    assert.is(causeOfDeath({ ...END, ...end }), cause);
  });
}

test.run();
