import type { IncomingMessage } from 'node:http';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { GatewayError } from '../../../gateway/terms/gateway-error.ts';
import { bounded } from '../../support/bounded.ts';
import { say } from '../../support/provider/say.ts';
import { TurnClient } from '../../support/stream/turn-client.ts';
import type { FakeSocket } from '../http/fake-socket.ts';
import { settlementOf } from '../inference/scene.ts';
import { openTurnScene } from './scene.ts';

/** Turns over a WebSocket: what its client leaves unread, and frames that arrive slowly or in vain. */
const it = bounded(test);
const KIB = 1024;

const create = (directive: Parameters<typeof say>[0]): object => ({
  ...{ type: 'response.create', model: 'sim/fast', max_output_tokens: 19_000 },
  input: say(directive)[0]?.content,
});
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
const bytesOf = (frames: readonly string[]): number => frames.reduce((sum, { length }) => sum + length, 0);
const typesOf = ({ sent }: FakeSocket): readonly string[] => sent.map((frame) => JSON.parse(frame).type);

it('a reader that stalls is given no more than its buffer, is told and cut, and pays for what was taken', async () => {
  // Both replies are larger than the buffer; the second does not end by itself.
  for (const directive of [{ tokens: 9_000 }, { tokens: 18_000, hang: 'midstream' }] as const) {
    const { clock, on, turns, play, close } = await openTurnScene();
    const socket = play();
    socket.reads = false;
    socket.frame(create(directive));
    while (socket.closed === null) {
      await clock.advance(1_000);
      await turn();
    }
    assert.ok(socket.sent.length > 0);
    assert.ok(bytesOf(socket.sent) < 700 * KIB, `${bytesOf(socket.sent)} bytes for a reader that takes nothing`);
    assert.ok([1008, 1011].includes(socket.closed.code), String(socket.closed.code));
    assert.is(socket.terminated, false);
    await clock.advance(10_000);
    assert.is(socket.terminated, true);
    while (turns.size > 0) await turn();
    assert.is(on.asks.filter(({ event }) => event.type === 'hold.settle').length, 1);
    const charged = settlementOf(on)?.completionTokens ?? 0;
    assert.ok(charged > 0 && (charged < directive.tokens || !('hang' in directive)), `charged for ${charged} tokens`);
    await close();
  }
});

it('a reader that takes everything slowly receives its whole turn', async () => {
  const { clock, play, close } = await openTurnScene();
  const socket = play();
  socket.reads = false;
  socket.frame(create({ tokens: 300, tps: 0 }));
  while (typesOf(socket).at(-1) !== 'response.completed') {
    await turn();
    await clock.advance(100);
    socket.takeOne();
  }
  assert.is(socket.closed, null);
  await close();
});

it('a frame refused before its body is read leaves the socket open', async () => {
  const { clock, refusing, listen, close } = await openTurnScene();
  const client = await TurnClient.open(await listen(), 'key');
  refusing.error = new GatewayError({ status: 429, type: 'rate_limit_exceeded', message: 'slow down' });
  client.create({ model: 'sim/fast', input: 'x'.repeat(100 * KIB) });
  assert.is((await client.until('error'))[0]?.status, 429);
  // The time after which a refused upload whose rest does not arrive ends its connection over HTTP.
  for (let seconds = 0; seconds < 20; seconds++) await clock.advance(1_000);
  refusing.error = null;
  await client.turn({ model: 'sim/fast', input: 'hello' });
  client.socket.terminate();
  await close();
});

it('a frame may be as large as a body, 8 MiB, and no larger (rule I98)', async () => {
  const { clock, listen, close } = await openTurnScene();
  const base = await listen();
  const frame = (bytes: number): string => {
    const start = '{"type":"response.create","model":"sim/fast","input":"hello","metadata":{"a":"';
    return `${start}${'x'.repeat(bytes - start.length - 3)}"}}`;
  };
  const client = await TurnClient.open(base, 'key');
  client.socket.send(frame(8 * KIB * KIB));
  // The body is read in shares of the event loop, between which the clock moves.
  while (client.frames.length === 0) {
    await clock.advance(100);
    await turn();
  }
  await client.until('response.completed');
  client.socket.send(frame(8 * KIB * KIB + 1));
  assert.is((await client.closed).code, 1009);
  await close();
});

it('a frame that arrives too slowly, or for which the node has no room, closes the socket', async () => {
  const { clock, bodies, play, close } = await openTurnScene({ bodiesBytesMax: 1_000 * KIB });
  const slow = play();
  slow.connection.emit('data', Buffer.alloc(65 * KIB));
  const trickle = async (times: number): Promise<void> => {
    for (let left = times; left > 0; left--) {
      await clock.advance(10_000);
      slow.connection.emit('data', Buffer.alloc(1));
    }
  };
  await trickle(6);
  assert.is(slow.closed, null, '65 KiB in a minute are fast enough');
  await trickle(2);
  assert.equal(slow.closed, { code: 1008, reason: 'The body did not arrive in time' });
  const large = play();
  for (let pieces = 0; large.closed === null; pieces++) {
    assert.ok(pieces < 8, 'half of the room is for one account');
    large.connection.emit('data', Buffer.alloc(100 * KIB));
  }
  assert.is((large.closed as { code: number } | null)?.code, 1013);
  large.terminate();
  const caller = { account: 'account:acct_1', key: 'key:acct_1/key_1', kind: 'inference' } as const;
  const request = { socket: {}, headers: {} } as IncomingMessage;
  assert.is(bodies.frame(caller, request).place.reserve(500 * KIB), true, 'the room is given back');
  await close();
});

it('frames that arrive count among the uploads of their key until they are whole or lost', async () => {
  const { play, close } = await openTurnScene({ uploadsPerKeyMax: 1 });
  const [first, second] = [play(), play()];
  first.connection.emit('data', Buffer.alloc(100 * KIB));
  second.connection.emit('data', Buffer.alloc(100 * KIB));
  assert.is(second.closed?.code, 1013);
  assert.is(first.closed, null);
  first.emit('message', Buffer.from('{"type":"response.cancel"}'), false);
  const third = play();
  third.connection.emit('data', Buffer.alloc(100 * KIB));
  assert.is(third.closed, null);
  third.terminate();
  const fourth = play();
  fourth.connection.emit('data', Buffer.alloc(100 * KIB));
  assert.is(fourth.closed, null);
  fourth.terminate();
  first.terminate();
  await close();
});

it('pings of a client during a long turn are no upload', async () => {
  const { clock, play, close } = await openTurnScene();
  const socket = play();
  for (let minutes = 0; minutes < 9; minutes++) {
    for (let seconds = 0; seconds < 60; seconds++) {
      const payload = Buffer.alloc(125);
      for (let pings = 0; pings < 2; pings++) {
        socket.connection.emit('data', Buffer.alloc(6 + payload.length));
        socket.emit('ping', payload);
      }
      await clock.advance(1_000);
    }
  }
  assert.is(socket.closed, null);
  socket.terminate();
  await close();
});

it('a frame behind the close frame runs no turn', async () => {
  const { on, play, close } = await openTurnScene();
  const socket = play();
  socket.emit('message', Buffer.from('x'), true);
  assert.is(socket.closed?.code, 1003);
  socket.frame(create({ tokens: 3 }));
  await turn();
  assert.equal(on.asks, []);
  socket.terminate();
  await close();
});

test.run();
