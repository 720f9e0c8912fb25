import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ActorEvent, type Cluster, type Json, systemClock } from '../../../actors/runtime/index.ts';
import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import config from '../../../cluster.config.ts';
import { declare } from '../../../gateway/catalogue/declare/declare.ts';
import { Prober, type ProberParts } from '../../../gateway/catalogue/declare/prober.ts';
import { modelEndpoints } from '../../../gateway/catalogue/endpoint-listings.ts';
import { endpointObject } from '../../../gateway/catalogue/endpoints.ts';
import { catalogueModels, findBareModel, findModel } from '../../../gateway/catalogue/models.ts';
import { Pools } from '../../../gateway/outbound/pools.ts';
import type { ProviderDeclaration } from '../../../gateway/terms/provider-declaration.ts';
import { MODEL } from '../../fixtures/models/plain.ts';
import { bounded } from '../../support/bounded.ts';
import { board, boardEndpoint } from '../../support/model/endpoints.ts';
import { ManualClock } from '../outbound/manual-clock.ts';
import { readListing } from './read-listing.ts';

const it = bounded(test);
const NOW = 1_760_000_000_000;
interface Sent {
  readonly to: string;
  readonly event: ActorEvent;
}

function pretend(endpoints: ReadonlyMap<string, Json> = new Map()): { cluster: Cluster; sent: Sent[] } {
  const sent: Sent[] = [];
  const cluster = {
    ask: async (to: string, event: ActorEvent) => {
      sent.push({ to, event });
      return { changed: true };
    },
    tell: (to: string, event: ActorEvent) => void sent.push({ to, event }),
    owns: (address: string) => !address.endsWith('foreign'),
    board: {
      topic: (name: string) => (name === 'endpoints' ? endpoints : new Map([['gone', {}]])),
      onChange: () => () => {},
    },
  };
  return { cluster: cluster as unknown as Cluster, sent };
}

const logged: object[] = [];
const log = (record: object, message: string) => void logged.push({ ...record, message });
const proberOf = (cluster: Cluster, over: Partial<ProberParts> = {}) =>
  new Prober({
    ...{ cluster, clock: systemClock, outbound, credentialsOf: () => [], modelsPathOf: () => '/models' },
    ...{ upstream: { ...config.upstream, probeTimeoutMs: 20_000 }, log: { info: log, warn: log }, ...over },
  });

