/**
 * A node is killed while a batch, a stream and a video are open in the console of another: all of them go on there, and the
 * takeover can be played again from what is stored of it.
 */
import type { BrowserContext, Page } from 'playwright-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Simulator, startSimulator } from '../../../gateway/simulator/simulator.ts';
import { openAccounts } from '../../chaos/bank.ts';
import { bounded } from '../../support/bounded.ts';
import { axeFindings, closeBrowser, openContext, overflow, screenshot } from '../../support/browser.ts';
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
    nodes: ['n1', 'n2'].map((name) => ({ name, grpc: '127.0.0.1:0', operator: '127.0.0.1:0' })),
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

/** The provider holds every line, render and stream until the test releases them. */
const HELD = { hold: 'work' };

interface Work {
  readonly batch: string;
  readonly video: string;
  /** Ids, and what their clients receive to the end; null where the connection ends before it. */
  readonly streams: readonly { readonly id: string; readonly text: Promise<string | null> }[];
}

async function startWork(): Promise<Work> {
  const line = { model: 'sim/fast', messages: told({ tokens: 5, ...HELD }) };
  const requests = Array.from({ length: 4 }, (_, at) => ({ custom_id: `line ${at}`, body: line }));
  const prompt = `a lake @sim ${JSON.stringify({ render_ms: 0, ...HELD })}`;
  const batch = await made('/batches', { endpoint: '/v1/chat/completions', requests });
  const video = await made('/videos', { model: 'sim/filmstrip', prompt, duration: 1, resolution: '480p' });
  const streams = [];
  for (let i = 0; i < STREAMS; i++) {
    const body = { model: 'sim/fast', messages: told({ tokens: 40, ...HELD }), stream: true };
    const answer = await client().send('/chat/completions', { body });
    streams.push({ id: answer.headers.get('x-generation-id') ?? '', text: answer.text().catch(() => null) });
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

it('a batch, a stream and a video go on in the console while a node is killed, and its takeover is played again', async () => {
  const context = await openContext('light', { viewport: { width: 1_280, height: 900 }, bypassCSP: true });
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
  const rowOf = (id: string) => now.getByRole('row', { name: id });
  await rowOf(streams[0]?.id as string).waitFor();
  const [batchPage, videoPage] = [
    await openAt(context, origin, actorPath(batch)),
    await openAt(context, origin, actorPath(video)),
  ];
  for (const page of [batchPage, videoPage]) await page.locator('svg .state.lit').first().waitFor();
  const epoch = await epochOf(batchPage);
  assert.is(await batchPage.locator('svg .state.lit', { hasText: 'completed' }).count(), 0, 'it is still at work');
  process.kill(victim.pid, 'SIGKILL');

  await now.getByRole('region', { name: 'Newest takeovers' }).getByText(victim.name).first().waitFor();
  await screenshot(now, 'killed-now');
  for (const simulator of simulators) simulator.release(HELD.hold);
  for (const page of [batchPage, videoPage]) {
    await page.locator('svg .state.lit', { hasText: 'completed' }).waitFor({ timeout: 120_000 });
  }
  assert.ok((await epochOf(batchPage)) > epoch, 'another node went on with it');
  const texts = await Promise.all(streams.map(({ text }) => text));
  assert.ok(
    texts.some((text) => text?.includes('[DONE]')),
    'a stream of the surviving node went on to its end',
  );
  await screenshot(batchPage, 'killed-batch');

  await batchPage.goto(`${origin}/console/cluster`);
  const events = batchPage.getByRole('region', { name: 'Events of the cluster' });
  await events.getByRole('row').filter({ hasText: 'died' }).getByRole('link', { name: 'Replay' }).first().click();
  await replayed(batchPage, { batch, victim: victim.name });
  await batchPage.goto(`${origin}/console/cluster`);
  await batchPage.getByRole('region', { name: 'Nodes of the cluster' }).getByText('SIGKILL').first().waitFor();
  await screenshot(batchPage, 'killed-cluster');
  await batchPage.goto(`${origin}/console/alarms`);
  await batchPage.getByText(`The node ${victim.name} was started again once`).first().waitFor();
  await screenshot(batchPage, 'killed-alarms');
  await context.close();
});

/** The page of the takeover: what happened in which order, played from its begin, on a screen and on a phone. */
async function replayed(
  page: Page,
  { batch, victim }: { readonly batch: string; readonly victim: string },
): Promise<void> {
  await page.getByRole('heading', { level: 1, name: 'Takeover' }).waitFor();
  const moments = page.locator('.moments li');
  await moments.filter({ hasText: batch }).first().waitFor();
  const phases = await page.locator('.moments .badge').allInnerTexts();
  const order = ['beat', 'died', 'claimed', 'committed', 'resumed'].map((phase) => phases.indexOf(phase));
  assert.ok(
    !order.includes(-1) && order.every((at, nth) => nth === 0 || at > (order[nth - 1] as number)),
    phases.join(),
  );
  assert.match(await moments.first().innerText(), victim);

  await page.getByRole('slider').fill('0');
  const legend = page.locator('.legend').first();
  assert.match(await legend.innerText(), /without owner: 0/);
  assert.is(await page.locator('.moments [aria-current]').innerText(), await moments.first().innerText());
  await page.getByRole('button', { name: 'Play' }).click();
  await page.getByRole('button', { name: 'Play' }).waitFor({ timeout: 60_000 });
  assert.is(await page.locator('.moments .later').count(), 0, 'it played to its end');
  assert.match(await legend.innerText(), new RegExp(`${victim}: 0\\b`));
  for (const [width, look] of LOOKS) {
    await page.setViewportSize({ width, height: 900 });
    // A link fades to its colour in the other scheme.
    await page.emulateMedia({ colorScheme: look, reducedMotion: 'reduce' });
    assert.is(await overflow(page), 0, `${width} px`);
    assert.equal(await axeFindings(page), [], `${width} px, ${look}`);
    await screenshot(page, `killed-takeover-${width}-${look}`);
  }
  await page.setViewportSize({ width: 1_280, height: 900 });
  await page.emulateMedia({ colorScheme: 'light' });
}

const LOOKS = [
  [1_280, 'light'],
  [390, 'dark'],
] as const;

test.run();
