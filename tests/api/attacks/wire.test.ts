import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { GARBAGE } from '../../../gateway/simulator/answer/garbage.ts';
import { bounded } from '../../support/bounded.ts';
import { say } from '../../support/provider/say.ts';
import { rawExchange } from '../../support/raw-exchange.ts';
import { openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

/** Hostile bytes, headers and answers of a provider, against a whole node. */
const it = bounded(test);

const { cluster, funded, base, send } = await openApi(test, openCluster, '100');

const ROUTES = ['/chat/completions', '/completions'] as const;
const CHAT = JSON.stringify({ model: 'sim/fast', messages: [{ role: 'user', content: 'hello' }] });
const COMPLETION = JSON.stringify({ model: 'sim/fast', prompt: 'hello' });

function bodyOf(route: (typeof ROUTES)[number]): string {
  return route === '/completions' ? COMPLETION : CHAT;
}

interface Row {
  readonly what: string;
  /** Header lines after the credential. */
  readonly lines: readonly string[];
  readonly body: string | Buffer;
  readonly status: number;
}

const length = (body: string | Buffer): string => `Content-Length: ${Buffer.byteLength(body)}`;
const JSON_TYPE = 'Content-Type: application/json';
const utf16 = Buffer.from(`\ufeff${CHAT}`, 'utf16le');
const bom = Buffer.from(`\ufeff${CHAT}`);
const invalid = Buffer.from(CHAT.replace('hello', 'hel\u00ff'), 'latin1');
const chunked = `${CHAT.length.toString(16)}\r\n${CHAT}\r\n0\r\n\r\n`;
const GET = 'GET /api/v1/key HTTP/1.1\r\nHost: a\r\n\r\n';

const ROWS: readonly Row[] = [
  {
    what: 'length beside chunks',
    lines: [JSON_TYPE, 'Content-Length: 4', 'Transfer-Encoding: chunked'],
    body: chunked + GET,
    status: 400,
  },
  {
    what: 'two lengths',
    lines: [JSON_TYPE, length(CHAT), 'Content-Length: 0'],
    body: CHAT + GET,
    status: 400,
  },
  {
    what: 'an unknown coding',
    lines: [JSON_TYPE, 'Transfer-Encoding: xchunked'],
    body: chunked + GET,
    status: 400,
  },
  {
    what: 'two codings',
    lines: [JSON_TYPE, 'Transfer-Encoding: chunked, identity'],
    body: chunked + GET,
    status: 400,
  },
  { what: 'a folded header', lines: [JSON_TYPE, 'X-A: b\r\n c', length(CHAT)], body: CHAT, status: 400 },
  { what: 'a bare line feed', lines: [`${JSON_TYPE}\nX-A: b`, length(CHAT)], body: CHAT, status: 400 },
  {
    what: 'a space before a colon',
    lines: [`Content-Type : application/json`, length(CHAT)],
    body: CHAT,
    status: 400,
  },
  {
    what: 'a signed length',
    lines: [JSON_TYPE, `Content-Length: +${CHAT.length}`],
    body: CHAT,
    status: 400,
  },
  { what: 'two hosts', lines: ['Host: b', JSON_TYPE, length(CHAT)], body: CHAT, status: 400 },
  {
    what: '17 KB of one header',
    lines: [`X: ${'a'.repeat(17_000)}`, JSON_TYPE, length(CHAT)],
    body: CHAT,
    status: 431,
  },
  {
    what: '2001 headers',
    lines: [...Array<string>(2_001).fill('a: b'), JSON_TYPE, length(CHAT)],
    body: CHAT,
    status: 431,
  },
  {
    what: 'a promised 33 MiB',
    lines: [JSON_TYPE, 'Expect: 100-continue', `Content-Length: ${33 << 20}`],
    body: '',
    status: 413,
  },
  {
    what: 'a compressed body',
    lines: [JSON_TYPE, 'Content-Encoding: gzip', length(CHAT)],
    body: CHAT,
    status: 415,
  },
  {
    what: 'another content type',
    lines: ['Content-Type: text/plain', length(CHAT)],
    body: CHAT,
    status: 400,
  },
  {
    what: 'a form',
    lines: ['Content-Type: application/x-www-form-urlencoded', length(CHAT)],
    body: CHAT,
    status: 400,
  },
  {
    what: 'another charset',
    lines: [`${JSON_TYPE}; charset=utf-16`, length(utf16)],
    body: utf16,
    status: 400,
  },
  { what: 'UTF-16 declared as UTF-8', lines: [JSON_TYPE, length(utf16)], body: utf16, status: 400 },
  { what: 'a byte order mark', lines: [JSON_TYPE, length(bom)], body: bom, status: 400 },
  { what: 'bytes that are not UTF-8', lines: [JSON_TYPE, length(invalid)], body: invalid, status: 400 },
];

/**
 * Runs one attack on a connection of its own; bytes that follow the first answer within a second would be read as well.
 */
async function attack(route: (typeof ROUTES)[number], { what, lines, body, status }: Row): Promise<void> {
  const head = [`POST /api/v1${route} HTTP/1.1`, 'Host: a', `Authorization: Bearer ${funded.key}`, ...lines];
  const bytes = Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), Buffer.from(body)]);
  const answer = await rawExchange(base, bytes);
  const row = `${what}: ${answer.slice(0, 300)}`;
  assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `), row);
  assert.is(answer.match(/HTTP\/1\.1 \d/g)?.length, 1, row);
  assert.match(answer, /x-generation-id: gen-/i, row);
  const envelope = JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1)) as {
    error: { code: number; metadata: { error_type: string } };
  };
  assert.is(envelope.error.code, status, row);
  assert.type(envelope.error.metadata.error_type, 'string', row);
}

for (const route of ROUTES)
  it(`answers every attack on the wire of ${route} once, in the envelope (rule E21)`, async () => {
    await Promise.all(ROWS.map((row) => attack(route, row)));
  });

function ask(route: (typeof ROUTES)[number], headers: Record<string, string>, body = bodyOf(route)): Promise<Response> {
  const mine = { authorization: `Bearer ${funded.key}`, 'content-type': 'application/json' };
  return fetch(base + route, { method: 'POST', body, headers: { ...mine, ...headers } });
}

it('client text cannot end a header on its way to a provider (rule I7)', async () => {
  const evil = 'a\r\nx-evil: 1\0';
  const directed = { model: 'sim/fast', messages: say({ id: 'evil' }) };
  for (const member of ['session_id', 'prompt_cache_key', 'user'])
    await (await ask('/chat/completions', {}, JSON.stringify({ ...directed, [member]: evil }))).text();
  await (
    await ask(
      '/chat/completions',
      { 'x-title': 'caf\u00e9 \u00ff', 'x-session-id': 'b'.repeat(300) },
      JSON.stringify(directed),
    )
  ).text();
  for (const { headers } of cluster.simulators.flatMap(({ calls }) => calls.filter(({ id }) => id === 'evil'))) {
    assert.is(headers['x-evil'], undefined);
    for (const [name, value] of Object.entries(headers)) {
      const text = String(value);
      assert.match(text, /^[\x20-\x7e]*$/, name);
      if (name === 'x-session-id') assert.ok(text.length <= 256);
    }
  }
});

it('only the listed headers of a client reach a provider (rule I7)', async () => {
  const headers = {
    cookie: 'session=secret',
    'x-custom': 'secret',
    'x-api-key': funded.key,
    'x-forwarded-for': '10.0.0.1',
    via: 'secret',
    te: 'trailers',
    'http-referer': 'https://app.example',
    'x-title': 'app',
    'x-session-id': 'conversation',
  };
  const body = JSON.stringify({ model: 'sim/fast', messages: say({ id: 'headers' }) });
  assert.is((await ask('/chat/completions', headers, body)).status, 200);
  const calls = cluster.simulators.flatMap(({ calls }) => calls.filter(({ id }) => id === 'headers'));
  assert.is(calls.length, 1);
  const ALLOWED = new Set([
    'host',
    'connection',
    'content-type',
    'content-length',
    'accept',
    'accept-encoding',
    'x-session-id',
    'user-agent',
  ]);
  const sent = Object.keys(calls[0]?.headers ?? {}).filter(
    (name) => !ALLOWED.has(name) && name !== 'transfer-encoding',
  );
  assert.equal(sent, []);
  assert.not.match(JSON.stringify(calls[0]?.headers), /secret|sk-gw/);
});

it('CORS admits no origin (rule E29)', async () => {
  for (const method of ['POST', 'OPTIONS', 'GET']) {
    const answer = await send('/chat/completions', { method, key: null, headers: { origin: 'https://evil.example' } });
    await answer.text();
    const allowed = [...answer.headers.keys()].filter((name) => name.startsWith('access-control-'));
    assert.equal(allowed, [], method);
  }
});

it('a path is decoded once, and unknown unless the result is a route (rule E22)', async () => {
  const paths = [
    '/models/sim%252Ffast',
    '/models/..%2f..%2fkey',
    '/models/%00',
    '//models',
    '/models//fast',
    '/./key%00',
  ];
  for (const path of [...paths, '/chat/completions/', '/chat%2Fcompletions', '/CHAT/completions']) {
    const answer = await rawExchange(base, `GET /api/v1${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    assert.match(answer, /^HTTP\/1\.1 40[04] /, `${path}: ${answer.slice(0, 200)}`);
  }
});

