import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import { rawExchange } from '../../support/raw-exchange.ts';
import { openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

/** Requests as bytes, and their answers: every spelling of an address, a header or a method is handled alike. */
const it = bounded(test);

const { cluster, funded } = await openApi(test, openCluster);

type Headers = Readonly<Record<string, string | null>>;

const CHAT = { model: 'sim/fast', max_tokens: 20, messages: [{ role: 'user', content: 'hello ü' }] };
const WHOLE = JSON.stringify(CHAT);
const STREAM = JSON.stringify({ ...CHAT, stream: true, stream_options: { include_usage: true } });
const TEXT = JSON.stringify({ model: 'sim/fast', prompt: 'hello', max_tokens: 20 });
const NO_KEY: Headers = { authorization: null };
const UNKNOWN_KEY: Headers = { authorization: `Bearer sk-gw-v1-${'0'.repeat(64)}` };

interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

async function answered(method: string, target: string, body: string | null, changed: Headers): Promise<RawAnswer> {
  const headers: Headers = {
    host: 'a',
    connection: 'close',
    authorization: `Bearer ${funded.key}`,
    ...(body === null ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
    ...changed,
  };
  const lines = Object.entries(headers).flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}\r\n`]));
  const bytes = `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`;
  const wire = await rawExchange(cluster.baseUrls[0] as string, bytes, 10_000);
  const answer = wire.replace('HTTP/1.1 100 Continue\r\n\r\n', '');
  const end = answer.indexOf('\r\n\r\n');
  return {
    status: Number(answer.slice(9, 12)),
    head: wire.slice(0, wire.lastIndexOf('\r\n\r\n')),
    body: answer.slice(end + 4),
  };
}

/** Every answer carries its generation id; every refusal has the envelope, its code and its message. */
function holds(answer: RawAnswer, status: number, expected: string, what: string): void {
  assert.is(answer.status, status, `${what}: ${answer.body.slice(0, 200)}`);
  assert.match(answer.head, /\r\nx-generation-id: gen-\d{10}-\w{20}\r\nx-request-id: gen-/, what);
  assert.ok(answer.body.includes(expected), `${what}: ${answer.body.slice(0, 300)}`);
  if (status < 400) return;
  assert.match(answer.head, /\r\ncontent-type: application\/json; charset=utf-8\r\n/, what);
  assert.is(JSON.parse(answer.body).error.code, status, what);
}

const UNSORTED = 'sort must be one of newest, oldest, price-low-to-high, price-high-to-low, context-high-to-low';
const MODEL = '"id":"sim/fast"';
const NO_MODEL = 'is not in the catalogue';
const UNKNOWN = '"error_type":"authentication"';
const NO_ROUTE = '"message":"No route for GET /api/v1';
const long = 'a'.repeat(513);

const READS: readonly (readonly [target: string, status: number, expected: string, changed?: Headers])[] = [
  ['', 200, '"status":"ok"', NO_KEY],
  ['/ready', 200, '{"status":"ready"}', UNKNOWN_KEY],
  ['/', 200, '"status":"ok"', UNKNOWN_KEY],
  ['/?x', 200, '"status":"ok"'],
  ['//', 404, NO_ROUTE],
  ['/models', 200, MODEL, NO_KEY],
  ['/models?q=f%61st', 200, MODEL],
  ['/models?q=a+b', 200, '"data":[]'],
  ['/models?q=%zz', 200, '"data":[]'],
  ['/models#q', 200, MODEL],
  ['/model%73', 200, MODEL],
  ['/models/', 404, NO_MODEL],
  ['/Models', 404, NO_ROUTE],
  ['/models;q=x', 404, NO_ROUTE],
  ['/models/../models', 404, NO_MODEL],
  ['/models?q=fast&q=x', 400, 'q may be given once'],
  ['/models?category=x', 200, '"unsupported_filters":["category"]'],
  ['/models?family=x', 200, '"data":[],"total_count":0'],
  ['/models?hasOwnProperty=1&__proto__=2', 200, MODEL],
  ['/models?sort=oldest', 200, MODEL],
  ['/models?sort=constructor', 400, UNSORTED],
  ['/models?sort=__proto__', 400, UNSORTED],
  ['/models?limit=0', 400, 'limit must be a whole number'],
  ['/models?limit=1&x=y', 200, '"next":"/api/v1/models?limit=1&x=y&offset=1"'],
  ['/models/count', 200, '"count":', NO_KEY],
  ['/models/coun%74?x', 200, '"count":'],
  ['/models/count/', 404, '"requested":"count/"'],
  ['/models/sim/fast', 200, MODEL, NO_KEY],
  ['/models/sim%2Ffast', 200, MODEL, NO_KEY],
  ['/models/sim%252Ffast', 404, '"requested":"sim%2Ffast"'],
  ['/models/sim/fas%74', 200, MODEL],
  ['/models/sim/fast/', 404, NO_ROUTE],
  ['/models/sim/Fast', 404, '"suggestions":["sim/fast"'],
  ['/models/sim%2Ffats', 404, '"suggestions":["sim/fast"'],
  ['/models/sim%2Ffast/endpoints', 404, '"requested":"sim/fast/endpoints"'],
  ['/models/sim/fast/endpoints?x', 200, MODEL],
  ['/models/__proto__/constructor', 404, '"requested":"__proto__/constructor"'],
  ['/models/%zz', 404, NO_ROUTE],
  ['/models/%E2%82', 404, NO_ROUTE],
  [`/models/${long}`, 404, NO_ROUTE],
  [`/models/${long.slice(1)}`, 404, NO_MODEL],
  ['/models/user', 200, MODEL],
  ['/models/user', 401, UNKNOWN, NO_KEY],
  ['/key?x', 200, '"label":"sk-gw-v1-'],
  ['/ke%79', 200, '"label":"sk-gw-v1-', { authorization: null, 'x-api-key': '' }],
  ['/key', 401, UNKNOWN, UNKNOWN_KEY],
  ['/key', 401, UNKNOWN, { 'x-api-key': 'another' }],
  ['/key/', 404, NO_ROUTE],
  ['/generation', 400, 'The query parameter id must be given exactly once'],
  ['/generation?id=', 400, 'The query parameter id must be given exactly once'],
  ['/generation?id=a&id=b', 400, 'The query parameter id must be given exactly once'],
  ['/generation?ID=a', 400, 'The query parameter id must be given exactly once'],
  ['/generation?id=none', 404, 'Generation not found'],
  [`/generation?id=${long}`, 404, 'Generation not found'],
  ['/nothing?secret', 404, '"message":"No route for GET /api/v1/nothing"', NO_KEY],
  ['/nothing', 404, NO_ROUTE, UNKNOWN_KEY],
  ['/chat/completions', 405, 'GET is no method of /api/v1/chat/completions; it takes POST'],
];

it('a read has one answer for every spelling of its address (rule E22)', async () => {
  for (const [target, status, expected, changed = {}] of READS) {
    const own = changed['x-api-key'] === '' ? { ...changed, 'x-api-key': funded.key } : changed;
    holds(
      await answered('GET', `/api/v1${target}`, null, own),
      status,
      expected,
      `${target} ${JSON.stringify(changed)}`,
    );
  }
});

it('HEAD of the API and of the model list sends the headers of GET without the body', async () => {
  for (const target of ['/api/v1', '/api/v1/', '/api/v1/models', '/api/v1/models?q=fast']) {
    const [got, headed] = [await answered('GET', target, null, {}), await answered('HEAD', target, null, {})];
    const lengthOf = ({ head }: RawAnswer): string | undefined => /content-length: (\d+)/.exec(head)?.[1];
    assert.is(headed.status, 200, target);
    assert.is(headed.body, '', target);
    assert.is(lengthOf(headed), lengthOf(got), target);
  }
  holds(await answered('GET', '/api/v1/models', null, {}), 200, MODEL, 'the node answers on');
});

it('a target that is not a path of the API, and an unsupported method, are refused in the envelope', async () => {
  for (const [method, target, status, expected] of [
    ['GET', '/v1', 404, 'No route for GET /v1; the API begins at /api/v1'],
    ['POST', '/v1/chat/completions', 404, 'did you mean /api/v1/chat/completions? The API begins at /api/v1"'],
    ['GET', '/v2/models', 404, 'No route for GET /v2/models; the API begins at /api/v1"'],
    ['GET', '/api/v1x', 404, 'No route for GET /api/v1x; the API begins at /api/v1"'],
    ['GET', '//api/v1/models', 404, 'No route'],
    ['GET', '/%61pi/v1/models', 200, MODEL],
    ['GET', '/api%2Fv1/models', 404, 'No route'],
    ['GET', '/%', 404, 'No route'],
    ['GET', 'http://a/api/v1/models', 400, 'The request target must be a path'],
    ['GET', '*', 400, 'The request target must be a path'],
    ['OPTIONS', '/api/v1/models', 405, 'OPTIONS is no method of /api/v1/models; it takes GET or HEAD'],
    ['PUT', '/api/v1/models/%zz', 404, 'No route for PUT'],
    ['DELETE', '/api/v1/key', 405, 'DELETE is no method of /api/v1/key; it takes GET'],
    ['PATCH', '/api/v1', 405, 'PATCH is no method of /api/v1; it takes GET or HEAD'],
    ['POST', '/api/v1/key', 405, 'POST is no method'],
    ['TRACE', '/api/v1/models', 405, 'TRACE is no method'],
    ['TRACE', '/api/v1/nothing', 404, 'No route for TRACE'],
    ['PROPFIND', '/api/v1/models', 405, 'PROPFIND is no method'],
    ['FOO', '/api/v1/models', 400, 'not well-formed HTTP'],
    ['get', '/api/v1/models', 400, 'not well-formed HTTP'],
  ] as const) {
    holds(await answered(method, target, null, {}), status, expected, `${method} ${target}`);
  }
  const head = await answered('HEAD', '/api/v1/key', null, {});
  assert.is(head.status, 405);
  assert.match(head.head, /\r\nallow: GET\r\n/);
  assert.is(head.body, '');
});

it('a doubled base address gets the path that was meant', async () => {
  const doubled = 'The base address is doubled: it ends in /api for a client that adds /v1 itself, else in /api/v1';
  for (const [target, meant] of [
    ['/api/v1/v1/chat/completions', '/api/v1/chat/completions'],
    ['/api/v1/v1/v1/messages?beta=true', '/api/v1/messages'],
    ['/api/v1/api/v1/models/sim/fast', '/api/v1/models/sim/fast'],
  ] as const) {
    for (const method of ['GET', 'POST']) {
      const answer = await answered(method, target, method === 'GET' ? null : '{}', {});
      holds(answer, 404, `; did you mean ${meant}? ${doubled}"`, `${method} ${target}`);
    }
  }
  for (const target of ['/api/v1/v1/nothing', '/api/v1/v1x/models', '/api/v1/v1', '/api/v1/v1/']) {
    assert.not.match((await answered('GET', target, null, {})).body, /did you mean/);
  }
});

