/** The node's handle of the writer thread, when the thread fails. */
import { Worker } from 'node:worker_threads';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StoreOutcomeUnknown, StoreRefused } from '../../../../../actors/runtime/ports/store.ts';
import { type StoreFailure, StoreFatal } from '../../../../../actors/runtime/stores/sqlite/failure.ts';
import { Writer, type WriterOptions } from '../../../../../actors/runtime/stores/sqlite/writer.ts';
import { systemRandom } from '../../../../../actors/runtime/system/clock.ts';
import { bounded } from '../../../../support/bounded.ts';

const it = bounded(test);

function options(thread: string, failures: StoreFailure[] = []): WriterOptions {
  return {
    ...{ path: 'none', shards: 1, busyBoundMs: 1, yieldMs: 0, checkBytesMax: 0, requestsMax: 10 },
    random: systemRandom,
    failed: (failure) => failures.push(failure),
    spawn: (start) =>
      new Worker(`const { parentPort } = require('node:worker_threads'); ${thread}`, {
        ...{ eval: true, workerData: start, transferList: [start.urgent], execArgv: [] },
      }),
  };
}

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => null,
    (error: unknown) => error,
  );
}

const STARTED = 'parentPort.postMessage({ started: true });';

it('a dying thread makes pending outcomes unknown, and later requests are refused', async () => {
  const failures: StoreFailure[] = [];
  const writer = await Writer.start(options(`${STARTED} parentPort.on('message', () => process.exit(1))`, failures));
  const [first, second] = await Promise.all([failureOf(writer.commit([0])), failureOf(writer.commit([0]))]);
  assert.instance(first, StoreFatal);
  assert.instance(second, StoreOutcomeUnknown);
  assert.is(failures.length, 1);
  assert.is(failures[0]?.kind, 'fatal');
  const later = await failureOf(writer.commit([0]));
  assert.instance(later, StoreRefused);
  assert.is((later as StoreRefused).reason, 'unreachable');
  await writer.close();
});

it('a thread that throws is dead as well and reports the reason', async () => {
  const failures: StoreFailure[] = [];
  const thread = `${STARTED} parentPort.on('message', () => { throw new Error('a bug') })`;
  const writer = await Writer.start(options(thread, failures));
  assert.match(String(await failureOf(writer.commit([0]))), /a bug/);
  assert.is(failures.length, 1);
  await writer.close();
});

it('a thread that ends before it started, or refuses, rejects the start', async () => {
  assert.match(String(await failureOf(Writer.start(options('process.exit(0)')))), /ended/);
  const refusing = `parentPort.postMessage({ refused: 'no such disk' }); parentPort.close()`;
  assert.match(String(await failureOf(Writer.start(options(refusing)))), /no such disk/);
});

it('a disk error between two requests is reported at once', async () => {
  const failures: StoreFailure[] = [];
  const thread = `${STARTED} parentPort.on('message', ({ id, close }) => {
    parentPort.postMessage({ id, verdicts: [0] });
    if (close) return parentPort.close();
    parentPort.postMessage({ broken: { kind: 'fatal', message: 'checkpoint' } });
  })`;
  const writer = await Writer.start(options(thread, failures));
  assert.equal(await writer.commit([0]), [0]);
  await writer.close();
  assert.equal(failures, [{ kind: 'fatal', message: 'checkpoint' }]);
});

test.run();
