import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/runtime/index.ts';
import type { OutboundCall } from '../../../gateway/outbound/outbound.ts';
import { OutboundError } from '../../../gateway/outbound/outbound-error.ts';
import { Pools } from '../../../gateway/outbound/pools.ts';
import { Authority } from '../../support/authority.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);
const LIMITS = { connectMs: 1_000, firstByteMs: 2_000, idleMs: 3_000, totalMs: 10_000, bodyBytesMax: 1_000_000 };
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

/** A raw server: records the text of each request and sends the bytes that `answer` writes. */
async function serving(
  answer: (socket: Socket, text: string, connection: number) => void,
  run: (client: Pools, call: OutboundCall, sockets: readonly Socket[]) => Promise<void>,
  server: Server = createServer(),
  scheme = 'http',
): Promise<void> {
  const sockets: Socket[] = [];
  server.on(scheme === 'http' ? 'connection' : 'secureConnection', (socket: Socket) => {
    const connection = sockets.push(socket);
    socket.on('error', () => {}).on('data', (data) => answer(socket, data.toString('latin1'), connection));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new Pools({
    clock: systemClock,
    lease: { connected: true },
    connectionsPerOriginMax: 2,
    connectMs: 1_000,
  });
  try {
    await run(
      client,
      { method: 'POST', url: { origin, path: '/' }, headers: ['a', 'b'], body: 'é', limits: LIMITS },
      sockets,
    );
  } finally {
    await client.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}

async function textOf(client: Pools, call: OutboundCall): Promise<string> {
  const text = await (await client.send(call)).body.text();
  // A connection is free at the end of the turn in which its answer ended.
  await new Promise((resolve) => setImmediate(resolve));
  return text;
}

async function failureOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  assert.instance(error, OutboundError);
  return (error as OutboundError).failure;
}

it('writes a request in one piece: line, host, length in bytes, headers unchanged', async () => {
  const seen: string[] = [];
  await serving(
    (socket, text) => {
      seen.push(text);
      socket.write(OK);
    },
    async (client, call) => {
      await textOf(client, call);
      await textOf(client, { ...call, method: 'GET', body: null });
      await textOf(client, { ...call, body: null });
      const host = call.url.origin.slice('http://'.length);
      const fields = `host: ${host}\r\nconnection: keep-alive\r\na: b\r\n`;
      assert.equal(seen, [
        `POST / HTTP/1.1\r\n${fields}content-length: 2\r\n\r\nÃ©`,
        `GET / HTTP/1.1\r\n${fields}\r\n`,
        `POST / HTTP/1.1\r\n${fields}content-length: 0\r\n\r\n`,
      ]);
    },
  );
});

it('refuses a header that contains a line end', async () => {
  await serving(
    () => assert.unreachable('it was sent'),
    async (client, call) => {
      for (const headers of [
        ['a', 'b\r\nc: d'],
        ['a\r\nb', 'c'],
      ]) {
        assert.is(await failureOf(client.send({ ...call, headers })), 'connect');
      }
      assert.is(client.underWay, 0);
    },
  );
});

it('a call refused before it is sent uses up no connection', async () => {
  await serving(
    (socket) => socket.write(OK),
    async (client, call) => {
      for (let at = 0; at < 5; at++) {
        assert.is(await failureOf(client.send({ ...call, headers: ['a', '\r\n'] })), 'connect');
      }
      assert.is(await textOf(client, call), 'ok');
    },
  );
});

it('no call fails because the server closed an idle connection', async () => {
  await serving(
    (socket) => socket.write(OK),
    async (client, call, sockets) => {
      assert.is(await textOf(client, call), 'ok');
      const ended = once(sockets[0] as Socket, 'close');
      sockets[0]?.end();
      await ended;
      assert.is(await textOf(client, call), 'ok');
      assert.is(sockets.length, 2);
    },
  );
});

it('unsolicited bytes answer no call', async () => {
  await serving(
    (socket, _, connection) => {
      socket.write(connection === 1 ? `${OK}HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nforged` : OK);
    },
    async (client, call, sockets) => {
      assert.is(await textOf(client, call), 'ok');
      assert.is(await textOf(client, call), 'ok');
      assert.is(sockets.length, 2, 'the connection that brought more than its answer is not used again');
      sockets[1]?.write('HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nforged');
      await once(sockets[1] as Socket, 'close');
      assert.is(await textOf(client, call), 'ok');
      assert.is(sockets.length, 3);
    },
  );
});

it('does not reuse a connection that the server closes at once or soon', async () => {
  const heads = ['connection: close\r\n', 'Keep-Alive: timeout=2\r\n', 'keep-alive: timeout=60, max=9\r\n', ''];
  await serving(
    (socket, _, connection) => {
      socket.write(`HTTP/1.1 200 OK\r\n${heads[connection - 1] ?? ''}content-length: 2\r\n\r\nok`);
    },
    async (client, call, sockets) => {
      for (let at = 0; at < 5; at++) assert.is(await textOf(client, call), 'ok');
      assert.is(sockets.length, 3);
    },
  );
});

it('bytes that are not HTTP are malformed, a connection that ends without bytes is reset', async () => {
  await serving(
    (socket, _, connection) => {
      if (connection === 1) socket.end('SSH-2.0-OpenSSH_9.6\r\n\r\n');
      else socket.end();
    },
    async (client, call) => {
      assert.is(await failureOf(client.send(call)), 'malformed');
      assert.is(await failureOf(client.send(call)), 'reset');
    },
  );
});

it('a few interim answers are passed over; a storm of them is malformed, and its connection closed', async () => {
  const hint = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
  let isStorm = false;
  await serving(
    (socket) => {
      if (!isStorm) {
        socket.write(hint.repeat(16) + OK);
        return;
      }
      const storm = (): void => {
        if (!socket.destroyed) socket.write(hint.repeat(1_000), () => setImmediate(storm));
      };
      storm();
    },
    async (client, call, sockets) => {
      assert.is(await textOf(client, call), 'ok');
      isStorm = true;
      const closed = new Promise((resolve) => sockets[0]?.once('close', resolve));
      // Without the bound the storm would last until the first-byte time-out.
      assert.is(
        await failureOf(client.send({ ...call, limits: { ...LIMITS, firstByteMs: 50_000, totalMs: 50_000 } })),
        'malformed',
      );
      await closed;
    },
  );
});

it('waiting calls get a connection in order, and aborted ones get none', async () => {
  const order: string[] = [];
  await serving(
    (socket, text) => {
      order.push(text.slice(-1));
      setTimeout(() => socket.write(OK), 5);
    },
    async (client, call) => {
      let abort = (): void => {};
      const begun = (way: () => void): void => {
        abort = way;
      };
      const sent = ['1', '2', '3'].map((body) => textOf(client, { ...call, body }));
      const off = failureOf(client.send({ ...call, body: '4', begun }));
      abort();
      sent.push(textOf(client, { ...call, body: '5' }));
      assert.equal(await Promise.all(sent), ['ok', 'ok', 'ok', 'ok']);
      assert.is(await off, 'aborted');
      assert.equal(
        [order.slice(0, 2).sort(), order.slice(2)],
        [
          ['1', '2'],
          ['3', '5'],
        ],
      );
    },
  );
});

it('every call that waits for a connection to a refusing server fails on its own', async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  await serving(
    () => assert.unreachable('it was sent'),
    async (client, call) => {
      const url = { origin: `http://127.0.0.1:${port}`, path: '/' };
      const failures = await Promise.all([1, 2, 3, 4].map(() => failureOf(client.send({ ...call, url }))));
      assert.equal(failures, ['connect', 'connect', 'connect', 'connect']);
      assert.is(client.underWay, 0);
      assert.is(await failureOf(client.send({ ...call, url })), 'connect', 'a client takes the next call all the same');
    },
  );
});

it('finds a header by its lower-case name, the first one if it repeats', async () => {
  const head = 'HTTP/1.1 200 OK\r\nX-Twice: one\r\n__proto__: odd\r\nconstructor: odd\r\nx-twice: two\r\n';
  await serving(
    (socket) => socket.write(`${head}x-latin: caf\u00e9\r\ncontent-length: 2\r\n\r\nok`, 'latin1'),
    async (client, call) => {
      const reply = await client.send(call);
      const found = ['x-twice', 'x-latin', 'x-none', 'X-Twice'].map((name) => reply.header(name));
      assert.equal(found, ['one', 'caf\u00e9', null, null]);
      assert.is(await reply.body.text(), 'ok');
    },
  );
});

it('a call over TLS is answered, and an untrusted certificate is refused', async () => {
  const authority = await Authority.make();
  const { certificate: cert, key } = await authority.issue({ names: ['localhost'] });
  await serving(
    (socket) =>
      socket.write(
        `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${'10000\r\n'}${'x'.repeat(65_536)}\r\n0\r\n\r\n`,
      ),
    async (client, call, sockets) => {
      assert.is(await failureOf(client.send(call)), 'connect');
      process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
      try {
        for (let at = 0; at < 3; at++) assert.is((await textOf(client, call)).length, 65_536);
      } finally {
        delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      }
      assert.is(sockets.length, 1, 'one connection for all three');
    },
    // A server that prefers HTTP/2 gets HTTP/1.1: one call per connection.
    createTlsServer({ cert, key, ALPNProtocols: ['h2', 'http/1.1'] }) as Server,
    'https',
  );
});

test.run();
