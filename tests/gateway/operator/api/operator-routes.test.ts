import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { AskError, systemClock } from '../../../../actors/runtime/index.ts';
import { operatorRoutes } from '../../../../gateway/operator/api/operator-routes.ts';
import type { OperatorRoute } from '../../../../gateway/operator/http/operator-route.ts';
import type { ServingState } from '../../../../gateway/terms/serving-state.ts';
import { bounded } from '../../../support/bounded.ts';
import { OPERATOR_API_PAGE, operatorApiPage } from '../../../support/operator-api-page.ts';
import { ROOT } from '../../../support/sources.ts';
import { answerTo, clusterOf, openPort, type Port, SESSIONS, TOKEN, TOKENS, VIEWER_TOKEN } from '../port.ts';

const it = bounded(test);

let port: Port;
let routes: readonly OperatorRoute[];
let readiness: ServingState = 'ready';
const refreshed: (string | null)[] = [];

test.before(async () => {
  routes = operatorRoutes({
    tokens: TOKENS,
    sessions: SESSIONS,
    oidc: null,
    clusterName: 'here',
    clock: systemClock,
    metrics: async () => ({ type: 'text/plain', body: 'troupe_ready 1' }),
    approvalAboveUsd: () => '100',
    management: {} as never,
    lowDiskBytes: 1_000,
    readiness: () => readiness,
    refreshModels: async (provider) => {
      refreshed.push(provider);
      return provider === 'none' ? null : [];
    },
    queries: { run: async () => ({ columns: ['n'], rows: [[1]], ms: 1, cut: false }) },
    config: () => ({ data: '/srv' }),
    builds: { names: [], again: async () => null },
    checkConfig: async (value) => (value === 1 ? null : 'must be 1'),
  });
  port = await openPort(routes);
});
test.before.each(() => {
  readiness = 'ready';
  port.cluster = clusterOf({
    operator: { ps: async () => ({ nodes: [] }), askHosts: async () => [], inspect: async () => null },
    board: { topic: () => new Map() },
    ask: async () => null,
  });
});
test.after(() => port.close());

async function json(method: string, target: string, body?: object): Promise<{ status: string; body: never }> {
  const text = await answerTo(port, method, target, body === undefined ? {} : { body: JSON.stringify(body) });
  return { status: text.slice(0, 3), body: JSON.parse(text.slice(4)) as never };
}

it('a viewer makes no change, and nobody without a token anything else than sign in and ask whether the node lives', async () => {
  const named = routes.map((route) => ({ ...route, name: `${route.method} ${route.path}` }));
  const open = named.filter(({ policy }) => policy === 'open').map(({ name }) => name);
  assert.equal(open.sort(), [
    'GET /',
    'GET /api/session/callback',
    'GET /api/session/oidc',
    'GET /api/session/ways',
    'GET /console',
    'GET /console/*',
    'GET /health',
    'GET /ready',
    'POST /api/session',
  ]);
  const reads = named.filter(({ method, policy }) => method !== 'GET' && policy === 'viewer').map(({ name }) => name);
  assert.equal(reads.sort(), [
    'DELETE /api/session',
    'POST /api/actors/:address/steps/:version/again',
    'POST /api/sql',
  ]);
  for (const { name, method, path, policy } of named) {
    const target = path.replaceAll(/:\w+/g, 'x');
    if (policy !== 'open') assert.match(await answerTo(port, method, target, { token: null }), /^401 /, name);
    if (policy !== 'operator') continue;
    assert.match(await answerTo(port, method, target, { token: VIEWER_TOKEN, body: '{}' }), /^403 /, name);
  }
  const again = '/api/actors/account%3Aa/steps/1/again';
  const other = await answerTo(port, 'POST', again, { token: VIEWER_TOKEN, body: '{"event":{"type":"x"}}' });
  assert.match(other, /^403 .*"member":"event"/);
});

it('the status of a node', async () => {
  assert.is(await answerTo(port, 'GET', '/ready', { token: null }), '200 {"status":"ready"}');
  readiness = 'starting';
  assert.is(await answerTo(port, 'GET', '/ready', { token: null }), '503 {"status":"starting"}');
  assert.is(await answerTo(port, 'GET', '/metrics'), '200 troupe_ready 1');
  assert.match(
    await answerTo(port, 'POST', '/api/models/refresh', { body: '{"reason":"x"}' }),
    /^503 .*the node is starting/,
  );
});

it('the cluster and the configuration', async () => {
  assert.is(await answerTo(port, 'GET', '/api/nodes'), '200 {"data":[],"next":null,"at":1000}');
  const config = '200 {"node":"n1","incarnation":"i1","state":"ready","config":{"data":"/srv"}}';
  assert.is(await answerTo(port, 'GET', '/api/config'), config);
});

it('a configuration is checked by the node, and may be large', async () => {
  const check = (config: unknown) => answerTo(port, 'POST', '/api/config/check', { body: JSON.stringify({ config }) });
  assert.is(await check(1), '200 {"fault":null}');
  assert.is(await check('x'.repeat(1024 * 1024)), '200 {"fault":"must be 1"}');
  const headers = { authorization: `Bearer ${TOKEN}` };
  const body = ' '.repeat(16 * 1024 * 1024 + 1);
  const answer = await fetch(`${port.url}/api/config/check`, { method: 'POST', headers, body });
  assert.is(answer.status, 413);
});

it('models documents are loaded again on request', async () => {
  const refresh = (body: object) => answerTo(port, 'POST', '/api/models/refresh', { body: JSON.stringify(body) });
  assert.match(await refresh({}), /^400 .*"member":"reason"/);
  assert.is(await refresh({ reason: 'x' }), '200 {"did":"loaded the models documents of every provider","data":[]}');
  assert.match(await refresh({ reason: 'x', provider: 'none' }), /^404 .*there is no provider none; /);
  assert.equal(refreshed, [null, 'none']);
});

