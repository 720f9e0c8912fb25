/** What pages of other origins may do. (rule E29) */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import defaults from '../../cluster.config.ts';
import { bounded } from '../support/bounded.ts';
import { startCluster } from '../support/cluster/start-cluster.ts';
import { openApi } from './client.ts';

const it = bounded(test);
const APP = 'https://app.example.com';
const { cluster } = await openApi(test, () => startCluster({ edge: { corsOrigins: [APP] }, simulators: [] }));

/** The CORS headers of an answer, without their prefix. */
function corsOf({ headers }: Response): Record<string, string> {
  const found = [...headers].filter(([name]) => name.startsWith('access-control-'));
  return Object.fromEntries(found.map(([name, value]) => [name.replace(/^access-control-(allow-)?/, ''), value]));
}

function call(path: string, origin: string, init: RequestInit & { readonly headers?: Record<string, string> } = {}) {
  return fetch(`${cluster.baseUrls[0]}${path}`, { ...init, headers: { ...init.headers, origin } });
}

it('is off by default', () => {
  assert.equal(defaults.edge.corsOrigins, []);
});

it('answers a preflight of a listed origin, and its calls name exactly that origin and no credentials (rule E29)', async () => {
  const headers = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };
  const preflight = await call('/chat/completions', APP, { method: 'OPTIONS', headers });
  assert.is(preflight.status, 204);
  const allowed = corsOf(preflight);
  assert.is(allowed.origin, APP);
  assert.match(allowed.methods ?? '', /POST/);
  assert.match(allowed.headers ?? '', /authorization/);
  assert.is(allowed.credentials, undefined);
  for (const [path, status] of [
    ['/models', 200],
    ['/chat/completions', 405],
    ['/key', 401],
  ] as const) {
    const answer = await call(path, APP);
    assert.is(answer.status, status);
    assert.equal(corsOf(answer), { origin: APP, 'expose-headers': '*' });
    assert.match(answer.headers.get('vary') ?? '', /(^|, )origin$/);
    assert.ok(answer.headers.get('x-generation-id'));
  }
});

it('names no other origin, whatever it looks like, and none outside the API (rule E29)', async () => {
  const others = [
    'null',
    'https://evil.example',
    `${APP}.evil.example`,
    APP.toUpperCase(),
    `${APP}:8443`,
    'http://app.example.com',
  ];
  for (const origin of others) {
    const headers = { 'access-control-request-method': 'POST' };
    for (const answer of [
      await call('/models', origin),
      await call('/models', origin, { method: 'OPTIONS', headers }),
    ]) {
      assert.equal(corsOf(answer), {}, origin);
    }
  }
  const root = (cluster.baseUrls[0] as string).replace('/api/v1', '');
  assert.equal(corsOf(await fetch(`${root}/`, { headers: { origin: APP } })), {});
  assert.equal(corsOf(await fetch(`${root}/api/v1x`, { headers: { origin: APP } })), {});
});

it('an OPTIONS that is no preflight is a method that no route has, as without the setting', async () => {
  assert.is((await call('/models', APP, { method: 'OPTIONS' })).status, 405);
});

test.run();
