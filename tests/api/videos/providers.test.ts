/** Paid video providers: which one is asked, what it may cost, at which of its prices, and who is paid. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Simulator, startSimulator } from '../../../gateway/simulator/simulator.ts';
import { clip } from '../../../gateway/simulator/video/clip.ts';
import type { ProviderDeclaration } from '../../../gateway/terms/provider-declaration.ts';
import { bounded } from '../../support/bounded.ts';
import { UNLIMITED } from '../../support/cluster/shared-cluster.ts';
import { type Funded, startCluster, type TestCluster } from '../../support/cluster/start-cluster.ts';
import { type ScriptedProvider, startScriptedProvider } from '../../support/provider/scripted-provider.ts';
import { modelsDocument, simulatedProvider } from '../../support/provider/simulated-provider.ts';
import { clientOf } from '../client.ts';

const it = bounded(test, 120_000);
const POLL_MS = 50;
/** What `sim-v` declares for 480p, 720p and 1080p; the other provider's rates are twice as high. */
const RATES = { '480p': 0.01, '720p': 0.02, '1080p': 0.05 } as const;

let cluster: TestCluster;
let dear: Simulator;
let held: ScriptedProvider;
let funded: Funded;

test.before(async () => {
  dear = await startSimulator({ name: 'sim-dear', keep: true });
  held = await startScriptedProvider();
  await declareHeld([heldModel('0.004')]);
  const providers = [dearProvider(dear.baseUrl), { ...HELD, baseUrl: held.baseUrl }];
  cluster = await startCluster({ simulators: ['sim-v'], rates: UNLIMITED, providers });
  funded = await cluster.fund('100');
});
test.after(async () => {
  await cluster.close();
  await dear.close();
  await held.close();
  await rm(HELD.models);
});

/** The models of `sim-v` at twice their price. */
function dearProvider(baseUrl: string): ProviderDeclaration {
  const text = JSON.stringify(modelsDocument('sim-v'));
  const models = JSON.parse(
    text.replace(/"cost_usd":"([0-9.]+)"/g, (_, cost: string) => `"cost_usd":"${Number(cost) * 2}"`),
  );
  return { ...simulatedProvider('sim-v', baseUrl), slug: 'sim-dear', name: 'Sim Dear', models };
}

/** A provider that answers a render when the test says so, and whose document the test changes. */
const HELD = { slug: 'held', name: 'Held', models: join(tmpdir(), `troupe-held-${process.pid}.json`) } as const;

function heldModel(perSecond: string): object {
  const model = modelsDocument('sim-v')?.data.find(({ slug }) => slug === 'sim/flipbook');
  return JSON.parse(
    JSON.stringify({ ...model, slug: 'held/flipbook' }).replace('"cost_usd":"0.004"', `"cost_usd":"${perSecond}"`),
  );
}

function declareHeld(models: readonly object[]): Promise<void> {
  return writeFile(HELD.models, JSON.stringify({ data: models }));
}

interface Job {
  readonly id: string;
  readonly status: string;
  readonly generation_id?: string;
  readonly usage?: { readonly cost: number; readonly video_seconds: number };
  readonly error?: { readonly message: string; readonly metadata?: Record<string, unknown> };
}

async function call<T>(path: string, body?: object): Promise<{ readonly status: number; readonly body: T }> {
  return clientOf(cluster, funded.key).ask<T>(path, body === undefined ? {} : { body });
}

const ask = (directive: object, members: object = {}): object => ({
  ...{ model: 'sim/filmstrip', duration: 1, resolution: '480p', provider: { sort: 'price' } },
  prompt: `a lake @sim ${JSON.stringify({ render_ms: 100, ...directive })}`,
  ...members,
});

async function rendered(directive: object, members: object = {}): Promise<Job> {
  const { status, body } = await call<Job>('/videos', ask(directive, members));
  assert.is(status, 202, JSON.stringify(body));
  return ended(body);
}

