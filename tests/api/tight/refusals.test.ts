import { connect } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { changeKey } from '../../../actors/key/key.ts';
import { bounded } from '../../support/bounded.ts';
import { sendThenRead } from '../../support/send-then-read.ts';
import { TESTER } from '../../support/tester.ts';
import { type Answer, type Asked, openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

const it = bounded(test);

const { cluster, funded, base, send, ask } = await openApi(test, openCluster);

const post = (body: string, asked: Asked = {}): Promise<Answer> => ask('/chat/completions', { body, ...asked });

const GOOD = JSON.stringify({ model: 'sim/fast', messages: [{ role: 'user', content: 'hello' }] });
const UNKNOWN = `sk-gw-v1-${'0'.repeat(64)}`;
const REFUSED = /^Missing or invalid API key: the key that was sent is not accepted$/;

function envelope(answer: Answer, status: number, type: string): void {
  assert.is(answer.status, status, answer.text);
  assert.is(answer.error.code, status);
  assert.is(answer.error.metadata.error_type, type);
  assert.type(answer.error.message, 'string');
  assert.match(answer.headers.get('x-generation-id') ?? '', /^gen-/);
  assert.is(answer.headers.get('x-request-id'), answer.headers.get('x-generation-id'));
  if (status !== 429) assert.is(answer.headers.get('x-ratelimit-limit'), null);
}

it('answers every malformed request in the one envelope (rule E1)', async () => {
  const table: readonly (readonly [string, () => Promise<Answer>, number, string])[] = [
    ['invalid JSON', () => post('{'), 400, 'invalid_request'],
    ['no model', () => post('{"messages":[]}'), 400, 'invalid_request'],
    ['a list', () => post('[]'), 400, 'invalid_request'],
    ['an unknown model', () => post(GOOD.replace('sim/fast', 'no/such')), 404, 'not_found'],
    ['a repeated name', () => post(GOOD.replace('{', '{"model":"a/b",')), 400, 'invalid_request'],
    ['too deep', () => post('['.repeat(70)), 400, 'invalid_request'],
    ['too large', () => post(`"${'a'.repeat(100_000)}"`), 413, 'payload_too_large'],
    ['compressed', () => post(GOOD, { headers: { 'content-encoding': 'gzip' } }), 415, 'invalid_request'],
    ['another type', () => post(GOOD, { headers: { 'content-type': 'text/plain' } }), 400, 'invalid_request'],
    ['an invalid type', () => post(GOOD, { headers: { 'content-type': ';;' } }), 400, 'invalid_request'],
    ['no endpoint', () => post(GOOD.replace('{', '{"provider":{"only":["nobody"]},')), 503, 'provider_overloaded'],
    ['an unknown generation', () => ask('/generation?id=gen-0'), 404, 'not_found'],
    ['no generation', () => ask('/generation'), 400, 'invalid_request'],
    ['an unknown path', () => ask('/nothing/here?key=secret'), 404, 'not_found'],
    ['another method', () => ask('/chat/completions'), 405, 'invalid_request'],
    ['a path outside the API', () => ask(base.replace('/api/v1', '/v1/models')), 404, 'not_found'],
    ['a malformed path', () => ask('/models/%zz'), 404, 'not_found'],
    ['a double-encoded id', () => ask('/models/sim%252Ffast'), 404, 'not_found'],
    ['a path upwards', () => ask('/models/..%2f..%2fkey'), 404, 'not_found'],
  ];
  for (const [what, run, status, type] of table) {
    const answer = await run();
    assert.is(answer.status, status, `${what}: ${answer.text}`);
    envelope(answer, status, type);
  }
});

it('names method and path of an unknown route, without its query (rule E4)', async () => {
  const { error } = await ask('/nothing/here?key=secret');
  assert.match(error.message, /GET \/api\/v1\/nothing\/here$/);
});

it('answers 401 before it checks the body, the rest of the path, or the size', async () => {
  const revoked = await cluster.fund('1');
  await changeKey(cluster.nodes[0]?.cluster as never, revoked.keyAddress, 'revoke', 5_000, TESTER);
  for (const key of [null, UNKNOWN, revoked.key]) {
    for (const run of [
      () => post(GOOD, { key }),
      () => post('{', { key }),
      () => post(GOOD.replace('sim/fast', 'no/such'), { key }),
      () => post(`"${'a'.repeat(100_000)}"`, { key }),
      () => post(GOOD, { key, headers: { 'content-encoding': 'gzip' } }),
      () => ask('/generation?id=gen-0', { key }),
      () => ask('/generation', { key }),
      () => ask('/credits', { key }),
      () => ask('/key', { key }),
      () => ask('/models/user', { key }),
    ]) {
      const answer = await run();
      envelope(answer, 401, 'authentication');
      const words = key === null ? /^Missing or invalid API key: no key was sent/ : REFUSED;
      assert.match(answer.error.message, words);
    }
  }
});

it('gives the same 401 for every reason that a key has, byte for byte except for its ids (rule K4)', async () => {
  const dead = await cluster.fund('1');
  const expired = await cluster.fund('1', { expiresAt: 1 });
  await changeKey(cluster.nodes[0]?.cluster as never, dead.keyAddress, 'disable', 5_000, TESTER);
  const answers = await Promise.all([
    post(GOOD, { key: UNKNOWN }),
    post(GOOD, { key: 'nonsense' }),
    post(GOOD, { key: dead.key }),
    post(GOOD, { key: expired.key }),
    post(GOOD, { key: null, headers: { 'x-api-key': UNKNOWN } }),
    post(GOOD, { key: null, headers: { 'x-api-key': dead.key } }),
  ]);
  for (const { error } of answers) assert.match(error.message, REFUSED);
  const shape = (answer: Answer): string => {
    const names = [...answer.headers.keys()].filter((name) => name !== 'date').sort();
    return JSON.stringify([answer.status, names, answer.text]);
  };
  assert.is(new Set(answers.map(shape)).size, 1, answers.map(shape).join('\n'));
});

it('a 401 names the mistake in sending the key, alike for a key that exists and for one that does not (rule K4)', async () => {
  const sent = (headers: Record<string, string>) => post(GOOD, { key: null, headers });
  const sentences = new Set<string>();
  for (const [words, ...tries] of [
    ['no key was sent', {}],
    ['must be `Bearer KEY`', { authorization: funded.key }, { authorization: UNKNOWN }],
    ['must be `Bearer KEY`', { authorization: 'Basic YTpi' }, { authorization: `Token ${funded.key}` }],
    ['holds no key', { authorization: 'Bearer' }, { 'x-api-key': '' }],
    ['more than one key', { authorization: `Bearer ${funded.key}`, 'x-api-key': UNKNOWN }],
    ['sk-ant- belong to another service', { 'x-api-key': 'sk-ant-a' }, { authorization: 'Bearer sk-ant-b' }],
    ['not accepted', { 'x-api-key': UNKNOWN }, { authorization: `Bearer ${UNKNOWN}` }],
  ] as const) {
    for (const headers of tries as readonly Record<string, string>[]) {
      const answer = await sent(headers);
      envelope(answer, 401, 'authentication');
      assert.ok(answer.error.message.startsWith('Missing or invalid API key: '), answer.error.message);
      assert.ok(answer.error.message.includes(words), `${words}: ${answer.error.message}`);
      assert.not(/gw-v1-[0a-f]/.test(answer.error.message), 'a key is never repeated');
      sentences.add(answer.error.message);
    }
  }
  assert.is(sentences.size, 6);
});

it('refuses a management key on every route that spends or reports spend (rule K9)', async () => {
  const { key } = await cluster.issue(funded.account, { kind: 'management' });
  for (const run of [
    () => post(GOOD, { key }),
    () => post('{', { key }),
    () => ask('/credits', { key }),
    () => ask('/key', { key }),
    () => ask('/generation?id=gen-0', { key }),
  ]) {
    envelope(await run(), 403, 'permission_denied');
  }
});

it('hides a generation from other accounts (rule K14)', async () => {
  const mine = await post(GOOD);
  const id = mine.headers.get('x-generation-id') as string;
  const other = await cluster.fund('1');
  const [own, foreign, none] = await Promise.all([
    ask(`/generation?id=${id}`),
    ask(`/generation?id=${id}`, { key: other.key }),
    ask('/generation?id=gen-1', { key: other.key }),
  ]);
  assert.is(own.status, 200);
  assert.is(foreign.status, 404);
  assert.is(foreign.text, none.text);
});

it('keeps the catalogue and the liveness read open without a key (rule C18)', async () => {
  const alive = await ask('/', { key: null });
  assert.equal(JSON.parse(alive.text), { name: 'troupe', status: 'ok' });
  for (const key of [null, UNKNOWN, funded.key]) {
    for (const path of [
      '/models',
      '/models/count',
      '/models/sim/fast',
      '/model/sim/fast',
      '/models/sim/fast/endpoints',
    ]) {
      assert.is((await ask(path, { key })).status, 200, path);
    }
  }
  const bare = JSON.parse((await ask('/models/sim%2Ffast', { key: null })).text) as Record<string, unknown>;
  assert.is(bare.object, 'model');
  const unsupported = JSON.parse((await ask('/models?category=x', { key: null })).text) as Record<string, unknown>;
  assert.equal(unsupported, {
    ...{ data: [], total_count: 0, links: { next: null } },
    unsupported_filters: ['category'],
  });
  envelope(await ask('/models?limit=0', { key: null }), 400, 'invalid_request');
});

it('names the query parameters that the lists of models do not read, and answers all the same (rule C17)', async () => {
  for (const [path, named] of [
    ['/models', null],
    ['/models?q=fast&limit=1&category=x', null],
    ['/models?suported_parameters=tools&q=fast&a%20b=1', 'suported_parameters'],
    ['/models?limits=1&limits=2&page=2', 'limits, page'],
    ['/embeddings/models?limit=1&q=x', 'q'],
  ] as const) {
    for (const method of ['GET', 'HEAD']) {
      if (method === 'HEAD' && path.startsWith('/embeddings')) continue;
      const { status, headers } = await ask(path, { method, key: null });
      assert.equal([status, headers.get('x-unread-members')], [200, named], `${method} ${path}`);
    }
  }
});

it('answers HEAD on no other route', async () => {
  for (const path of ['/ready', '/models/count', '/key']) {
    const answer = await send(path, { method: 'HEAD', key: null });
    assert.is(answer.status, 405);
    assert.is(answer.headers.get('allow'), 'GET');
  }
});

it('refuses a body announced too large before it is sent (rule E23)', async () => {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  const answer = new Promise<string>((resolve) => socket.once('data', (bytes) => resolve(bytes.toString())));
  socket.write(
    `POST /api/v1/chat/completions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${funded.key}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 34603008\r\nExpect: 100-continue\r\n\r\n',
  );
  assert.match(await answer, /^HTTP\/1\.1 413 /);
  socket.destroy();
});

it('every refusal of a body of 9 MB with Connection: close reaches its client, also one that reads last (rule E9)', async () => {
  const bytes = 9 * 1024 * 1024;
  const headOf = (key: string, framing: string) =>
    `POST /api/v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\n${framing}\r\n\r\n`;
  const chunked = `Transfer-Encoding: chunked\r\n\r\n${bytes.toString(16)}`;
  for (const [head, status] of [
    [headOf(UNKNOWN, `Content-Length: ${bytes}`), 401],
    [headOf(funded.key, `Content-Length: ${bytes}`), 413],
    [headOf(funded.key, chunked).replace(/\r\n\r\n$/, '\r\n'), 413],
  ] as const) {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => sendThenRead(Number(new URL(base).port), head, bytes)),
    );
    for (const answer of answers) assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `));
  }
});

it('sends 100 Continue to a client that waits for it (rule E24)', async () => {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.on('data', (bytes) => {
    received += bytes.toString();
  });
  socket.write(
    `POST /api/v1/chat/completions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${funded.key}\r\nConnection: close\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${GOOD.length}\r\nExpect: 100-continue\r\n\r\n`,
  );
  while (!received.includes('100 Continue')) await new Promise((resolve) => setTimeout(resolve, 5));
  socket.write(GOOD);
  await new Promise((resolve) => socket.once('close', resolve));
  assert.match(received, /HTTP\/1\.1 200 OK/);
});

test.run();
