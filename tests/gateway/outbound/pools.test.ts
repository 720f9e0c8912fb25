import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/runtime/index.ts';
import { type OutboundCall, outboundUrl } from '../../../gateway/outbound/outbound.ts';
import { Pools } from '../../../gateway/outbound/pools.ts';
import { bounded } from '../../support/bounded.ts';
import { ManualClock } from './manual-clock.ts';
import { type Answer, arrived, failureOf, serving as servingCall, until } from './scene.ts';

const it = bounded(test);
const LIMITS = { connectMs: 1_000, firstByteMs: 2_000, idleMs: 3_000, totalMs: 10_000, bodyBytesMax: 1_000_000 };

function serving(answer: Answer, run: (call: OutboundCall) => Promise<void>): Promise<void> {
  return servingCall(answer, { path: '/chat', body: 'hello', limits: LIMITS }, run);
}

function pools(clock = systemClock as ConstructorParameters<typeof Pools>[0]['clock']): Pools {
  return new Pools({ clock, lease: { connected: true }, connectionsPerOriginMax: 2, connectMs: 1_000 });
}

it('sends a call unchanged and reads its whole answer', async () => {
  let seen: IncomingMessage | null = null;
  let body = '';
  await serving(
    (request, response) => {
      seen = request;
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => response.writeHead(201, { 'X-Thing': 'yes' }).end('wörld'));
    },
    async (call) => {
      const client = pools();
      const reply = await client.send(call);
      assert.is(reply.status, 201);
      assert.is(reply.header('x-thing'), 'yes');
      assert.is(reply.header('x-other'), null);
      assert.is(await reply.body.text(), 'wörld');
      assert.is(await reply.body.read(), null);
      assert.is(client.underWay, 0);
      await client.close();
    },
  );
  assert.is((seen as unknown as IncomingMessage).url, '/v1/chat');
  assert.is(body, 'hello');
});

it('connections send without delay, and consecutive calls share one', async () => {
  const own = Socket.prototype.setNoDelay;
  const hurried = new Set<Socket>();
  Socket.prototype.setNoDelay = function (this: Socket, noDelay = true) {
    if (noDelay) hurried.add(this);
    return own.call(this, noDelay);
  };
  const arrived = new Set<Socket>();
  try {
    await serving(
      (request, response) => {
        arrived.add(request.socket);
        response.end('done');
      },
      async (call) => {
        const client = pools();
        for (let at = 0; at < 10; at++) {
          assert.is(await (await client.send(call)).body.text(), 'done');
          // The client marks a connection as free at the end of the turn in which its answer ended.
          await new Promise((resolve) => setImmediate(resolve));
        }
        assert.is(arrived.size, 1);
        // The server's own sockets are in this process too: ours is the one connected to its port.
        const { port } = new URL(call.url.origin);
        assert.is([...hurried].filter(({ remotePort }) => String(remotePort) === port).length, 1);
        const many = Array.from({ length: 4 }, async () => (await client.send(call)).body.text());
        await Promise.all(many);
        assert.ok(arrived.size <= 2, `${arrived.size} connections where two are allowed`);
        await client.close();
      },
    );
  } finally {
    Socket.prototype.setNoDelay = own;
  }
});

it('returns a redirect as an answer and does not follow it (rule I140)', async () => {
  let requests = 0;
  await serving(
    (_, response) => {
      requests++;
      response.writeHead(307, { location: '/elsewhere' }).end();
    },
    async (call) => {
      const client = pools();
      const reply = await client.send(call);
      assert.is(reply.status, 307);
      await reply.body.text();
      await client.close();
    },
  );
  assert.is(requests, 1);
});