async function ended({ id }: Job): Promise<Job> {
  for (;;) {
    const { body: job } = await call<Job>(`/videos/${id}`);
    if (job.status !== 'pending' && job.status !== 'in_progress') return job;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

interface Generation {
  readonly data: { readonly provider_name: string; readonly total_cost: number };
}

async function paid({ generation_id }: Job): Promise<readonly [string, number]> {
  const { body } = await call<Generation>(`/generation?id=${generation_id}`);
  return [body.data.provider_name, body.data.total_cost];
}

it('the cheaper provider renders, and each resolution is charged by its own tier (rule V15)', async () => {
  for (const [resolution, rate] of Object.entries(RATES)) {
    const job = await rendered({}, { resolution });
    assert.equal([job.status, job.usage?.cost], ['completed', rate], JSON.stringify(job));
    assert.equal(await paid(job), ['Sim V', rate]);
  }
  assert.is(dear.calls.filter(({ video }) => video?.route === 'create').length, 0);
});

it('a provider that fails is followed by the other one, which is paid by its own rate', async () => {
  const job = await rendered({ status: 503, only_on: 'sim-v', id: 'falls-back' });
  assert.equal([job.status, job.usage?.cost], ['completed', RATES['480p'] * 2], JSON.stringify(job));
  assert.equal(await paid(job), ['Sim Dear', RATES['480p'] * 2]);
  const { body } = await call<{ data: { total_usage: number } }>('/credits');
  assert.is(Number(body.data.total_usage.toFixed(9)), 0.01 + 0.02 + 0.05 + 0.02);
});

it('a price cap per second of video leaves the dearer provider out, also as a fall-back', async () => {
  const provider = { sort: 'price', max_price: { video_second: String(RATES['480p']) } };
  assert.is((await rendered({}, { provider })).usage?.cost, RATES['480p']);
  const failed = await rendered({ status: 503, only_on: 'sim-v', id: 'capped' }, { provider });
  assert.equal([failed.status, failed.usage], ['failed', undefined]);
  assert.is(dear.calls.filter(({ id, video }) => id === 'capped' && video?.route === 'create').length, 0);
  // The cap is for the rate of this request: no provider renders 1080p for it.
  const none = await call<Job>('/videos', ask({}, { provider, resolution: '1080p' }));
  assert.is(none.status, 503, JSON.stringify(none.body));
});

it('the hold covers the dearest candidate, and a completed job keeps only its charge (rule V20)', async () => {
  const held = async (): Promise<number> => {
    const { data } = (await call<{ data: { total_credits: number; total_usage: number } }>('/credits')).body;
    return data.total_credits - data.total_usage;
  };
  const before = await held();
  const job = await rendered({}, { generate_audio: true });
  assert.is(job.status, 'completed', JSON.stringify(job));
  // The rate with a soundtrack, chosen and frozen with the request.
  assert.equal(await paid(job), ['Sim V', 0.03]);
  assert.is(Number((before - (await held())).toFixed(9)), 0.03);
});

it('a price that changes while a clip renders applies to later jobs alone, and a withdrawn endpoint is paid (rule V15)', async () => {
  const renders: ServerResponse[] = [];
  held.answer = ({ body, response }) => {
    if (body.prompt === undefined) response.writeHead(404).end();
    else renders.push(response);
  };
  const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  };
  const submitted = async (): Promise<Job> => {
    const before = renders.length;
    const { status, body } = await call<Job>('/videos', { model: 'held/flipbook', prompt: 'a lake', duration: 2 });
    assert.is(status, 202, JSON.stringify(body));
    await until(() => renders.length > before);
    return body;
  };
  const delivered = async (job: Job): Promise<Job> => {
    const { body: shown } = await call<Job>(`/videos/${job.id}`);
    assert.is(shown.status, 'in_progress');
    const response = renders.at(-1);
    response?.writeHead(200, { 'content-type': 'video/mp4' });
    const spec = { seconds: 2, fps: 24, width: 1_280, height: 720, audio: false, bytesMin: 0, headLast: false };
    for (const piece of clip(spec).pieces()) response?.write(piece);
    response?.end();
    return ended(job);
  };
  const listedRate = async (): Promise<string | undefined> => {
    const { body } = await call<{ data: { id: string; pricing_skus: Record<string, string> }[] }>('/videos/models');
    return body.data.find(({ id }) => id === 'held/flipbook')?.pricing_skus.duration_seconds;
  };
  const declared = async (models: readonly object[], rate: string | undefined): Promise<void> => {
    await declareHeld(models);
    const token = (await readFile(join(cluster.folder, 'secrets', 'operator-token'), 'utf8')).trim();
    const headers = { authorization: `Bearer ${token}` };
    const path = `${cluster.nodes[0]?.operatorUrl}/api/models/refresh`;
    assert.is((await fetch(path, { method: 'POST', headers, body: '{"provider":"held","reason":"x"}' })).status, 200);
    await until(async () => (await listedRate()) === rate);
  };

  const first = await submitted();
  await declared([heldModel('0.4')], '0.4');
  const old = await delivered(first);
  assert.equal([old.status, old.usage?.cost], ['completed', 0.008], JSON.stringify(old));
  assert.equal(await paid(old), ['Held', 0.008]);

  const second = await submitted();
  await declared([], undefined);
  const last = await delivered(second);
  assert.equal([last.status, last.usage?.cost], ['completed', 0.8], JSON.stringify(last));
});

test.run();
