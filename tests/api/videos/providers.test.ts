/** One model at two paid video providers: which one is asked, what it may cost, and who is paid. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Simulator, startSimulator } from '../../../gateway/simulator/simulator.ts';
import type { ProviderDeclaration } from '../../../gateway/terms/provider-declaration.ts';
import { bounded } from '../../support/bounded.ts';
import { UNLIMITED } from '../../support/cluster/shared-cluster.ts';
import { type Funded, startCluster, type TestCluster } from '../../support/cluster/start-cluster.ts';
import { modelsDocument, simulatedProvider } from '../../support/provider/simulated-provider.ts';

const it = bounded(test, 120_000);
const POLL_MS = 50;
/** What `sim-v` declares for 480p, 720p and 1080p; the other provider's rates are twice as high. */
const RATES = { '480p': 0.01, '720p': 0.02, '1080p': 0.05 } as const;

let cluster: TestCluster;
let dear: Simulator;
let funded: Funded;

test.before(async () => {
  dear = await startSimulator({ name: 'sim-dear', keep: true });
  cluster = await startCluster({ simulators: ['sim-v'], rates: UNLIMITED, providers: [dearProvider(dear.baseUrl)] });
  funded = await cluster.fund('100');
});
test.after(async () => {
  await cluster.close();
  await dear.close();
});

/** The models of `sim-v` at twice their price. */
function dearProvider(baseUrl: string): ProviderDeclaration {
  const text = JSON.stringify(modelsDocument('sim-v'));
  const models = JSON.parse(
    text.replace(/"cost_usd":"([0-9.]+)"/g, (_, cost: string) => `"cost_usd":"${Number(cost) * 2}"`),
  );
  return { ...simulatedProvider('sim-v', baseUrl), slug: 'sim-dear', name: 'Sim Dear', models };
}

interface Job {
  readonly id: string;
  readonly status: string;
  readonly generation_id?: string;
  readonly usage?: { readonly cost: number; readonly video_seconds: number };
  readonly error?: { readonly message: string; readonly metadata?: Record<string, unknown> };
}

async function call<T>(path: string, body?: object): Promise<{ readonly status: number; readonly body: T }> {
  const headers = { authorization: `Bearer ${funded.key}`, 'content-type': 'application/json' };
  const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
  const answer = await fetch(`${cluster.baseUrls[0]}${path}`, init);
  return { status: answer.status, body: (await answer.json()) as T };
}

const ask = (directive: object, members: object = {}): object => ({
  ...{ model: 'sim/filmstrip', duration: 1, resolution: '480p', provider: { sort: 'price' } },
  prompt: `a lake @sim ${JSON.stringify({ render_ms: 100, ...directive })}`,
  ...members,
});

async function rendered(directive: object, members: object = {}): Promise<Job> {
  const { status, body } = await call<Job>('/videos', ask(directive, members));
  assert.is(status, 202, JSON.stringify(body));
  for (;;) {
    const { body: job } = await call<Job>(`/videos/${body.id}`);
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

it('the cheaper provider renders, and each resolution is charged by its own tier', async () => {
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

it('the hold covers the dearest candidate, and a completed job keeps only its charge', async () => {
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

test.run();