it('text of a provider never breaks a frame, and its errors are never shown (rule I58)', async () => {
  const text = 'a\n\ndata: [DONE]\n\nevent: error\ndata: {"error":1}\r\n\r\n: \u2028\u2029 \u0000 id: 7';
  const streamed = JSON.stringify({ model: 'sim/fast', messages: say({ text }), stream: true });
  const answer = await (await ask('/chat/completions', {}, streamed)).text();
  const pieces = answer
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map(
      (line) => (JSON.parse(line.slice(6)) as { choices: { delta: { content?: string } }[] }).choices[0]?.delta.content,
    );
  assert.is(pieces.join(''), text);
  for (const garbage of ['error-frame', 'json', 'content-type', 'nul']) {
    assert.ok((GARBAGE as readonly string[]).includes(garbage));
    for (const stream of [true, false]) {
      const broken = JSON.stringify({ model: 'sim/fast', messages: say({ garbage }), stream });
      const shown = await (await ask('/chat/completions', {}, broken)).text();
      assert.not.match(shown, /upstream broke|doctype|Welcome|127\.0\.0\.1/, `${garbage} ${stream}: ${shown}`);
    }
  }
  const down = JSON.stringify({ model: 'sim/fast', messages: say({ status: 500 }) });
  assert.not.match(await (await ask('/chat/completions', {}, down)).text(), /simulated/);
});

test.run();