const TURNS: readonly (readonly [path: string, body: string, expected: string])[] = [
  ['/chat/completions', WHOLE, '"object":"chat.completion"'],
  ['/chat/completions', STREAM, 'data: [DONE]'],
  ['/completions', TEXT, '"object":"text_completion"'],
  ['/messages', WHOLE, '"type":"message"'],
  ['/responses', JSON.stringify({ model: 'sim/fast', input: 'hello' }), '"object":"response"'],
  ['/embeddings', JSON.stringify({ model: 'sim/embedder', input: 'hello' }), '"object":"list"'],
  ['/rerank', JSON.stringify({ model: 'sim/ranker', query: 'hello', documents: ['hello'] }), '"relevance_score":'],
];

/** The suffixes of a turn's path, before a valid body, and whether each is refused. */
const SPELLINGS: readonly (readonly [suffix: string, refused: boolean])[] = [
  ['', false],
  ['?', false],
  ['?any=%zz', false],
  ['#x', false],
  ['/', true],
  [';x', true],
  ['%20', true],
  ['%2F', true],
  ['/../completions', true],
];

/** The effect of each header change on a turn; null: it is served. */
const HEADERS: Readonly<Record<string, readonly [changed: Headers, refused: readonly [number, string] | null]>> = {
  'as usual': [{}, null],
  'without a type': [{ 'content-type': null }, null],
  'with a charset': [{ 'content-type': 'Application/JSON; charset="UTF-8"' }, null],
  'of another charset': [{ 'content-type': 'application/json; charset=latin1' }, [400, 'must be application/json']],
  'of an invalid type': [{ 'content-type': ';;' }, [400, 'must be application/json']],
  'of an empty type': [{ 'content-type': '' }, [400, 'must be application/json']],
  'of text': [{ 'content-type': 'text/plain' }, [400, 'must be application/json']],
  'of a form': [{ 'content-type': 'multipart/form-data; boundary=x' }, [400, 'must be application/json']],
  compressed: [{ 'content-encoding': 'gzip' }, [415, 'Compressed request bodies']],
  'that waits for 100 Continue': [{ expect: '100-continue' }, null],
  'with an unknown expectation': [{ expect: 'cake' }, [417, 'The expectation cannot be met']],
  'that asks for a version': [{ 'accept-version': '1.x' }, null],
  'that offers HTTP/2': [
    { connection: 'Upgrade, HTTP2-Settings, close', upgrade: 'h2c', 'http2-settings': 'AAMA' },
    null,
  ],
  'that offers a WebSocket': [
    { connection: 'Upgrade, close', upgrade: 'websocket', 'sec-websocket-version': '13' },
    null,
  ],
  'of a long session': [{ 'x-session-id': 'x'.repeat(300) }, [400, 'X-Session-Id must have']],
  'without a key': [NO_KEY, [401, UNKNOWN]],
  'with an unknown key': [UNKNOWN_KEY, [401, UNKNOWN]],
  'with two keys': [{ 'x-api-key': 'another' }, [401, UNKNOWN]],
};

