/** Hostile receivers against the client for customers' URLs: real sockets, an injected name service. */
import { createServer as createPlain, type RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/runtime/index.ts';
import { PublicClient, type PublicClientParts } from '../../../gateway/outbound/public-client.ts';
import { PublicExchange } from '../../../gateway/outbound/public-exchange.ts';
import { Authority } from '../../support/authority.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test, 60_000);
const authority = await Authority.make();
const NAMES = ['hooks.example.com', 'other.example.com'];
const identity = await authority.issue({ names: NAMES });

interface Receiver {
  readonly port: number;
  readonly requests: { readonly url: string; readonly headers: Record<string, unknown>; readonly body: string }[];
  readonly sockets: Set<Socket>;
  close(): void;
}

function listening(server: Server, on: (port: number) => Receiver): Promise<Receiver> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(on((server.address() as AddressInfo).port)));
  });
}

/** A receiver on loopback that records each request and then answers it. */
function receiver(answer: RequestListener, { isPlain = false } = {}): Promise<Receiver> {
  const requests: Receiver['requests'] = [];
  const sockets: Receiver['sockets'] = new Set();
  const listener: RequestListener = (request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      requests.push({ url: request.url ?? '', headers: request.headers, body });
      answer(request, response);
    });
  };
  const { certificate: cert, key } = identity;
  const server = isPlain ? createPlain(listener) : createServer({ cert, key }, listener);
  server.on(isPlain ? 'connection' : 'secureConnection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return listening(server, (port) => ({ port, requests, sockets, close }));
}

/** A client whose look-ups answer these addresses, and that counts 127.0.0.1 as public. */
function client(parts: Partial<PublicClientParts> = {}): PublicClient {
  return new PublicClient({
    ...{
      clock: systemClock,
      lease: { connected: true },
      answerMs: 30_000,
      answerBytesMax: 64 * 1024,
      ca: authority.certificate,
    },
    rules: { allowedTargets: ['127.0.0.1/32'], refusedHosts: [] },
    resolve: async () => ['127.0.0.1'],
    ...parts,
  });
}

const post = (from: PublicClient, url: string, body = '{}') =>
  from.post({ url, headers: ['content-type', 'application/json'], body, signal: new AbortController().signal });

it('a node that loses its lease while it connects posts nothing', async () => {
  let posts = 0;
  const to = await receiver((_, response) => {
    posts++;
    response.end();
  });
  const lease = { connected: true };
  const outcome = post(client({ lease }), `https://hooks.example.com:${to.port}/`);
  lease.connected = false;
  assert.is(((await outcome) as { failure: string }).failure, 'timeout');
  assert.is(posts, 0);
  to.close();
});

it('posts the exact bytes, and the status is the outcome', async () => {
  const to = await receiver((_, response) => response.writeHead(204).end());
  const body = JSON.stringify({ text: 'añ🎬', big: 'x'.repeat(1_000_000) });
  const outcome = await post(client(), `https://hooks.example.com:${to.port}/a/b?token=t%20u`, body);
  assert.equal(outcome, { status: 204 });
  const [request] = to.requests;
  assert.is(request?.body, body);
  assert.is(request?.url, '/a/b?token=t%20u');
  assert.is(request?.headers.host, `hooks.example.com:${to.port}`);
  to.close();
});

it('a look-up that answers a private address is refused, and nothing is connected to (rule E42)', async () => {
  const to = await receiver((_, response) => response.end());
  for (const addresses of [['10.0.0.1'], ['8.8.8.8', '127.0.0.2'], ['2606:4700::1111', '::1'], ['fe80::1%lo'], ['x']]) {
    const outcome = await post(client({ resolve: async () => addresses }), `https://hooks.example.com:${to.port}/`);
    assert.is('failure' in outcome && outcome.failure, 'blocked', addresses.join());
  }
  const outcome = await post(client({ resolve: async () => [] }), `https://hooks.example.com:${to.port}/`);
  assert.is('failure' in outcome && outcome.failure, 'unreachable');
  assert.is(to.requests.length + to.sockets.size, 0);
  to.close();
});

it('rebinding: the name is looked up once per post, and the address that was judged is the one connected to (rule E42)', async () => {
  const to = await receiver((_, response) => response.end());
  let asked = 0;
  // Callable at first, private afterwards: a second look-up would be refused or lead elsewhere.
  const rebinding = client({ resolve: async () => (asked++ === 0 ? ['127.0.0.1'] : ['10.0.0.1']) });
  const url = `https://hooks.example.com:${to.port}/`;
  assert.equal(await post(rebinding, url), { status: 200 });
  assert.is(asked, 1);
  const second = await post(rebinding, url);
  assert.is('failure' in second && second.failure, 'blocked');
  assert.is(asked, 2);
  assert.is(to.requests.length, 1);
  to.close();
});

it('an address in the URL is judged without a look-up', async () => {
  const to = await receiver((_, response) => response.end());
  const none = { rules: { allowedTargets: [], refusedHosts: [] } };
  for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1', 'localhost', '[::1]']) {
    const outcome = await post(client(none), `https://${host}:${to.port}/`);
    assert.is('failure' in outcome && outcome.failure, 'blocked', host);
  }
  assert.is(to.sockets.size, 0);
  to.close();
});

it('a redirect is an answer and is not followed (rule E42)', async () => {
  const to = await receiver((request, response) =>
    response.writeHead(request.url === '/end' ? 200 : 307, { location: '/end' }).end(),
  );
  assert.equal(await post(client(), `https://hooks.example.com:${to.port}/`), { status: 307 });
  assert.is(to.requests.length, 1);
  to.close();
});

