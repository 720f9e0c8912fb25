import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { AskError, type Cluster } from '../../../../actors/runtime/index.ts';
import { type OperatorServer, openOperatorServer } from '../../../../gateway/operator/http/server.ts';
import type { ServingState } from '../../../../gateway/terms/serving-state.ts';
import { bounded } from '../../../support/bounded.ts';
import { rawExchange } from '../../../support/raw-exchange.ts';

const it = bounded(test);

const TOKEN = 'operator-token';
let cluster: Cluster | null;
let readiness: ServingState;
let server: OperatorServer;
const asked: object[] = [];
const refreshed: (string | null)[] = [];

test.before(async () => {
  server = await openOperatorServer('127.0.0.1', 0, {
    cluster: () => cluster,
    token: TOKEN,
    metrics: () => Promise.reject(new Error('unexpected detail')),
    refused: () => [],
    readiness: () => readiness,
    refreshModels: async (provider) => {
      refreshed.push(provider);
      return provider === 'none' ? null : [];
    },
    config: () => ({ data: '/srv' }),
    checkConfig: async (value) => (value === 1 ? null : 'must be 1'),
    log: () => {},
  });
});
test.before.each(() => {
  const operator = { ps: async () => ({ nodes: [] }), inspect: async () => null };
  const ask = async (to: string, event: object): Promise<unknown> => {
    if (to !== 'provider:alpha') throw new AskError(to, { code: 'absent' });
    asked.push(event);
    return { paused: null, changed: true };
  };
  cluster = { operator, ask, self: { name: 'n1', incarnation: 'i1' } } as unknown as Cluster;
  readiness = 'ready';
});
test.after(() => server.close());

/** Status and body of the answer to one request, with its target sent unchanged. */
async function answerTo(method: string, target: string, token: string | null = TOKEN): Promise<string> {
  const credential = token === null ? '' : `Authorization: Bearer ${token}\r\n`;
  const bytes = `${method} ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${credential}\r\n`;
  const answer = await rawExchange(server.url, bytes);
  return `${answer.slice('HTTP/1.1 '.length, 'HTTP/1.1 '.length + 3)} ${answer.split('\r\n\r\n')[1]?.trim()}`;
}

const MISSING = '404 {"error":"Not found"}';
const DENIED = '401 {"error":"Missing or invalid operator token"}';
const HEALTHY = '200 {"status":"ok"}';
const NODES = '200 {"nodes":[]}';
const ABSENT = '404 {"error":"account:a is absent"}';
const PAUSED = '200 {"address":"provider:alpha","paused":null,"changed":true}';
const NOT_PAUSABLE = '400 {"error":"address must be provider:slug or endpoint:ep_..."}';
const NO_ADDRESS = '400 {"error":"address must be kind:owner or kind:owner/local, or an id such as batch_..."}';

/** The answer to each request with the token, and without one. */
const ROWS: readonly (readonly [method: string, target: string, permitted: string, denied: string])[] = [
  ['GET', '/health', HEALTHY, HEALTHY],
  ['GET', '/ready', '200 {"status":"ready"}', '200 {"status":"ready"}'],
  ['GET', '/health?x', HEALTHY, HEALTHY],
  ['GET', '/health#x', HEALTHY, HEALTHY],
  ['GET', '/x/../health', HEALTHY, HEALTHY],
  ['GET', '/%2e/health', HEALTHY, HEALTHY],
  ['GET', 'http://x/health', HEALTHY, HEALTHY],
  ['GET', '/health/', MISSING, DENIED],
  ['GET', '/Health', MISSING, DENIED],
  ['GET', '/health;x', MISSING, DENIED],
  ['GET', '/', MISSING, DENIED],
  ['GET', '//', MISSING, MISSING],
  ['GET', '/%zz', MISSING, DENIED],
  ['GET', '/__proto__', MISSING, DENIED],
  ['GET', '/constructor', MISSING, DENIED],
  ['GET', '/ps', NODES, DENIED],
  ['GET', '/ps?x', NODES, DENIED],
  ['GET', '/ps/', MISSING, DENIED],
  ['GET', '/inspect?address=account:a', ABSENT, DENIED],
  ['GET', '/inspect?address=account%3Aa', ABSENT, DENIED],
  ['GET', '/why?address=account:a&address=b', ABSENT, DENIED],
  ['GET', '/why?address=b&address=account:a', NO_ADDRESS, DENIED],
  ['GET', '/why', NO_ADDRESS, DENIED],
  ['GET', '/refused?account=account:a', '200 {"data":[]}', DENIED],
  ['GET', '/metrics', '500 {"error":"Internal Server Error"}', DENIED],
  ['GET', '/config', '200 {"node":"n1","incarnation":"i1","state":"ready","config":{"data":"/srv"}}', DENIED],
  ['POST', '/config/check', '400 {"error":"the body must be JSON"}', DENIED],
  ['POST', '/pause?address=provider:alpha&reason=slow', PAUSED, DENIED],
  ['POST', '/pause?address=provider:alpha&reason=%20', '400 {"error":"reason must have 1 to 500 characters"}', DENIED],
  ['POST', '/pause?address=account:a&reason=slow', NOT_PAUSABLE, DENIED],
  ['POST', '/resume?address=provider:alpha', PAUSED, DENIED],
  ['POST', '/resume?address=endpoint:ep_1', '404 {"error":"endpoint:ep_1 is absent"}', DENIED],
  ['GET', '/pause?address=provider:alpha&reason=slow', MISSING, DENIED],
  ['POST', '/models/refresh', '200 {"data":[]}', DENIED],
  ['POST', '/models/refresh?provider=none', '404 {"error":"no provider none is declared"}', DENIED],
  ['GET', '/models/refresh', MISSING, DENIED],
  ['POST', '/models/refresh/', MISSING, MISSING],
  ['POST', '/ps', MISSING, MISSING],
  ['POST', '/health', MISSING, MISSING],
  ['OPTIONS', '/health', MISSING, MISSING],
  ['DELETE', '/models/refresh', MISSING, MISSING],
];

