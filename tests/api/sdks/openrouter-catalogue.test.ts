import { OpenRouter } from '@openrouter/sdk';
import * as errors from '@openrouter/sdk/models/errors';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import { openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

/** The catalogue calls of an SDK that validates every member of every answer. */
const it = bounded(test);
const { cluster, send } = await openApi(test, openCluster);
const apiKey = (await cluster.fund('10')).key;
const client = new OpenRouter({ apiKey, serverURL: cluster.baseUrls[0] as string, retryConfig: { strategy: 'none' } });

interface Read {
  readonly status: number;
  readonly headers: Headers;
  readonly body: { readonly data: unknown };
}

async function read(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Read> {
  const response = await fetch(`${cluster.baseUrls[0]}${path}`, { headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? { data: null } : JSON.parse(text) };
}

it('lists, filters and counts models', async () => {
  const ids = async (request: Parameters<typeof client.models.list>[0]): Promise<readonly string[]> =>
    (await client.models.list(request)).result.data.map(({ id }) => id).sort();
  const all = await ids({});
  assert.is((await client.models.count()).data.count, all.length);
  assert.equal(await ids({ q: 'painter' }), ['sim/painter']);
  assert.equal(await ids({ outputModalities: 'image', zdr: 'true' }), ['sim/painter']);
  assert.equal(await ids({ providers: 'sim-d' }), ['sim/scribe', 'sim/thinker']);
  assert.ok((await ids({ maxPrice: 0.5 })).includes('sim/fast'));
  assert.not.ok((await ids({ minPrice: 0.6 })).includes('sim/fast'));
  assert.equal(await ids({ modelAuthors: 'nobody' }), []);
  assert.equal(await ids({ category: 'programming' }), []);
  const { body } = await read('/models?category=programming&q=fast');
  assert.equal((body as unknown as Record<string, unknown>).unsupported_filters, ['category']);
});

it('reads one model, wrapped, and the models of a key (rule C10)', async () => {
  const { data } = await client.models.get({ author: 'sim', slug: 'thinker' });
  assert.is(data.id, 'sim/thinker');
  assert.ok(data.reasoning?.supportedEfforts?.includes('none'));
  const error = await client.models.get({ author: 'sim', slug: 'none' }).catch((thrown: unknown) => thrown);
  assert.instance(error, errors.OpenRouterError);
  assert.is((error as errors.OpenRouterError).statusCode, 404);
  const own = await read('/models/user', { authorization: `Bearer ${apiKey}` });
  assert.is((own.body.data as unknown[]).length, (await client.models.count()).data.count);
  assert.is(own.headers.get('cache-control'), 'private, no-cache');
  assert.is((await read('/models/user')).status, 401);
});

it('the models of a key are those of its workspace: fewer where it requires zero data retention (rule C11)', async () => {
  const { account } = await cluster.fund('1');
  const manager = await cluster.issue(account, { kind: 'management', name: 'manager' });
  const make = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const headers = { authorization: `Bearer ${manager.key}`, 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await fetch(`${cluster.baseUrls[0]}${path}`, init);
    assert.is(response.status, 201);
    return (await response.json()) as Record<string, unknown>;
  };
  const idsFor = async (zdr: boolean): Promise<readonly string[]> => {
    const { data } = await make('/workspaces', { name: `zdr ${zdr}`, slug: `zdr-${zdr}`, zdr });
    const { key } = await make('/keys', { name: 'one', workspace_id: (data as { id: string }).id });
    const { body } = await read('/models/user', { authorization: `Bearer ${key}` });
    return (body.data as { id: string }[]).map(({ id }) => id);
  };
  const ids = async (path: string): Promise<readonly string[]> =>
    ((await read(path)).body.data as { id: string }[]).map(({ id }) => id);
  assert.equal(await idsFor(false), await ids('/models'));
  assert.equal(await idsFor(true), await ids('/models?zdr=true'));
  assert.is.not((await ids('/models?zdr=true')).length, (await ids('/models')).length);
});

it('lists providers, and endpoints with zero data retention', async () => {
  const { data: providers } = await client.providers.list();
  assert.equal(
    providers.map(({ slug, headquarters }) => [slug, headquarters]),
    [
      ['sim-a', 'DE'],
      ['sim-b', 'US'],
      ['sim-c', 'CH'],
      ['sim-d', 'FR'],
    ],
  );
  assert.equal(providers[2]?.datacenters, ['CH', 'DE']);
  assert.equal(await refusedMembers(client.endpoints.listZdrEndpoints()), DIFFERING);
  const { data } = (await read('/endpoints/zdr')).body as { data: { provider_slug: string }[] };
  assert.equal([...new Set(data.map(({ provider_slug }) => provider_slug))], ['sim-c']);
});

/** Two members are null and a boolean here, where this SDK has objects. */
const DIFFERING = ['perf_last_30m_by_workload', 'supports_tool_choice'];

/** Names of the members that the SDK's validation of an answer with endpoints refuses. */
async function refusedMembers(call: Promise<unknown>): Promise<readonly string[]> {
  const error = (await call.then(
    () => null,
    (thrown: unknown) => thrown,
  )) as errors.ResponseValidationError | null;
  const lines = (error?.pretty() ?? '').split('\n').filter((line) => line.includes('at data'));
  return [...new Set(lines.map((line) => line.replace(/^.*\[\d+\]\./, '')))].sort();
}

it('lists the endpoints of a model, every other member of them in the form of the SDK', async () => {
  for (const slug of ['fast', 'vision', 'thinker', 'painter', 'tiered']) {
    assert.equal(await refusedMembers(client.endpoints.list({ author: 'sim', slug })), DIFFERING, slug);
  }
  const unknown = await client.endpoints.list({ author: 'sim', slug: 'none' }).catch((thrown: unknown) => thrown);
  assert.is((unknown as errors.OpenRouterError).statusCode, 404);
  const { result: own } = await client.models.listForUser({ bearer: apiKey });
  const { count } = (await client.models.count()).data;
  assert.equal([own.data.length, own.totalCount, own.links.next], [count, count, null]);
});

it('serves benchmarks and families, and 404 for a model without an endpoint (rule C10)', async () => {
  const { body } = await read('/models/sim/fast/benchmarks');
  for (const score of body.data as object[]) assert.equal(Object.keys(score).slice(0, 2), ['dataset', 'score']);
  assert.type((body as unknown as { benchmarks_note: string }).benchmarks_note, 'string');
  assert.equal((await read('/families')).body.data, [], 'none of these documents declares one');
  for (const path of [
    '/models/sim/none/benchmarks',
    '/models/sim/none/endpoints',
    '/model/sim/none',
    '/models/no%2Fne',
  ])
    assert.is((await read(path)).status, 404, path);
  for (const path of ['/models/sim%2Ffast/endpoints', '/models/..%2Fsim/fast', '/models/sim%252Ffast', '/models//fast'])
    assert.is((await read(path)).status, 404, path);
});

it('answers 304 to a client that holds the answer, and gzip to one that accepts it', async () => {
  const first = await read('/models');
  const tag = String(first.headers.get('etag'));
  assert.is(first.headers.get('cache-control'), 'public, max-age=30');
  const again = await send('/models', { key: null, headers: { 'if-none-match': tag } });
  assert.equal([again.status, await again.text(), again.headers.get('etag')], [304, '', tag]);
  assert.is(first.headers.get('content-encoding'), 'gzip', 'fetch accepts gzip');
  const plain = await send('/models', { key: null, headers: { 'accept-encoding': 'identity' } });
  assert.is(plain.headers.get('content-encoding'), null);
  assert.equal(await plain.json(), first.body);
  const head = await send('/models', { method: 'HEAD', key: null });
  assert.equal([head.status, await head.text(), head.headers.get('etag')], [200, '', tag]);
});

it('public statistics count what five accounts did, and nothing that fewer did (rule C13)', async () => {
  const ask = async (key: string, model: string): Promise<void> => {
    const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }] });
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const response = await fetch(`${cluster.baseUrls[0]}/chat/completions`, { method: 'POST', headers, body });
    assert.is(response.status, 200, await response.text());
  };
  for (let account = 0; account < 5; account++) {
    const { key } = await cluster.fund('1');
    await ask(key, 'sim/small');
    if (account < 4) await ask(key, 'sim/reasoner');
  }
  const { body, headers } = await read('/stats/public');
  const data = body.data as { requests: number; top_models: { model: string }[]; daily: { requests: number }[] };
  assert.is(headers.get('cache-control'), 'public, max-age=60');
  const models = data.top_models.map(({ model }) => model);
  assert.ok(models.includes('sim/small'));
  assert.not.ok(models.includes('sim/reasoner'));
  assert.ok(data.requests >= 5);
  assert.is(
    data.daily.reduce((sum, { requests }) => sum + requests, 0),
    data.requests,
  );
});

test.run();
