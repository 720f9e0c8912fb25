import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { LargeAnswers } from '../../../gateway/http/large-answers.ts';
import { bounded } from '../../support/bounded.ts';
import { ManualClock } from '../outbound/manual-clock.ts';

const it = bounded(test);
const MIB = 1024 * 1024;

interface Opened {
  readonly clock: ManualClock;
  /** Sends `body` to a new client that has read the head; it reads the body only where it is asked to. */
  readonly answer: (body: string) => Promise<{ readonly response: ServerResponse; readonly reply: IncomingMessage }>;
}

async function serving(unreadBytesMax: number, use: (opened: Opened) => Promise<void>): Promise<void> {
  const clock = new ManualClock();
  const loop = { pieceBytesMax: 256 * 1024, run: async <T>(_: number, work: () => T): Promise<T> => work() };
  const answers = new LargeAnswers(clock, { streamStalledMs: 60_000, unreadBytesMax }, loop);
  let arrived: (response: ServerResponse) => void = () => {};
  const server = createServer((_, response) => arrived(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const answer = async (body: string) => {
    const arrival = new Promise<ServerResponse>((resolve) => {
      arrived = resolve;
    });
    const replied = new Promise<IncomingMessage>((resolve, reject) => {
      get({ port, host: '127.0.0.1', agent: false }, resolve).on('error', reject);
    });
    const response = await arrival;
    void answers.write(response, ['x-test', 'a'], [body]);
    const reply = await replied;
    reply.on('error', () => {});
    return { response, reply };
  };
  try {
    await use({ clock, answer });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

async function textOf(reply: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of reply.setEncoding('utf8')) text += piece;
  return text;
}

const closed = (response: ServerResponse): Promise<void> =>
  response.closed ? Promise.resolve() : new Promise((resolve) => response.once('close', resolve));

it('a small answer and a large one arrive whole, and leave no timer behind', () =>
  serving(64 * MIB, async ({ clock, answer }) => {
    for (const body of ['small', 'ä€🎉'.repeat(500_000), `a${'🎉'.repeat(300_000)}`, 'b'.repeat(256 * 1024)]) {
      const { response, reply } = await answer(body);
      assert.is(reply.headers['x-test'], 'a');
      assert.is(Number(reply.headers['content-length']), Buffer.byteLength(body));
      assert.ok((await textOf(reply)) === body);
      await closed(response);
      assert.is(clock.armed, 0);
    }
  }));

it('a client that reads nothing for a minute is cut, whatever the size', () =>
  serving(64 * MIB, async ({ clock, answer }) => {
    const { response } = await answer('a'.repeat(32 * MIB));
    while (clock.armed === 0) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(59_999);
    assert.not.ok(response.destroyed);
    clock.advance(1);
    assert.ok(response.destroyed);
  }));

it('above the bound of a node the oldest unread answer is cut, and what was read counts no more (rule E31)', () =>
  serving(40 * MIB, async ({ answer }) => {
    const body = 'a'.repeat(16 * MIB);
    const first = await answer(body);
    const second = await answer(body);
    const third = await answer(body);
    assert.equal(
      [first, second, third].map(({ response }) => response.destroyed),
      [true, false, false],
    );
    assert.is((await textOf(second.reply)).length, body.length);
    await closed(second.response);
    const fourth = await answer(body);
    assert.equal(
      [third, fourth].map(({ response }) => response.destroyed),
      [false, false],
    );
  }));

it('an answer above the bound is sent if it is alone', () =>
  serving(MIB, async ({ answer }) => {
    const { reply } = await answer('a'.repeat(2 * MIB));
    assert.is((await textOf(reply)).length, 2 * MIB);
  }));

test.run();
