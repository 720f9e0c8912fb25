import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Cluster } from '../../../../actors/runtime/index.ts';
import { type OperatorServer, openOperatorServer } from '../../../../gateway/operator/http/server.ts';
import { bounded } from '../../../support/bounded.ts';
import { rawExchange } from '../../../support/raw-exchange.ts';

const it = bounded(test, 10_000);

const TOKEN = 'operator-token';
let cluster: Cluster | null;
let serving: boolean;
let server: OperatorServer;
const refreshed: (string | null)[] = [];

test.before(async () => {
  server = await openOperatorServer('127.0.0.1', 0, {
    cluster: () => cluster,
    token: TOKEN,
    measure: () => Promise.reject(new Error('of nobody')),
    serving: () => serving,
    refreshModels: async (provider) => {
      refreshed.push(provider);
      return provider === 'none' ? null : [];
    },
    log: () => {},
  });
});
test.before.each(() => {
  const operator = { ps: async () => ({ nodes: [] }), inspect: async () => null };
  cluster = { operator } as unknown as Cluster;
  serving = true;
});
test.after(() => server.close());

/** Status and body of one request, its target sent as it stands. */
async function asked(method: string, target: string, token: string | null = TOKEN): Promise<string> {
  const credential = token === null ? '' : `Authorization: Bearer ${token}\r\n`;
  const bytes = `${method} ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${credential}\r\n`;
  const answer = await rawExchange(server.url, bytes);
  return `${answer.slice('HTTP/1.1 '.length, 'HTTP/1.1 '.length + 3)} ${answer.split('\r\n\r\n')[1]?.trim()}`;
}

const MISSING = '404 {"error":"Not found"}';
const DENIED = '401 {"error":"Missing or invalid operator token"}';
const HEALTHY = '200 {"status":"ok"}';
const LISTED = '200 {"nodes":[]}';
const ABSENT = '404 {"error":"account:a is absent"}';
const NO_ADDRESS = '400 {"error":"address must be kind:owner or kind:owner/local"}';

/** What each request is answered with the token, and without one. */
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
  ['GET', '/ps', LISTED, DENIED],
  ['GET', '/ps?x', LISTED, DENIED],
  ['GET', '/ps/', MISSING, DENIED],
  ['GET', '/inspect?address=account:a', ABSENT, DENIED],
  ['GET', '/inspect?address=account%3Aa', ABSENT, DENIED],
  ['GET', '/why?address=account:a&address=b', ABSENT, DENIED],
  ['GET', '/why?address=b&address=account:a', NO_ADDRESS, DENIED],
  ['GET', '/why', NO_ADDRESS, DENIED],
  ['GET', '/metrics', '500 {"error":"Internal Server Error"}', DENIED],
  ['POST', '/models/refresh', '200 {"data":[]}', DENIED],
  ['POST', '/models/refresh?provider=none', '404 {"error":"no provider is called none"}', DENIED],
  ['GET', '/models/refresh', MISSING, DENIED],
  ['POST', '/models/refresh/', MISSING, MISSING],
  ['POST', '/ps', MISSING, MISSING],
  ['POST', '/health', MISSING, MISSING],
  ['OPTIONS', '/health', MISSING, MISSING],
  ['DELETE', '/models/refresh', MISSING, MISSING],
];

it('every spelling of a request has its one answer, with the token and without', async () => {
  for (const [method, target, permitted, denied] of ROWS) {
    assert.is(await asked(method, target), permitted, `${method} ${target}`);
    for (const token of [null, 'x']) assert.is(await asked(method, target, token), denied, `${method} ${target}`);
  }
  assert.equal(refreshed, [null, 'none']);
  assert.is(await asked('HEAD', '/health'), '404 ');
});

it('a node that starts tells its health alone, one that does not serve refreshes nothing', async () => {
  serving = false;
  assert.is(await asked('GET', '/ready'), '503 {"status":"not ready"}');
  assert.match(await asked('POST', '/models/refresh'), /^503 /);
  cluster = null;
  assert.is(await asked('GET', '/health'), HEALTHY);
  for (const path of ['/ps', '/nothing']) {
    assert.is(await asked('GET', path), '503 {"error":"The node is starting"}');
    assert.is(await asked('GET', path, null), DENIED);
  }
});

test.run();
