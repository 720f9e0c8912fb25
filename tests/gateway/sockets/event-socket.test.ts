import type { Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { WebSocket } from 'ws';
import { FEED_TEXTS } from '../../../gateway/api/events/event-object.ts';
import type { FeedEvent } from '../../../gateway/edge/events/feed-event.ts';
import type { Subscription } from '../../../gateway/edge/events/subscription.ts';
import { EventSocket } from '../../../gateway/sockets/event-socket.ts';
import type { GatewayError } from '../../../gateway/terms/gateway-error.ts';
import { HandClock } from '../../actors/runtime/durable/hand-clock.ts';
import { bounded } from '../../support/bounded.ts';
import { FakeSocket } from '../http/fake-socket.ts';

/** What a follower over a WebSocket may leave unread, and how much it may ask for. (rule B56) */
const it = bounded(test);
const BUFFER_BYTES_MAX = 2_000;
const REPLAYED = 500;

const deleted = (id: number): FeedEvent => {
  const change = { id: `file_${id}`, account: 'a', type: 'file.deleted', at: 1_000, object: {} } as const;
  return { type: 'file.deleted', at: 1_000, change };
};
const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function follow({ reads = true } = {}) {
  const clock = new HandClock();
  const socket = new FakeSocket();
  socket.reads = reads;
  const events = new EventSocket({
    ...{ clock, now: () => clock.now(), limits: { streamStalledMs: 60_000 }, texts: FEED_TEXTS },
    events: { streamsMax: 10, streamsPerAccountMax: 10, streamsPerKeyMax: 10, bufferBytesMax: BUFFER_BYTES_MAX },
  });
  let replays = 0;
  let closed = 0;
  const subscription = {
    start: async () => true,
    async resume() {
      replays++;
      await soon();
      events.receive(Array.from({ length: REPLAYED }, (_, at) => deleted(at)));
      return true;
    },
    end: (error: GatewayError) => events.end(error),
    close: () => void closed++,
  } as unknown as Subscription;
  events.open(socket as unknown as WebSocket, { socket: socket.connection as unknown as Socket }, subscription);
  await soon();
  const types = () => socket.sent.map((text) => JSON.parse(text).type as string);
  return { clock, socket, events, types, replays: () => replays, closed: () => closed };
}

const SUBSCRIBE = { type: 'subscribe', cursor: 'cur_1' };

it('a follower that reads nothing is told so once its buffer is full, and is then cut', async () => {
  const { clock, socket, events, types, closed } = await follow({ reads: false });
  for (let at = 0; socket.closed === null; at++) {
    assert.ok(at < 100, 'the buffer is bounded');
    events.receive([deleted(at)]);
  }
  assert.equal(types(), ['feed.opened', 'error']);
  assert.match(socket.sent.at(-1) as string, /"code":408,"message":"More than 2000 bytes of events wait/);
  assert.is(socket.closed.code, 1008);
  await clock.advance(10_000);
  assert.is(socket.terminated, true);
  assert.is(closed(), 1);
});

it('a follower that reads nothing and asks on is not answered into its buffer: nothing more is read for it', async () => {
  const { socket, replays } = await follow({ reads: false });
  for (let frames = 0; frames < 100; frames++) {
    socket.frame(SUBSCRIBE);
    for (let turns = 0; turns < 5; turns++) await soon();
  }
  assert.is(replays(), 0, 'the first event is still unread');
  assert.equal(socket.closed, { code: 1008, reason: 'too many frames at once' });
  assert.is(socket.sent.length, 1);
});

it('a follower that reads may miss much and ask again, at a bounded rate', async () => {
  const { clock, socket, types, replays } = await follow();
  for (let frames = 0; frames < 120; frames++) {
    socket.frame(SUBSCRIBE);
    for (let turns = 0; turns < 5; turns++) await soon();
  }
  assert.is(replays(), 120);
  assert.is(types().filter((type) => type === 'file.deleted').length, 120 * REPLAYED);
  assert.is(socket.closed, null);
  socket.frame(SUBSCRIBE);
  assert.equal(socket.closed, { code: 1008, reason: 'too many frames in a minute' });
  await clock.advance(10_000);
  assert.is(clock.armed, 0);
});

it('a drain ends a follower at once with the restart code', async () => {
  const { socket, events } = await follow();
  events.end({ status: 503, type: 'unavailable', message: 'the node is restarting' } as unknown as GatewayError);
  assert.is(socket.closed?.code, 1012);
});

test.run();