const outbound = new Pools({
  clock: systemClock,
  lease: { connected: true },
  connectionsPerOriginMax: 8,
  connectMs: 1_000,
});
/** Called with a request for a model list that hangs; its probe has a clock of its own. */
let hung = (response: ServerResponse): void => void response.end();
const server = createServer((request, response) => {
  if (request.url === '/models.json?v=1') response.end(JSON.stringify({ data: [MODEL] }));
  else if (request.url === '/v1/models' || request.url === '/v3/models?api-version=2') response.end('{}');
  else if (request.url === '/hung/models') hung(response);
  else if (request.url?.startsWith('/status/')) response.writeHead(Number(request.url.split('/')[2])).end('no');
  else response.writeHead(500).end('no');
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

function provider(slug: string, models: ProviderDeclaration['models']): ProviderDeclaration {
  return { slug, name: slug.toUpperCase(), baseUrl: `${origin}/v1`, models };
}

it('reads documents from the config, a file and a URL; an invalid one leaves its endpoints unchanged', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-'));
  await writeFile(join(folder, 'models.json'), JSON.stringify({ data: [MODEL] }));
  const kept = boardEndpoint('bad', `${origin}/v1`, { id: 'm/kept' });
  const dropped = boardEndpoint('inline', `${origin}/v1`, { id: 'm/old' });
  const foreign = boardEndpoint('gone', `${origin}/v1`);
  const { cluster, sent } = pretend(board(kept, dropped, foreign));
  const providers = [
    provider('inline', { data: [MODEL] }),
    provider('file', join(folder, 'models.json')),
    provider('web', `${origin}/models.json?v=1`),
    provider('bad', `${origin}/broken`),
    provider('lost', 'no-such-file.json'),
    provider('device', '/dev/null'),
  ];
  const outcomes = await declare({ cluster, outbound, upstream: config.upstream, keys: new Map(), providers });
  await rm(folder, { recursive: true });
  const problems = outcomes.filter(({ problem }) => problem !== null);
  assert.equal(
    problems.map(({ provider: slug }) => slug),
    ['bad', 'lost', 'device'],
  );
  assert.match(problems[0]?.problem ?? '', /broken: answered 500$/);
  assert.is(problems[1]?.problem, 'no-such-file.json: there is no such file');
  assert.is(problems[2]?.problem, '/dev/null: is not a file', 'a device may have no end');
  const declared = sent
    .filter(({ event }) => event.type === 'endpoint.declare')
    .map(({ event }) => event.declaration as unknown as Endpoint);
  assert.equal(
    declared.map((each) => each.provider.slug),
    ['inline', 'file', 'web'],
  );
  assert.is(new Set(declared.map(({ id }) => id)).size, 3);
  assert.is(new Set(declared.map(({ tariff }) => tariff.id)).size, 1, 'the same prices are the same tariff');
  assert.equal(declared[0]?.supportedParameters, ['temperature', 'tools']);
  const withdrawn = sent.filter(({ event }) => event.type.endsWith('.withdraw')).map(({ to }) => to);
  assert.equal(withdrawn, [`endpoint:${dropped.id}`, `endpoint:${foreign.id}`, 'provider:gone']);
});

it('probes each base URL once for the endpoints whose actors live here, and reports to each of them', async () => {
  const well = [boardEndpoint('a', `${origin}/v1`, { id: 'm/1' }), boardEndpoint('a', `${origin}/v1`, { id: 'm/2' })];
  const ill = boardEndpoint('b', `${origin}/v2`);
  const foreign = { ...boardEndpoint('c', `${origin}/v1`), id: 'foreign' };
  const { cluster, sent } = pretend(board(...well, ill, foreign));
  const prober = proberOf(cluster);
  await prober.round();
  const ok = new Map(sent.map(({ to, event }) => [to, event.failure]));
  assert.is(ok.size, 3);
  assert.equal(
    [...well, ill].map(({ id }) => ok.get(`endpoint:${id}`)),
    [null, null, { category: 'status', text: 'status 500' }],
  );
});

it('the address of a probe has the declared parameters', async () => {
  const declared = boardEndpoint('a', `${origin}/v3`);
  const wire = { query: { 'api-version': '2' } };
  const endpoint = { ...declared, target: { ...declared.target, wire } };
  const { cluster, sent } = pretend(board(endpoint));
  await proberOf(cluster).round();
  assert.equal(
    sent.map(({ event }) => event.failure),
    [null],
  );
});

it('a provider without a route for its models is not called down by its probes', async () => {
  const answers = [403, 404, 405, 410, 501];
  const failures = [401, 402, 429, 500, 502, 503];
  const endpoints = [...answers, ...failures].map((status) =>
    boardEndpoint(`p${status}`, `${origin}/status/${status}`),
  );
  const { cluster, sent } = pretend(board(...endpoints));
  const prober = proberOf(cluster);
  await prober.round();
  const ok = new Map(sent.map(({ to, event }) => [to, event.failure]));
  assert.equal(
    endpoints.map(({ id }) => ok.get(`endpoint:${id}`)),
    [...answers.map(() => null), ...failures.map((status) => ({ category: 'status', text: `status ${status}` }))],
  );
});

it('a failing probe has the text of the operating system; a call that our own side ended reports nothing', async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => closed.once('listening', resolve));
  const { port } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  const gone = board(boardEndpoint('gone', `http://127.0.0.1:${port}/v1`));
  const { cluster, sent } = pretend(gone);
  await proberOf(cluster).round();
  const text = `connection refused (connect ECONNREFUSED 127.0.0.1:${port})`;
  assert.equal(sent[0]?.event.failure, { category: 'connect', text });
  const lost = pretend(gone);
  const lease = { connected: false };
  const away = new Pools({ clock: systemClock, lease, connectionsPerOriginMax: 8, connectMs: 20 });
  const upstream = { ...config.upstream, probeTimeoutMs: 20 };
  await proberOf(lost.cluster, { outbound: away, upstream }).round();
  assert.equal(lost.sent, []);
  await away.close();
});

it('a model list that hangs is a time-out of its answer; the log says it at the second failure and at its end', async () => {
  const clock = new ManualClock();
  const lease = { connected: true };
  const patient = new Pools({ clock, lease, connectionsPerOriginMax: 8, connectMs: 20_000 });
  const { cluster, sent } = pretend(board(boardEndpoint('hung', `${origin}/hung`)));
  const prober = proberOf(cluster, { outbound: patient });
  const lines = (): readonly unknown[] => logged.splice(0).map((one) => Object.values(one));
  hung = () => clock.advance(20_000);
  await prober.round();
  const late = { category: 'first-byte-timeout', text: 'no answer within 20000 ms' };
  assert.equal(sent[0]?.event.failure, late);
  assert.equal(lines(), [], 'a single failure');
  for (let round = 0; round < 3; round++) await prober.round();
  assert.equal(lines(), [['hung', ...Object.values(late), "a provider's model list fails"]]);
  hung = (response) => void response.end('{}');
  await prober.round();
  assert.equal(lines(), [['hung', "a provider's model list answers again"]]);
  await patient.close();
});

