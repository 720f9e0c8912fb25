import { connect, type Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import defaults from '../../cluster.config.ts';
import { bounded } from '../support/bounded.ts';
import { bytesHeld } from '../support/bytes-held.ts';
import { startCluster } from '../support/cluster/start-cluster.ts';
import { limit, paced } from '../support/pace.ts';
import { openApi } from './client.ts';

/**
 * Slow connections, and bodies that are longer than announced or allowed.
 * `ATTACK_SLOW_CONNECTIONS=2000` runs the first at full size, with the times of the default configuration.
 */
const FULL = process.env.ATTACK_SLOW_CONNECTIONS !== undefined;
const SLOW_CONNECTIONS = Number(process.env.ATTACK_SLOW_CONNECTIONS ?? 200);
/** Time that a slow connection has before it is closed; here a twentieth of the default. */
const GRACE_MS = FULL ? 10_000 : 500;
/** Interval at which a slow connection sends a byte of its headers, and of its body. */
const HEADER_BYTE_MS = GRACE_MS;
const BODY_BYTE_MS = GRACE_MS / 10;
/** Far above the grace: separates closed connections from open ones, and measures no speed. */
const CLOSED_MS = GRACE_MS + 20_000;
const ANSWERED_MS = 10_000;
const it = bounded(test);
const MIB = 1024 * 1024;

const { cluster, funded, base, send } = await openApi(
  test,
  () =>
    startCluster({
      rates: { keyPerMinute: 100_000, addressPerMinute: 100_000, endpointPerMinute: 1_000_000 },
      edge: { headersTimeoutMs: GRACE_MS, bodyGraceMs: GRACE_MS },
    }),
  '100',
);

const headOf = (...lines: readonly string[]): string => headBy(funded.key, ...lines);

const headBy = (key: string, ...lines: readonly string[]): string =>
  [
    'POST /api/v1/chat/completions HTTP/1.1',
    'Host: a',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    ...lines,
    '',
    '',
  ].join('\r\n');

interface Slow {
  /** The answer received until the connection was closed; null if it was still open at the end. */
  readonly answer: string | null;
}

/** Sends a text at once, then one byte at a time until it is closed. */
function drip(first: string, byte: string, everyMs: number): Promise<Slow> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve) => {
    let answer = '';
    const socket: Socket = connect(Number(port), hostname);
    // Without delay, because a connection that waits for its place would otherwise send a dripped byte first.
    socket.write(first);
    const dripping = setInterval(() => socket.write(byte), everyMs);
    const end = (slow: Slow): void => {
      clearInterval(dripping);
      clearTimeout(late);
      socket.destroy();
      resolve(slow);
    };
    const late = setTimeout(() => end({ answer: null }), paced(CLOSED_MS));
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      answer += text;
    });
    socket.on('error', () => {});
    socket.on('close', () => end({ answer }));
  });
}

async function talk(): Promise<number> {
  const messages = [{ role: 'user', content: 'hello' }];
  const answer = await send('/chat/completions', { body: { model: 'sim/fast', messages } });
  await answer.text();
  return answer.status;
}

it('connections that drip their headers or bodies are closed in time while others are served (rule E26)', async () => {
  // As many keys as the bound on the uploads of one key demands.
  const keysCount = Math.ceil(SLOW_CONNECTIONS / 2 / defaults.edge.uploadsPerKeyMax);
  const keys = await Promise.all(Array.from({ length: keysCount }, () => cluster.issue(funded.account)));
  const keyOf = (nth: number): string => keys[nth % keysCount]?.key ?? '';
  const slow = Array.from({ length: SLOW_CONNECTIONS }, (_, i) =>
    i % 2 === 0
      ? drip('POST /api/v1/chat/completions HTTP/1.1\r\nHost: a\r\nX: ', 'a', HEADER_BYTE_MS)
      : drip(headBy(keyOf((i - 1) / 2), 'Content-Length: 100000'), ' ', BODY_BYTE_MS),
  );
  let attacked = true;
  const ended = Promise.all(slow).finally(() => {
    attacked = false;
  });
  const served: number[] = [];
  while (attacked) served.push(await talk());
  const answers = await ended;
  assert.is(answers.filter(({ answer }) => answer === null).length, 0, 'none is left open');
  // A byte that crosses the answer on its way may reset the connection, and the answer is lost.
  for (const { answer } of answers) assert.match(answer ?? '', /^(HTTP\/1\.1 408 |$)/);
  assert.ok(answers.filter(({ answer }) => answer !== '').length > SLOW_CONNECTIONS / 2);
  assert.ok(served.length > 0);
  assert.ok(
    served.every((status) => status === 200),
    `others were answered ${[...new Set(served)].join()}`,
  );
});