it('the certificate is verified for the host name', async () => {
  const to = await receiver((_, response) => response.end());
  for (const [from, host] of [
    [client(), 'wrong.example.com'],
    [client({ ca: (await Authority.make('another')).certificate }), 'hooks.example.com'],
    [client(), '127.0.0.1'],
  ] as const) {
    const outcome = await post(from, `https://${host}:${to.port}/`);
    assert.is('failure' in outcome && outcome.failure, 'tls', JSON.stringify(outcome));
  }
  assert.is(to.requests.length, 0);
  to.close();
});

it('no connection and no TLS session is used twice, and proxies of the environment are ignored (rule E42)', async () => {
  const to = await receiver((_, response) => response.end());
  process.env.HTTPS_PROXY = 'http://127.0.0.1:9';
  process.env.https_proxy = 'http://127.0.0.1:9';
  const from = client();
  for (let nth = 0; nth < 2; nth++) {
    assert.equal(await post(from, `https://hooks.example.com:${to.port}/`), { status: 200 });
  }
  delete process.env.HTTPS_PROXY;
  delete process.env.https_proxy;
  assert.is(to.sockets.size, 2);
  for (const socket of to.sockets) {
    assert.not((socket as unknown as { isSessionReused(): boolean }).isSessionReused());
  }
  assert.is(to.requests[0]?.headers.connection, 'close');
  to.close();
});

it('an answer is read up to its bound only, and its status stands (rule E44)', async () => {
  let written = 0;
  const to = await receiver((_, response) => {
    response.writeHead(200);
    const more = (): void => {
      for (let going = true; going && !response.destroyed; ) {
        written += 16_384;
        going = response.write(Buffer.alloc(16_384));
      }
    };
    response.on('drain', more);
    response.on('error', () => {});
    more();
  });
  assert.equal(await post(client(), `https://hooks.example.com:${to.port}/`), { status: 200 });
  assert.ok(written < 64 * 1024 * 1024, `${written} bytes were sent to a reader of 64 KiB`);
  to.close();
});

it('a compressed answer is an answer', async () => {
  const to = await receiver((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('garbage'));
  assert.equal(await post(client(), `https://hooks.example.com:${to.port}/`), { status: 200 });
  to.close();
});

it('silence, garbage, a cut and an empty port each have their name', async () => {
  const armed: { readonly delayMs: number; readonly run: () => void }[] = [];
  const after = (delayMs: number, run: () => void) => {
    armed.push({ delayMs, run });
    return () => {};
  };
  const silent = await receiver(() => armed[0]?.run());
  const outcome = await post(client({ clock: { ...systemClock, after } }), `https://hooks.example.com:${silent.port}/`);
  assert.is('failure' in outcome && outcome.failure, 'timeout');
  assert.equal(
    armed.map(({ delayMs }) => delayMs),
    [30_000],
  );
  silent.close();
  const cut = await receiver((request) => request.socket.destroy());
  const lost = await post(client(), `https://hooks.example.com:${cut.port}/`);
  assert.is('failure' in lost && lost.failure, 'unreachable');
  cut.close();
  const empty = await post(client(), `https://hooks.example.com:${cut.port}/`);
  assert.is('failure' in empty && empty.failure, 'unreachable');
  const garbage = await receiver((request) => void request.socket.end('what?\r\n\r\n'));
  const odd = await post(client(), `https://hooks.example.com:${garbage.port}/`);
  assert.is('failure' in odd && odd.failure, 'malformed');
  garbage.close();
});

it('once a status was answered it stands, whatever becomes of the body', async () => {
  const controller = {} as never;
  const endings: readonly ((exchange: PublicExchange) => void)[] = [
    (exchange) => exchange.end('timeout', 'the body never ended'),
    (exchange) => exchange.onResponseError(controller, new Error('cut')),
    (exchange) => exchange.onResponseData(controller, Buffer.alloc(9)),
    (exchange) => exchange.onResponseEnd(),
  ];
  for (const end of endings) {
    const exchange = new PublicExchange(8, { connected: true });
    exchange.onResponseStart(controller, 100);
    exchange.onResponseStart(controller, 200);
    end(exchange);
    assert.equal(await exchange.outcome, { status: 200 });
  }
});

it('an aborted post rejects with the reason of its signal', async () => {
  const aborted = new AbortController();
  const to = await receiver(() => aborted.abort(new Error('superseded')));
  const url = `https://hooks.example.com:${to.port}/`;
  const call = { url, headers: [], body: '', signal: aborted.signal };
  await client()
    .post(call)
    .then(
      () => assert.unreachable(),
      (error: Error) => assert.is(error.message, 'superseded'),
    );
  to.close();
});

it('an origin that the operator allows is called without TLS, and no other', async () => {
  const to = await receiver((_, response) => response.writeHead(202).end(), { isPlain: true });
  const origin = `http://127.0.0.1:${to.port}`;
  const rules = { allowedTargets: [origin], refusedHosts: [] };
  assert.equal(await post(client({ rules }), `${origin}/hook`), { status: 202 });
  const outcome = await post(client({ rules: { allowedTargets: [], refusedHosts: [] } }), `${origin}/hook`);
  assert.is('failure' in outcome && outcome.failure, 'blocked');
  to.close();
});

test.run();
