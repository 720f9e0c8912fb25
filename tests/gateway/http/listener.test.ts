import { connect } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/runtime/index.ts';
import config from '../../../cluster.config.ts';
import { edgeListener } from '../../../gateway/edge/edge-listener.ts';
import { nameAnswer } from '../../../gateway/edge/generation-headers.ts';
import type { RequestContext } from '../../../gateway/edge/request-context.ts';
import type { Listener } from '../../../gateway/http/listener.ts';
import type { EdgeLimits } from '../../../gateway/terms/config/config.ts';
import { bounded } from '../../support/bounded.ts';
import { sendThenRead } from '../../support/send-then-read.ts';

const it = bounded(test);

interface Running {
  readonly listener: Listener<RequestContext>;
  readonly port: number;
}

async function start(
  limits: Partial<EdgeLimits> = {},
  serve: (context: RequestContext) => void = ({ response }) => response.end('served'),
): Promise<Running> {
  let count = 0;
  const listener = edgeListener({
    limits: { ...config.edge, ...limits },
    clock: systemClock,
    generation: () => `gen-${++count}`,
    serve,
  });
  return { listener, port: Number(new URL(await listener.listen('127.0.0.1', 0)).port) };
}

/** Sends bytes and resolves with everything received until the server closed the connection. */
function exchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let answer = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      answer += chunk;
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET') reject(error);
    });
  });
}

const HOSTILE: readonly (readonly [string, string, number])[] = [
  [
    'both a length and chunks',
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    400,
  ],
  ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcd', 400],
  ['an unknown coding', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n', 400],
  ['a space before the colon', 'GET / HTTP/1.1\r\nHost : a\r\n\r\n', 400],
  ['a signed length', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\na', 400],
  ['no HTTP at all', '\x16\x03\x01\x02\x00\x01\x00\x01\r\n\r\n', 400],
  ['two hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400],
  ['no host', 'GET / HTTP/1.1\r\nAccept: a\r\n\r\n', 400],
  ['an absolute target', 'GET http://evil/a HTTP/1.1\r\nHost: a\r\n\r\n', 400],
  ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', 400],
  ['an odd expectation', 'GET / HTTP/1.1\r\nHost: a\r\nExpect: cake\r\n\r\n', 417],
  ['17 KB of headers', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(17_000)}\r\n\r\n`, 431],
  ['2001 headers', `GET / HTTP/1.1\r\nHost: a\r\n${'a:b\r\n'.repeat(2001)}\r\n`, 431],
  [
    'chunk extensions of 20 KB',
    `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;${'a'.repeat(20_000)}\r\na\r\n0\r\n\r\n`,
    413,
  ],
];

for (const [what, bytes, status] of HOSTILE) {
  it(`answers ${what} with one ${status} in the envelope, then closes (rule E21)`, async () => {
    // Never answers, so that the refusal cannot come from a route.
    const { listener, port } = await start({}, ({ request }) => request.resume());
    const answer = await exchange(port, bytes);
    listener.close();
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `));
    assert.is(answer.match(/HTTP\/1\.1 /g)?.length, 1);
    assert.match(answer, /\r\nx-generation-id: gen-\d+\r\n/i);
    const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
    assert.is(body.error.code, status);
    assert.type(body.error.metadata.error_type, 'string');
  });
}

it('ends a connection whose headers do not arrive in time with 408 (rule E26)', async () => {
  const { listener, port } = await start({ headersTimeoutMs: 200 });
  const startedAt = performance.now();
  const answer = await exchange(port, 'GET / HTTP/1.1\r\nHost: a\r\nX: ');
  listener.close();
  assert.match(answer, /^HTTP\/1\.1 408 /);
  assert.ok(performance.now() - startedAt < 30_000, 'long before the default time-out of a minute');
});