it('an actor is looked up by its address or by an id, with the reasons of its state', async () => {
  assert.match(await answerTo(port, 'GET', '/api/actors/x'), /^400 .*"member":"address"/);
  assert.match(await answerTo(port, 'GET', '/api/why/account:a'), /^404 .*there is no account a; /);
  const found = {
    address: 'video-job:acct_1/vjob_1',
    state: 'rendering',
    version: 3,
    durableVersion: 2,
    activities: [{ runner: 'b874', runnerNode: 'n3', begun: true, lastFailure: 'timeout: no answer' }],
    deadLetters: [],
    waiting: [{ lane: 'finish', event: 'render.done', since: 900, body: {} }],
    context: { at: 'endpoint:ep_1', own: 'video-job:acct_1/vjob_1', host: 'localhost:4000' },
    rows: { attempt: [{ id: '1', body: { key: 'key:acct_1/key_9' } }] },
    outbox: [],
    explanation: ['Attempt 1 renders.', 'The activity render runs on b874: attempt 1.'],
  };
  const nodes = [
    { name: 'n1', incarnation: 'a1' },
    { name: 'n3', incarnation: 'b874' },
  ];
  const rowById = async (_: string, id: string) => (id === 'vjob_1' ? { address: found.address } : null);
  const inspect = async (address: string) => (address === found.address ? found : null);
  const actors = async () => ({ actors: [{ address: found.address, since: 800 }], next: null });
  const charts = () => ['video-job', 'account', 'endpoint', 'key'].map((kind) => ({ kind }));
  const rows = { row: async () => null, rows: async () => [], rowById };
  port.cluster = clusterOf({ operator: { inspect, rowById, actors, charts, ps: async () => ({ nodes }) }, rows });
  for (const name of [encodeURIComponent(found.address), 'vjob_1']) {
    const { body: seen } = await json('GET', `/api/actors/${name}`);
    const { explanation, waiting, activities: _, ...rest } = found;
    const failure = { code: 'timeout', message: 'no answer' };
    assert.equal(seen, {
      ...rest,
      ...{ why: explanation, label: null, tab: null, since: 800, uncommitted: 1 },
      mailbox: { system: [], finish: waiting, start: [] },
      activities: [{ running: true, runner: 'n3', incarnation: 'b874', failure }],
      links: [
        { address: 'account:acct_1', label: null, because: 'it belongs to this account' },
        { address: 'endpoint:ep_1', label: null, because: 'its state names it as at' },
        { address: 'key:acct_1/key_9', label: null, because: 'its open row 1 of attempt names it as key' },
      ],
    });
    const { body: why } = await json('GET', `/api/why/${name}`);
    const words = ['Attempt 1 renders.', 'The activity render runs on n3 (b874): attempt 1.'];
    assert.equal(why, { address: found.address, state: 'rendering', why: words });
  }
  assert.match(await answerTo(port, 'GET', '/api/actors/vjob_2'), /^404 /);
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
  port.cluster = clusterOf({ operator: { inspect } });
  const { body } = await json('GET', '/api/why/endpoint:ep_1');
  assert.equal((body as { why: readonly string[] }).why, [
    'It is down.',
    'An operator paused alpha at 2025-11-21T02:00:00.000Z (too many errors): no new call goes to it until `troupe providers resume alpha`.',
    'More.',
  ]);
});

it('a pause and its end carry their reason to the actor, which records them', async () => {
  const asked: object[] = [];
  const inspect = async (address: string) => (address === 'provider:alpha' ? {} : null);
  const ask = async (to: string, event: object) => {
    if (to !== 'provider:alpha') throw new AskError(to, { code: 'absent' });
    asked.push(event);
    return { paused: null, changed: true };
  };
  port.cluster = clusterOf({ operator: { inspect }, ask });
  const paths = ['/api/providers/alpha/pause', '/api/providers/alpha/resume'];
  const dry = await json('POST', paths[0] as string, { reason: "it's slow", dryRun: true });
  assert.equal(dry.body, {
    would: 'pause provider:alpha: no new call goes there until it is resumed, and calls under way end',
    command: "troupe providers pause alpha --reason 'it'\\''s slow'",
  });
  assert.equal(asked, []);
  for (const path of paths) {
    const { body } = await json('POST', path, { reason: 'slow' });
    assert.equal(body, { did: 'resumed provider:alpha', address: 'provider:alpha', paused: null, changed: true });
  }
  const by = { kind: 'operator', id: 'operator token', address: 'v4-127.0.0.1' };
  assert.equal(asked, [
    { type: 'provider.pause', by, reason: 'slow' },
    { type: 'provider.resume', by, reason: 'slow' },
  ]);
  const missing = await json('POST', '/api/endpoints/ep_1/pause', { reason: 'slow', dryRun: true });
  assert.is(missing.status, '404');
});

it('the published document and its page name every route', async () => {
  const { body } = await json('GET', '/api/openapi.json');
  const { paths } = body as { readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>> };
  const pause = paths['/api/providers/{slug}/pause']?.post as { readonly description: string };
  assert.is(pause.description, 'Needs the role operator.');
  assert.ok(paths['/api/openapi.json']?.get);
  const ids = Object.values(paths).flatMap((methods) =>
    Object.values(methods).map((each) => (each as { readonly operationId: string }).operationId),
  );
  assert.is(new Set(ids).size, ids.length);
  const page = readFileSync(join(ROOT, OPERATOR_API_PAGE), 'utf8');
  assert.is(page, operatorApiPage(page), 'node tests/support/operator-api-page.ts writes it again');
});

test.run();
