import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FrameQueue } from '../../../../gateway/edge/events/frame-queue.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);

it('frames are written in order, the next when the client has read the last', async () => {
  const written: (readonly string[])[] = [];
  let read: () => void = () => {};
  const queue = new FrameQueue(10, (frames) => {
    written.push(frames);
    return new Promise((resolve) => {
      read = resolve;
    });
  });
  queue.add(['a', 'b'], false);
  queue.add(['c'], true);
  queue.add(['d'], true);
  assert.equal(written, [['a', 'b']]);
  read();
  await Promise.resolve();
  assert.equal(written, [
    ['a', 'b'],
    ['c', 'd'],
  ]);
});

it('only counted frames that wait have a bound, and written ones free it', async () => {
  let read: () => void = () => {};
  const queue = new FrameQueue(10, () => new Promise((resolve) => (read = resolve)));
  assert.is(queue.add(['x'.repeat(100)], false), true);
  assert.is(queue.add(['12345'], true), true);
  assert.is(queue.add(['123456'], true), false);
  assert.is(queue.add(['12345'], true), true);
  for (let i = 0; i < 3; i++) {
    read();
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.is(queue.add(['1234567890'], true), true);
});

it('who waits for what was added hears of it when it is written or dropped, whatever is added later', async () => {
  let read: () => void = () => {};
  const queue = new FrameQueue(10, () => new Promise((resolve) => (read = resolve)));
  await queue.written();
  queue.add(['a'], false);
  const heard: string[] = [];
  void queue.written().then(() => heard.push('first'));
  queue.add(['b'], false);
  void queue.written().then(() => heard.push('second'));
  read();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(heard, ['first']);
  queue.add(['c'], false);
  queue.clear();
  read();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(heard, ['first', 'second']);
  await queue.written();
});

test.run();
