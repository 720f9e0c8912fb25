import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { WebSocket } from 'ws';
import { ClientSocket, type ClientSocketOptions } from '../../../gateway/http/client-socket.ts';
import { HandClock } from '../../actors/runtime/durable/hand-clock.ts';
import { bounded } from '../../support/bounded.ts';
import { FakeSocket } from './fake-socket.ts';

/** The life of a WebSocket, on virtual time. (rule I98) */
const it = bounded(test);
const PING_MS = 30_000;
const CLOSE_MS = 10_000;
const BOUNDS = {
  ...{ stalledMs: 60_000, waitingBytes: 1_000, framesPerMinuteMax: 5 },
  ...{ idleMs: 10 * 60_000, drainIdleMs: 2_000 },
};

function stage(bounds: Partial<ClientSocketOptions> = {}) {
  const clock = new HandClock();
  const socket = new FakeSocket();
  const user = {
    isBusy: false,
    ended: 0,
    frames: [] as string[],
    onFrame(frame: Buffer) {
      user.frames.push(String(frame));
    },
    onClose() {
      user.ended++;
    },
  };
  const session = new ClientSocket(
    socket as unknown as WebSocket,
    socket.connection as never,
    { clock, ...BOUNDS, ...bounds },
    user,
  );
  return { clock, socket, user, session };
}

it('a client is pinged every half minute, and cut if it has sent nothing by the next ping (rule I98)', async () => {
  const { clock, socket, user } = stage();
  for (let pings = 1; pings <= 5; pings++) {
    await clock.advance(PING_MS);
    assert.is(socket.pings, pings);
    socket.pong();
  }
  await clock.advance(PING_MS);
  await clock.advance(PING_MS - 1);
  assert.is(socket.terminated, false);
  await clock.advance(1);
  assert.is(socket.terminated, true);
  assert.is(user.ended, 1);
  assert.is(clock.armed, 0, 'nothing is left armed');
});

it('the bytes of a frame that still arrives answer a ping, since no pong can be sent within them', async () => {
  const { clock, socket } = stage({ idleMs: null });
  for (let pings = 0; pings < 40; pings++) {
    await clock.advance(PING_MS);
    socket.connection.emit('data', Buffer.alloc(1));
  }
  assert.is(socket.terminated, false);
});

it('a socket that nothing is sent over is closed as idle, one with something under way is not', async () => {
  const { clock, socket, user } = stage();
  const live = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= PING_MS) {
      await clock.advance(PING_MS);
      socket.pong();
    }
  };
  user.isBusy = true;
  await live(BOUNDS.idleMs * 2);
  assert.is(socket.closed, null);
  user.isBusy = false;
  socket.frame('{}');
  await live(BOUNDS.idleMs - PING_MS);
  assert.is(socket.closed, null);
  await live(PING_MS);
  assert.equal(socket.closed, { code: 1000, reason: 'idle' });
});

it('a client that does not complete the close handshake is cut, and what it sends meanwhile is ignored', async () => {
  const { clock, socket, user, session } = stage();
  session.close(1011, 'a reason '.repeat(100));
  assert.is(socket.closed?.reason.length, 120, 'a close frame holds 123 bytes');
  assert.is(session.isOpen, false);
  socket.frame('{}');
  assert.equal(user.frames, []);
  await clock.advance(CLOSE_MS - 1);
  assert.is(socket.terminated, false);
  await clock.advance(1);
  assert.is(socket.terminated, true);
  assert.is(user.ended, 1);
});

it('a client that takes nothing of what waits for it is cut, one that takes it slowly is not', async () => {
  const slow = stage();
  slow.socket.reads = false;
  for (let frames = 0; frames < 20; frames++) slow.session.send('x'.repeat(10));
  for (let frames = 0; frames < 20; frames++) {
    await slow.clock.advance(BOUNDS.stalledMs - 1);
    assert.is(slow.socket.terminated, false, `after ${frames} frames`);
    slow.socket.takeOne();
  }
  assert.is(slow.socket.pings, 0, 'a client that is behind is not pinged');
  const stalled = stage();
  stalled.socket.reads = false;
  let error: unknown = 'not called';
  stalled.session.send('x', (thrown) => {
    error = thrown;
  });
  await stalled.clock.advance(BOUNDS.stalledMs);
  assert.equal(stalled.socket.closed, { code: 1008, reason: 'frames were not read' });
  await stalled.clock.advance(CLOSE_MS);
  assert.is(stalled.socket.terminated, true);
  assert.is.not(error, 'not called');
});

it('a frame larger than the buffer has as much more time', async () => {
  const { clock, socket, session } = stage();
  socket.reads = false;
  session.send('x'.repeat(BOUNDS.waitingBytes * 4));
  await clock.advance(BOUNDS.stalledMs * 4 - 1);
  assert.is(socket.closed, null);
  await clock.advance(PING_MS);
  assert.is(socket.closed?.code, 1008);
});

it('frames of every kind count against the rate of a socket, which begins anew each minute (rule I98)', async () => {
  const { clock, socket, user } = stage({ idleMs: null });
  for (let minute = 0; minute < 3; minute++) {
    for (let frames = 0; frames < BOUNDS.framesPerMinuteMax - 1; frames++) socket.frame('{}');
    socket.emit('ping', Buffer.alloc(0));
    for (let halves = 0; halves < 2; halves++) {
      await clock.advance(PING_MS);
      socket.connection.emit('data', Buffer.alloc(1));
    }
  }
  assert.is(socket.closed, null);
  assert.is(user.frames.length, 12);
  for (let frames = 0; frames <= BOUNDS.framesPerMinuteMax; frames++) socket.emit('ping', Buffer.alloc(0));
  assert.equal(socket.closed, { code: 1008, reason: 'too many frames in a minute' });
});

it('a binary frame closes the socket unread (rule I98)', () => {
  const { socket, user } = stage();
  socket.emit('message', Buffer.from('{}'), true);
  assert.is(socket.closed?.code, 1003);
  assert.equal(user.frames, []);
});

it('a drain closes the socket with the restart code behind the turn under way', () => {
  const { socket, user, session } = stage();
  user.isBusy = true;
  session.drain();
  session.drain();
  assert.is(socket.closed, null);
  user.isBusy = false;
  session.rest();
  assert.is(socket.closed?.code, 1012);
});

it('a drain leaves an idle socket open until it was idle for so long that no frame is on its way', async () => {
  const { clock, socket, user, session } = stage();
  session.drain();
  await clock.advance(BOUNDS.drainIdleMs - 1);
  session.drain();
  assert.is(socket.closed, null);
  socket.emit('message', Buffer.from('{}'), false);
  assert.equal(user.frames, ['{}'], 'served as before the drain');
  await clock.advance(BOUNDS.drainIdleMs - 1);
  session.drain();
  assert.is(socket.closed, null);
  await clock.advance(1);
  session.drain();
  assert.is(socket.closed?.code, 1012);
  const events = stage({ drainIdleMs: 0 });
  events.session.drain();
  assert.is(events.socket.closed?.code, 1012);
});

it('a socket survives sixteen refused frames in ten seconds, and is closed at the next', async () => {
  const { clock, socket, session } = stage();
  for (let rounds = 0; rounds < 3; rounds++) {
    for (let nth = 0; nth < 16; nth++) assert.is(session.refused(), true);
    await clock.advance(10_000);
  }
  for (let nth = 0; nth < 16; nth++) assert.is(session.refused(), true);
  assert.is(socket.closed, null);
  assert.is(session.refused(), false);
  assert.equal(socket.closed, { code: 1008, reason: 'too many refused frames' });
});

test.run();
