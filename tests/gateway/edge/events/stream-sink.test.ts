import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StreamSink } from '../../../../gateway/api/events/stream-sink.ts';
import type { FeedEvent } from '../../../../gateway/edge/events/feed-event.ts';
import type { Subscription } from '../../../../gateway/edge/events/subscription.ts';
import { EventStream } from '../../../../gateway/http/event-stream.ts';
import type { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import { HandClock } from '../../../actors/runtime/durable/hand-clock.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
const LIMITS = { keepAliveCommentMs: 15_000, streamBufferBytesMax: 1024 * 1024, streamStalledMs: 60_000 };

class FakeResponse extends EventEmitter {
  readonly written: string[] = [];
  destroyed = false;
  writableEnded = false;
  writableLength = 0;
  /** False: the client reads nothing. */
  reads = true;

  writeHead(): void {}

  write(text: string): boolean {
    this.written.push(text);
    return this.reads;
  }

  end(text: string, done: () => void): void {
    this.written.push(text);
    this.writableEnded = true;
    if (this.reads) done();
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

function stage({ bufferBytesMax = 2_000, replayed = [] as FeedEvent[], cursorAt = null as number | null } = {}) {
  const clock = new HandClock();
  const response = new FakeResponse();
  const sink = new StreamSink(response as unknown as ServerResponse, bufferBytesMax);
  const ended: GatewayError[] = [];
  let closed = 0;
  const subscription = {
    async start() {
      sink.receive(replayed);
      return true;
    },
    end(error: GatewayError) {
      ended.push(error);
      sink.end(error);
    },
    close() {
      closed++;
    },
  } as unknown as Subscription;
  const open = () =>
    new EventStream(response as unknown as ServerResponse, clock, LIMITS, {
      opening: ':\n\n',
      keepAlive: () => ':k\n\n',
    });
  const run = () => sink.run(subscription, open, { cursorAt, now: clock.now() });
  return { clock, response, sink, ended, run, closed: () => closed };
}

const deleted = (id: string): FeedEvent => ({
  type: 'file.deleted',
  at: 1_000,
  change: { id, account: 'a', type: 'file.deleted', at: 1_000, object: {} },
});

it('the stream begins with its own event, then what was missed, then what follows, each with a cursor', async () => {
  const { response, sink, run } = stage({ replayed: [deleted('file_1')] });
  await run();
  sink.receive([deleted('file_2')]);
  const events = response.written.join('').split('\n\n').slice(1, -1);
  assert.equal(
    events.map((event) => event.split('\n')[1]),
    ['event: feed.opened', 'event: file.deleted', 'event: file.deleted'],
  );
  assert.ok(events.every((event) => /^id: cur_[0-9a-z]+\n/.test(event)));
  assert.match(events[1] as string, /"id":"file_1"/);
});

it('a stream that resumes opens with the cursor of its client, from which it still misses events', async () => {
  const { response, run } = stage({ replayed: [deleted('file_1')], cursorAt: 36 });
  await run();
  assert.match(response.written.join(''), /^id: cur_10\nevent: feed\.opened$/m);
});

it('a client that reads nothing is told so once its buffer is full, and is then cut (rule B56)', async () => {
  const { clock, response, sink, ended, run } = stage();
  await run();
  response.reads = false;
  for (let i = 0; ended.length === 0 && i < 100; i++) sink.receive([deleted(`file_${i}`)]);
  assert.is(ended.length, 1);
  assert.is(ended[0]?.status, 408);
  assert.match(response.written.at(-1) as string, /event: error\ndata: .*2000 bytes of events wait/);
  assert.ok(response.written.join('').length < 4_000, 'the unread events are bounded');
  await clock.advance(LIMITS.streamStalledMs);
  assert.is(response.destroyed, true);
});

it('what a client missed while it was away does not count against its buffer', async () => {
  const many = Array.from({ length: 200 }, (_, i) => deleted(`file_${i}`));
  const { response, ended, run } = stage({ replayed: many });
  await run();
  assert.equal(ended, []);
  assert.is(response.written.join('').split('event: file.deleted').length, 201);
});

it('a client that leaves closes its subscription', async () => {
  const { response, run, closed } = stage();
  await run();
  response.destroy();
  assert.is(closed(), 1);
});

test.run();