it('the cheapest endpoint supplies the summary of a model, with every member that strict clients need (rule C1, rule C2)', () => {
  const endpoints = board(
    boardEndpoint('dear', 'http://x/v1', {
      id: 'm/one',
      pricing: { prompt: '0.2', completion: '0.1' },
      supportedParameters: ['seed'],
    }),
    boardEndpoint('cheap', 'http://x/v1', {
      id: 'm/one',
      pricing: { prompt: '0.1', completion: '0.3' },
      supportedParameters: ['tools'],
    }),
    boardEndpoint('free', 'http://x/v1', { id: 'm/new', created: 1_760_000_000, pricing: { completion: '0' } }),
  );
  assert.equal(
    catalogueModels(endpoints).map(({ id }) => id),
    ['m/new', 'm/one'],
  );
  const summary = findModel(endpoints, 'm/one');
  assert.equal(summary?.pricing, { prompt: '0.1', completion: '0.3', discount: 0 });
  assert.equal(JSON.parse(JSON.stringify(findModel(endpoints, 'm/new')?.pricing)), { completion: '0', discount: 0 });
  assert.equal(summary?.supported_parameters, ['seed', 'tools']);
  assert.is(summary?.endpoint_count, 2);
  assert.equal(summary?.links, { details: '/api/v1/models/m/one/endpoints' });
  for (const member of ['supported_voices', 'per_request_limits', 'expiration_date'])
    assert.is(summary?.[member], null);
  assert.equal(summary?.default_parameters, {});
  const bare = findBareModel(endpoints, 'm/one');
  assert.is(bare?.object, 'model');
  assert.is(bare?.owned_by, 'm');
  assert.is(findModel(endpoints, 'm/none'), null);
  assert.is(catalogueModels(endpoints), catalogueModels(endpoints), 'computed once per board');
});

it('endpoints are ordered by provider slug, unmeasured figures are null and sample counts are as scanned (rule C25, rule C30)', () => {
  const endpoints = board(
    boardEndpoint('b', 'http://x/v1', { id: 'm/one' }),
    boardEndpoint('a', 'http://secret/v1', { id: 'm/one', quantization: 'fp8' }),
  );
  const { data } = readListing<{ data: { endpoints: readonly Record<string, unknown>[] } }>(
    modelEndpoints(endpoints, 'm/one', NOW),
  );
  assert.equal(
    data.endpoints.map(({ tag }) => tag),
    ['a/fp8', 'b'],
  );
  const [first] = data.endpoints;
  if (first === undefined) throw new Error('no endpoint is listed');
  assert.is(first.name, 'A | m/one');
  assert.is(first.uptime_last_30m, null);
  assert.is(first.uptime_last_30m_samples, 0);
  assert.is(first.ttft_last_30m, null);
  assert.is(first.status, 0);
  assert.is(first.supports_tool_choice, true);
  assert.is(first.tool_call_success_1d, null);
  assert.not.match(JSON.stringify(data), /secret/);
  assert.is(modelEndpoints(endpoints, 'm/none', NOW), null);
});

it('endpoints show the uptime of seven days and the seconds of whole answers, null from a node that measures neither', () => {
  const seconds = { p50: 1.5, p75: 2, p90: 3, p99: 9 };
  const endpoint = boardEndpoint('a', 'http://x/v1', { id: 'm/one' });
  const figures = { uptime7d: 99.5, response30m: seconds, response1d: { ...seconds, p50: 1 } };
  const shown = endpointObject({ ...endpoint, measured: { ...endpoint.measured, ...figures } }, NOW);
  assert.is(shown.uptime_last_7d, 99.5);
  assert.equal([shown.response_last_30m, shown.response_last_1d], [seconds, { ...seconds, p50: 1 }]);
  const { uptime7d, response30m, response1d, ...earlier } = endpoint.measured;
  const earlierShown = endpointObject({ ...endpoint, measured: earlier as Endpoint['measured'] }, NOW);
  for (const member of ['uptime_last_7d', 'response_last_30m', 'response_last_1d']) {
    assert.is(earlierShown[member], null, member);
  }
});

test.after(async () => {
  await outbound.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test.run();