const BEYOND_MIB = 64;
/** The bound of the clause. Memory is compared after garbage collection, so that only retained bytes count. */
const HELD_MIB_MAX = 1;

/** Sends this many pieces regardless of the answer; the connection stays open for inspection. */
async function pour(first: string, piece: Buffer, pieces: number): Promise<{ answer(): string; close(): void }> {
  const { hostname, port } = new URL(base);
  let answer = '';
  const socket = connect(Number(port), hostname);
  let gone = false;
  let moveOn = (): void => {};
  socket.setEncoding('latin1');
  socket.on('data', (text: string) => {
    answer += text;
  });
  socket.on('error', () => {});
  socket.on('drain', () => moveOn());
  socket.on('close', () => {
    gone = true;
    moveOn();
  });
  socket.write(first);
  for (let i = 0; i < pieces && !gone; i++) {
    if (socket.write(piece)) continue;
    await new Promise<void>((resolve) => {
      moveOn = resolve;
    });
  }
  return { answer: () => answer, close: () => socket.destroy() };
}

const PIECE = Buffer.alloc(MIB, ' ');
const chunk = Buffer.concat([Buffer.from(`${MIB.toString(16)}\r\n`), PIECE, Buffer.from('\r\n')]);
const BODIES: readonly (readonly [string, () => string, Buffer])[] = [
  ['a length beyond the bound', () => headOf(`Content-Length: ${1024 * MIB}`), PIECE],
  ['chunks that never end', () => headOf('Transfer-Encoding: chunked'), chunk],
];

for (const [what, head, piece] of BODIES)
  it(`of ${what} no bytes are retained after the refusal (rule E23)`, async () => {
    assert.is(await talk(), 200);
    await (await pour(head(), piece, 1)).close();
    const before = bytesHeld();
    const poured = await pour(head(), piece, BEYOND_MIB);
    const leftMs = limit(ANSWERED_MS);
    while (!poured.answer() && leftMs() > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const held = (bytesHeld() - before) / MIB;
    assert.match(poured.answer(), /^HTTP\/1\.1 413 /);
    assert.is(poured.answer().match(/HTTP\/1\.1 \d/g)?.length, 1);
    assert.ok(held < HELD_MIB_MAX, `${held.toFixed(2)} MiB more are held after ${BEYOND_MIB} MiB were sent`);
    poured.close();
    assert.is(await talk(), 200);
  });

it('a body that exceeds its Content-Length is cut there, and the rest is not a request (rule E23)', async () => {
  const poured = await pour(headOf('Content-Length: 2'), Buffer.from('{}GARBAGE / HTTP/1.1\r\n\r\n'), 1);
  const leftMs = limit(ANSWERED_MS);
  while ((poured.answer().match(/HTTP\/1\.1 \d/g)?.length ?? 0) < 1 && leftMs() > 0)
    await new Promise((resolve) => setTimeout(resolve, 5));
  assert.match(poured.answer(), /^HTTP\/1\.1 400 /);
  assert.not.match(poured.answer(), /HTTP\/1\.1 2/);
  poured.close();
});

test.run();