for (const [path, body, expected] of TURNS) {
  it(`a turn has one answer for every spelling of its address: ${expected}`, async () => {
    for (const [suffix, refused] of SPELLINGS) {
      const answer = await answered('POST', `/api/v1${path}${suffix}`, body, {});
      holds(answer, refused ? 404 : 200, refused ? 'No route for POST' : expected, path + suffix);
    }
    const upper = path.toUpperCase();
    holds(await answered('POST', `/api/v1${upper}`, body, {}), 404, `No route for POST /api/v1${upper}`, upper);
    const encoded = path.replace('letions', 'letion%73');
    holds(await answered('POST', `/api/v1${encoded}`, body, {}), 200, expected, encoded);
  });

  it(`a turn has one answer for every form of its headers: ${expected}`, async () => {
    for (const [what, [changed, refused]] of Object.entries(HEADERS)) {
      for (const suffix of ['', '?any']) {
        const answer = await answered('POST', `/api/v1${path}${suffix}`, body, changed);
        holds(answer, refused?.[0] ?? 200, refused?.[1] ?? expected, what + suffix);
        assert.is(answer.head.startsWith('HTTP/1.1 100 '), what === 'that waits for 100 Continue', what);
      }
    }
  });
}

it('a body that cannot be served is refused the same way in every spelling', async () => {
  for (const [what, body, status, expected] of [
    ['of another model', JSON.stringify({ ...CHAT, model: 'no/such' }), 404, 'error_type'],
    ['that no endpoint may serve', JSON.stringify({ ...CHAT, provider: { only: ['nobody'] } }), 503, 'rejections'],
    ['malformed', '{', 400, 'The body is not valid JSON: it ends too early, at line 1, byte 2'],
    ['of a list', '[]', 400, 'error_type'],
    ['empty', '', 400, 'The body is empty: send a JSON object'],
    ['too deep', '['.repeat(70), 400, 'The body is nested too deeply'],
    ['too large', JSON.stringify({ ...CHAT, user: 'x'.repeat(100_000) }), 413, 'The body is larger than 100000 bytes'],
    ['with half a pair', WHOLE.replace('hello', '\\ud800'), 400, 'The body is not acceptable JSON'],
  ] as const) {
    for (const suffix of ['', '?any']) {
      holds(await answered('POST', `/api/v1/chat/completions${suffix}`, body, {}), status, expected, what + suffix);
    }
  }
});

it('an address without a route is 404 for every request, and does not invite a body (rule E4)', async () => {
  for (const type of ['application/json', 'text/plain', ';;', '']) {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const changed = { 'content-type': type, expect: '100-continue' };
      const answer = await answered(method, '/api/v1/nothing', '{}', changed);
      holds(answer, 404, `No route for ${method}`, `${method} ${type}`);
      assert.match(answer.head, /^HTTP\/1\.1 404 /);
    }
  }
});

it('a request that offers an upgrade is answered as an ordinary request', async () => {
  for (const upgrade of ['websocket', 'h2c', 'foo']) {
    const changed = { connection: 'Upgrade, close', upgrade, 'sec-websocket-key': 'x', 'sec-websocket-version': '13' };
    holds(await answered('GET', '/api/v1/models/count', null, changed), 200, '"count":', upgrade);
    holds(await answered('GET', '/api/v1/nothing', null, changed), 404, 'No route', upgrade);
    holds(await answered('GET', '/api/v1/key', null, { ...changed, ...NO_KEY }), 401, UNKNOWN, upgrade);
  }
});

test.run();