it('refuses compressed answers before it decompresses a byte (rule I140)', async () => {
  await serving(
    (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('bomb'),
    async (call) => {
      const client = pools();
      assert.is(await failureOf(client.send(call)), 'encoded');
      assert.is(client.underWay, 0);
      await client.close();
    },
  );
});

it('an answer larger than its bound fails', async () => {
  await serving(
    (_, response) => response.end(Buffer.alloc(200_000)),
    async (call) => {
      const client = pools();
      const reply = await client.send({ ...call, limits: { ...LIMITS, bodyBytesMax: 100_000 } });
      assert.is(await failureOf(reply.body.text()), 'malformed');
      await client.close();
    },
  );
});

it('a port without a listener is a failure to connect', async () => {
  const client = pools();
  const call = { method: 'GET', url: outboundUrl('http://127.0.0.1:1', '/'), headers: [], body: null, limits: LIMITS };
  assert.is(await failureOf(client.send(call as OutboundCall)), 'connect');
  await client.close();
});

it('a silent server runs into the first-byte time-out on the given clock', async () => {
  const clock = new ManualClock();
  let asked = false;
  await serving(
    () => {
      asked = true;
    },
    async (call) => {
      const client = pools(clock);
      const failure = failureOf(client.send(call));
      await until(() => asked);
      clock.advance(1_999);
      assert.is(client.underWay, 1);
      clock.advance(1);
      assert.is(await failure, 'first-byte-timeout');
      assert.is(clock.armed, 0);
      await client.close();
    },
  );
});

it('a stalled body runs into the idle time-out, and a slow reader does not', async () => {
  const clock = new ManualClock();
  await serving(
    (_, response) => void response.writeHead(200).write('begun'),
    async (call) => {
      const client = pools(clock);
      const reply = await client.send(call);
      await arrived();
      clock.advance(9_000);
      assert.is(client.underWay, 1, 'what is not read yet is no idleness of the sender');
      assert.is(Buffer.concat((await reply.body.read()) ?? []).toString(), 'begun');
      await client.close();
      const second = pools(clock);
      const stalled = await second.send(call);
      await stalled.body.read();
      const failure = failureOf(stalled.body.read());
      clock.advance(3_000);
      assert.is(await failure, 'idle-timeout');
      await second.close();
    },
  );
});

it('the total time-out ends a trickle that is never idle, with or without a burst before it', async () => {
  const clock = new ManualClock();
  let trickle: ServerResponse | null = null;
  await serving(
    (_, response) => {
      response.write(Buffer.alloc(300_000));
      trickle = response;
    },
    async (call) => {
      const client = pools(clock);
      const reply = await client.send(call);
      const failure = failureOf(reply.body.text());
      for (let at = 0; at < 10; at++) {
        trickle?.write('.');
        await arrived();
        clock.advance(1_000);
      }
      assert.is(await failure, 'total-timeout');
      await client.close();
    },
  );
});

it('a total time-out caused by a slow reader does not count against the sender (rule E30)', async () => {
  const clock = new ManualClock();
  await serving(
    (_, response) => void response.writeHead(200).write('begun'),
    async (call) => {
      const client = pools(clock);
      const reply = await client.send(call);
      await arrived();
      for (let at = 0; at < 10; at++) clock.advance(1_000);
      assert.is(Buffer.concat((await reply.body.read()) ?? []).toString(), 'begun');
      assert.is(await failureOf(reply.body.read()), 'aborted');
      await client.close();
    },
  );
});

it('a connection that never opens runs into the connect time-out', async () => {
  const clock = new ManualClock();
  const client = pools(clock);
  await serving(
    () => {},
    async (call) => {
      const opening = failureOf(client.send(call));
      clock.advance(1_000);
      assert.is(await opening, 'connect-timeout');
      await client.close();
    },
  );
});

it('a call that waits in vain for one of our own connections is saturated, not timed out', async () => {
  const clock = new ManualClock();
  const client = pools(clock);
  let asked = 0;
  // A pool of two connections that both wait: the third call never gets one.
  await serving(
    () => void asked++,
    async (call) => {
      const waiting = [client.send(call), client.send(call)].map(failureOf);
      await until(() => asked === 2);
      const third = failureOf(client.send(call));
      clock.advance(1_000);
      assert.is(await third, 'saturated');
      clock.advance(1_000);
      assert.equal(await Promise.all(waiting), ['first-byte-timeout', 'first-byte-timeout']);
      await client.close();
    },
  );
});

it('too many calls to one origin are refused at once', async () => {
  const client = pools();
  await serving(
    () => {},
    async (call) => {
      const waiting = [1, 2, 3, 4].map(() => failureOf(client.send(call)));
      assert.is(await failureOf(client.send(call)), 'saturated');
      await client.close();
      assert.is((await Promise.all(waiting)).filter((failure) => failure === 'aborted').length, 4);
    },
  );
});

it('a connection cut in the middle of the answer is a reset', async () => {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf');
      setTimeout(() => socket.destroy(), 20);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = pools();
  const { port } = server.address() as AddressInfo;
  const url = outboundUrl(`http://127.0.0.1:${port}`, '/');
  const reply = await client.send({ method: 'POST', url, headers: [], body: 'x', limits: LIMITS });
  assert.is(await failureOf(reply.body.text()), 'reset');
  await client.close();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

it('a call can be aborted before it has an answer', async () => {
  const client = pools();
  await serving(
    () => {},
    async (call) => {
      let abort: () => void = () => {};
      const failure = failureOf(
        client.send({
          ...call,
          begun: (way) => {
            abort = way;
          },
        }),
      );
      assert.is(client.underWay, 1);
      abort();
      assert.is(await failure, 'aborted');
      assert.is(client.underWay, 0);
      abort();
      await client.close();
    },
  );
});

it('pauses the sender while the body is not read', async () => {
  let written = 0;
  let blocked = false;
  await serving(
    (_, response) => {
      const chunk = Buffer.alloc(64 * 1024);
      const push = (): void => {
        let more = true;
        while (more && written < 64 * 1024 * 1024) {
          more = response.write(chunk);
          written += chunk.length;
        }
        blocked = true;
      };
      response.on('drain', push);
      push();
    },
    async (call) => {
      const client = pools();
      const reply = await client.send({ ...call, limits: { ...LIMITS, bodyBytesMax: 1e9 } });
      await until(() => blocked);
      await new Promise((resolve) => setTimeout(resolve, 50));
      const stood = written;
      assert.ok(stood < 32 * 1024 * 1024, `${stood} bytes were taken without a reader`);
      for (let read = 0; read <= stood + 1_000_000; ) {
        for (const chunk of (await reply.body.read()) ?? []) read += chunk.length;
      }
      assert.ok(written > stood);
      await client.close();
    },
  );
});

test.run();