it('every spelling of a request has one answer with the token and one without (rule E32)', async () => {
  for (const [method, target, permitted, denied] of ROWS) {
    assert.is(await answerTo(method, target), permitted, `${method} ${target}`);
    for (const token of [null, 'x']) assert.is(await answerTo(method, target, token), denied, `${method} ${target}`);
  }
  assert.equal(refreshed, [null, 'none']);
  const by = { kind: 'operator', id: 'operator port' };
  assert.equal(asked, [
    { type: 'provider.pause', reason: 'slow', by },
    { type: 'provider.resume', by },
  ]);
  assert.is(await answerTo('HEAD', '/health'), '404 ');
});

it('why names the node that runs the work of an actor', async () => {
  const found = {
    ...{ address: 'video-job:acct_1/vjob_1', state: 'rendering', activities: [{ runner: 'b874' }] },
    explanation: ['Attempt 1 renders.', 'The activity render runs on b874: attempt 1.'],
  };
  const nodes = [
    { name: 'n1', incarnation: 'a1' },
    { name: 'n3', incarnation: 'b874' },
  ];
  const operator = { inspect: async () => found, ps: async () => ({ nodes }) };
  cluster = { operator } as unknown as Cluster;
  const why = JSON.parse((await answerTo('GET', `/why?address=${found.address}`)).slice(4)) as { why: string[] };
  assert.equal(why.why, ['Attempt 1 renders.', 'The activity render runs on n3 (b874): attempt 1.']);
});

it('why of an endpoint tells of the pause of its provider, which its actor does not know', async () => {
  const paused = { reason: 'too many errors', since: 1_763_690_400_000 };
  const found: Record<string, object> = {
    'endpoint:ep_1': {
      context: { declaration: { provider: { slug: 'alpha' } } },
      explanation: ['It is down.', 'More.'],
    },
    'provider:alpha': { context: { paused }, explanation: [] },
  };
  const inspect = async (address: string) => found[address] && { address, state: 'down', ...found[address] };
  cluster = { operator: { inspect } } as unknown as Cluster;
  const why = JSON.parse((await answerTo('GET', '/why?address=endpoint:ep_1')).slice(4)) as { why: readonly string[] };
  assert.equal(why.why, [
    'It is down.',
    'An operator paused alpha at 2025-11-21T02:00:00.000Z (too many errors): no new call goes to it until `troupe providers resume alpha`.',
    'More.',
  ]);
});

it('a configuration is checked by its body, which is bounded', async () => {
  const check = async (body: string): Promise<string> => {
    const headers = { authorization: `Bearer ${TOKEN}` };
    const answer = await fetch(`${server.url}/config/check`, { method: 'POST', headers, body });
    return `${answer.status} ${(await answer.text()).trim()}`;
  };
  assert.is(await check('1'), '200 {"fault":null}');
  assert.is(await check('2'), '200 {"fault":"must be 1"}');
  assert.match(await check(' '.repeat(16 * 1024 * 1024 + 1)), /^413 /);
});

it('a starting node reports only its health, and a node that does not serve refuses a refresh', async () => {
  readiness = 'starting';
  assert.is(await answerTo('GET', '/ready'), '503 {"status":"starting"}');
  assert.match(await answerTo('POST', '/models/refresh'), /^503 /);
  cluster = null;
  assert.is(await answerTo('GET', '/health'), HEALTHY);
  for (const path of ['/ps', '/nothing']) {
    assert.is(await answerTo('GET', path), '503 {"error":"The node is starting"}');
    assert.is(await answerTo('GET', path, null), DENIED);
  }
});

test.run();