it('closes an idle connection after the idle timeout (rule E27)', async () => {
  const { listener, port } = await start({ idleTimeoutMs: 150 });
  assert.match(await exchange(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'), /served$/);
  listener.close();
});

it('gives every request an id before its route runs (rule E2)', async () => {
  const { listener, port } = await start({}, ({ response, id }) => {
    nameAnswer(response, id);
    response.end(id);
  });
  const answer = await fetch(`http://127.0.0.1:${port}/`);
  assert.is(await answer.text(), answer.headers.get('x-generation-id'));
  assert.is(answer.headers.get('x-request-id'), answer.headers.get('x-generation-id'));
  listener.close();
});

it('serves a request that arrives during a drain, closes that connection, and drops idle ones', async () => {
  const { listener, port } = await start({ drainIdleMs: 300, drainGraceMs: 60_000 });
  const late = connect(port, '127.0.0.1');
  const quiet = connect(port, '127.0.0.1');
  await Promise.all([late, quiet].map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
  while (listener.connections < 2) await new Promise((resolve) => setImmediate(resolve));
  const startedAt = performance.now();
  const drained = listener.drain();
  late.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  const answer = await new Promise<string>((resolve) => late.once('data', (bytes) => resolve(bytes.toString())));
  assert.match(answer, /connection: close/i);
  assert.match(answer, /served/);
  await drained;
  assert.ok(performance.now() - startedAt < 30_000, 'the grace is not waited for');
  assert.is(listener.connections, 0);
  late.destroy();
  quiet.destroy();
  assert.is(await fetch(`http://127.0.0.1:${port}/`).catch(() => 'refused'), 'refused');
});

it('refuses connections past the bound', async () => {
  const { listener, port } = await start({ connectionsMax: 1 });
  const first = connect(port, '127.0.0.1');
  await new Promise((resolve) => first.once('connect', resolve));
  while (listener.connections < 1) await new Promise((resolve) => setImmediate(resolve));
  assert.is(await exchange(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'), '');
  first.destroy();
  listener.close();
});

it('refuses connections past the bound of one address, whatever address their headers claim, until one closes (rule E27)', async () => {
  const { listener, port } = await start({ connectionsMax: 100, connectionsPerAddressMax: 2 });
  const held = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')] as const;
  while (listener.connections < 2) await new Promise((resolve) => setImmediate(resolve));
  const claim = 'GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 10.1.2.3\r\nForwarded: for=10.1.2.3\r\n';
  assert.is(await exchange(port, `${claim}\r\n`), '');
  assert.is(listener.refused, 1);
  // Another address of this machine has places of its own.
  const elsewhere = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' });
  while (listener.connections < 3) await new Promise((resolve) => setImmediate(resolve));
  held[0].destroy();
  while (listener.connections > 2) await new Promise((resolve) => setImmediate(resolve));
  assert.match(await exchange(port, `${claim}Connection: close\r\n\r\n`), /served$/);
  held[1].destroy();
  elsewhere.destroy();
  listener.close();
});

it('a connection that sends nothing is closed after the headers timeout (rule E27)', async () => {
  const { listener, port } = await start({ headersTimeoutMs: 200 });
  assert.match(await exchange(port, ''), /^(HTTP\/1\.1 408 |$)/);
  listener.close();
});

it('answers queued behind another one end with their connection and do not stay counted as under way', async () => {
  const over: string[] = [];
  const { listener, port } = await start({}, ({ request, response }) => {
    response.on('close', () => over.push(request.url ?? ''));
  });
  const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
  const socket = connect(port, '127.0.0.1', () => socket.write(get('/a') + get('/b') + get('/c')));
  while (listener.underWay < 3) await new Promise((resolve) => setImmediate(resolve));
  socket.destroy();
  while (listener.underWay > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(over.sort(), ['/a', '/b', '/c']);
  assert.is(listener.connections, 0);
  listener.close();
});

const BODY_BYTES = 9 * 1024 * 1024;
const UPLOAD = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${BODY_BYTES}\r\n`;

for (const [what, head] of [
  ['an upload with Connection: close', `${UPLOAD}Connection: close\r\n\r\n`],
  [
    'an upload in chunks with Connection: close',
    `${UPLOAD.replace(/Content.*/, 'Transfer-Encoding: chunked')}Connection: close\r\n\r\n${BODY_BYTES.toString(16)}\r\n`,
  ],
  ['an upload in HTTP/1.0', UPLOAD.replace('1.1', '1.0').concat('\r\n')],
  ['bytes that are not HTTP', 'no HTTP\r\n'],
] as const) {
  it(`the refusal of ${what} arrives before the connection ends, also at a client that reads last (rule E9)`, async () => {
    const { listener, port } = await start({}, ({ response }) => response.writeHead(401).end('refused'));
    const answers = await Promise.all(Array.from({ length: 10 }, () => sendThenRead(port, head, BODY_BYTES)));
    for (const answer of answers) assert.match(answer, /^HTTP\/1\.1 40[01] /);
    while (listener.connections > 0) await new Promise((resolve) => setImmediate(resolve));
    listener.close();
  });
}

it('a request behind the last answer of its connection is not served', async () => {
  let served = 0;
  const { listener, port } = await start({}, ({ response }) => {
    served++;
    response.writeHead(401).end('refused');
  });
  const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\nConnection: close\r\n\r\n';
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.write(head);
  await new Promise((resolve) => socket.resume().once('end', resolve));
  socket.end(`0123456789GET / HTTP/1.1\r\nHost: a\r\n\r\n`);
  await new Promise((resolve) => socket.once('close', resolve));
  while (listener.connections > 0) await new Promise((resolve) => setImmediate(resolve));
  listener.close();
  assert.is(served, 1);
});

it('a refused client that neither sends nor closes is cut after the grace of an upload', async () => {
  const { listener, port } = await start({ bodyGraceMs: 300 }, ({ response }) => response.writeHead(401).end('no'));
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.write(`${UPLOAD}Connection: close\r\n\r\n`);
  socket.resume().on('error', () => {});
  await new Promise((resolve) => socket.once('end', resolve));
  while (listener.connections > 0) await new Promise((resolve) => setImmediate(resolve));
  listener.close();
  socket.destroy();
});

it('a connection with many refused uploads accumulates no listeners', async () => {
  let served = 0;
  let listeners = 0;
  const { listener, port } = await start({}, ({ request, response }) => {
    served++;
    listeners = Math.max(listeners, request.socket.listenerCount('close'));
    if (served === 40) response.setHeader('connection', 'close');
    // Answered before the body is read, as a refusal is; the body is then drained.
    response.end('refused');
    request.resume();
  });
  const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n';
  const socket = connect(port, '127.0.0.1', () => socket.write(head));
  let sent = 1;
  socket.on('data', () => {
    // The body follows its refusal, and the next request the body.
    if (sent++ < 40) socket.write(`abcd${head}`);
  });
  await new Promise((resolve) => socket.on('close', resolve));
  listener.close();
  assert.is(served, 40);
  assert.ok(listeners < 8, `${listeners} listeners on one connection`);
});

test.run();
