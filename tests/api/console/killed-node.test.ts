/** A node is killed while a batch, a stream and a video are open in the console of another: all of them go on there. */
import type { BrowserContext, Page } from 'playwright-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Simulator, startSimulator } from '../../../gateway/simulator/simulator.ts';
import { openAccounts } from '../../chaos/bank.ts';
import { bounded } from '../../support/bounded.ts';
import { closeBrowser, openContext, screenshot } from '../../support/browser.ts';
import { buildFirst } from '../../support/cluster/build-first.ts';
import { LaunchedCluster } from '../../support/cluster/launched-cluster.ts';
import { simulatedProvider } from '../../support/provider/simulated-provider.ts';
import { clientOf } from '../client.ts';

const it = bounded(test, 240_000);
const STREAMS = 3;
const PROVIDERS = ['sim-a', 'sim-v'];

let cluster: LaunchedCluster;
let simulators: readonly Simulator[];
let account: string;
let key: string;

test.before(async () => {
  await buildFirst();
  simulators = await Promise.all(PROVIDERS.map((name) => startSimulator({ name })));
  cluster = await LaunchedCluster.start({
    nodes: ['n1', 'n2', 'n3'].map((name) => ({ name, grpc: '127.0.0.1:0', operator: '127.0.0.1:0' })),
    providers: simulators.map(({ baseUrl }, at) => simulatedProvider(PROVIDERS[at] as string, baseUrl)),
  });
  const [opened] = await openAccounts(cluster, 1, '100');
  account = (opened?.account ?? '').replace('account:', '');
  key = opened?.key ?? '';
});
test.after(async () => {
  await closeBrowser();
  await cluster.stop();
  await Promise.all(simulators.map((simulator) => simulator.close()));
});

const nodes = () => cluster.connection()?.nodes ?? [];
const client = () => clientOf({ baseUrls: [cluster.baseUrl] }, key);
const told = (directive: object) => [{ role: 'user', content: `@sim ${JSON.stringify(directive)}` }];

async function made(path: string, body: object): Promise<string> {
  const answer = await client().ask<{ readonly id: string }>(path, { body });
  assert.ok(answer.status < 300, answer.text);
  return answer.body.id;
}

/** Slow enough to outlast the kill. */
async function startWork(): Promise<{ readonly batch: string; readonly video: string; readonly streams: string[] }> {
  const line = { model: 'sim/fast', messages: told({ tokens: 500, tps: 20 }) };
  const requests = Array.from({ length: 8 }, (_, at) => ({ custom_id: `line ${at}`, body: line }));
  const prompt = `a lake @sim ${JSON.stringify({ render_ms: 25_000 })}`;
  const batch = await made('/batches', { endpoint: '/v1/chat/completions', requests });
  const video = await made('/videos', { model: 'sim/filmstrip', prompt, duration: 1, resolution: '480p' });
  const streams: string[] = [];
  for (let i = 0; i < STREAMS; i++) {
    const body = { model: 'sim/fast', messages: told({ tokens: 2_000, tps: 50 }), stream: true };
    const answer = await client().send('/chat/completions', { body });
    streams.push(answer.headers.get('x-generation-id') ?? '');
    answer.text().catch(() => '');
  }
  return { batch: `batch:${account}/${batch}`, video: `video-job:${account}/${video}`, streams };
}

async function openAt(context: BrowserContext, origin: string, path: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${origin}/console${path}`);
  return page;
}

const actorPath = (address: string): string => `/actors/${encodeURIComponent(address)}`;

/** The epoch of the actor's newest step: it rises with each takeover of its shard. */
async function epochOf(page: Page): Promise<number> {
  const steps = page.getByRole('region', { name: 'Last transitions, newest first' });
  return Number(await steps.locator('[data-name=Epoch]').first().innerText());
}

it('a batch, a stream and a video go on in the console while a node is killed', async () => {
  const context = await openContext('light', { viewport: { width: 1_280, height: 900 } });
  const { batch, video, streams } = await startWork();
  const token = cluster.connection()?.operator_token ?? '';
  const asked = { headers: { authorization: `Bearer ${token}` } };
  const owner = (await (
    await fetch(`${nodes()[0]?.operator_url}/api/actors/${encodeURIComponent(batch)}`, asked)
  ).json()) as { readonly node: string };
  const victim = nodes().find(({ name }) => name === owner.node);
  const origin = nodes().find(({ name }) => name !== owner.node)?.operator_url ?? '';
  assert.ok(victim, JSON.stringify(owner));

  const now = await openAt(context, origin, `/#token=${token}`);
  await now.getByRole('row', { name: streams[0] as string }).waitFor();
  const [batchPage, videoPage] = [
    await openAt(context, origin, actorPath(batch)),
    await openAt(context, origin, actorPath(video)),
  ];
  await batchPage.locator('svg .state.lit').first().waitFor();
  await videoPage.locator('svg .state.lit').first().waitFor();
  const epoch = await epochOf(batchPage);
  assert.is(await batchPage.locator('svg .state.lit', { hasText: 'completed' }).count(), 0, 'it is still at work');
  process.kill(victim.pid, 'SIGKILL');

  await now.getByRole('region', { name: 'Newest takeovers' }).getByText(victim.name).first().waitFor();
  const surviving = now.getByRole('row').filter({ hasText: 'streaming' }).filter({ hasNotText: victim.name }).first();
  const tokens = async () => Number((await surviving.locator('[data-name=Tokens]').innerText()).replaceAll(',', ''));
  const before = await tokens();
  while ((await tokens()) <= before);
  await screenshot(now, 'killed-now');

  for (const page of [batchPage, videoPage]) {
    await page.locator('svg .state.lit', { hasText: 'completed' }).waitFor({ timeout: 120_000 });
  }
  assert.ok((await epochOf(batchPage)) > epoch, 'another node went on with it');
  await screenshot(batchPage, 'killed-batch');
  await batchPage.goto(`${origin}/console/cluster`);
  await batchPage.getByRole('region', { name: 'Events of the cluster' }).getByText('died').first().waitFor();
  await screenshot(batchPage, 'killed-cluster');
  await context.close();
});

test.run();
