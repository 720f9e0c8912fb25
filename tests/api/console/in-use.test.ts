/** The console while things happen: a chart that moves, a node that is away, a session that ends, an actor that waits. */
import type { BrowserContext, Page } from 'playwright-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readToken } from '../../../gateway/operator/config/secrets.ts';
import { bounded } from '../../support/bounded.ts';
import { closeBrowser, openContext, screenshot } from '../../support/browser.ts';
import { buildFirst } from '../../support/cluster/build-first.ts';
import { UNLIMITED } from '../../support/cluster/shared-cluster.ts';
import { type Funded, startCluster, type TestCluster } from '../../support/cluster/start-cluster.ts';
import { type Asked, clientOf } from '../client.ts';
import { questionTests } from './question-tests.ts';

const it = bounded(test, 120_000);

let cluster: TestCluster;
let console: string;
let funded: Funded;
let token: string;

test.before(async () => {
  await buildFirst();
  cluster = await startCluster({ nodes: 2, rates: UNLIMITED, simulators: ['sim-a', 'sim-v'] });
  console = `${cluster.nodes[0]?.operatorUrl}/console`;
  funded = await cluster.fund('10', { name: 'production' });
  token = await readToken(cluster.folder, 'operator');
});
test.after(async () => {
  await closeBrowser();
  await cluster.close();
});

const send = (path: string, asked: Asked) => clientOf(cluster, funded.key).send(path, asked);

async function idOf(answer: Response): Promise<string> {
  const text = await answer.text();
  assert.ok(answer.status < 300, text);
  return (JSON.parse(text) as { readonly id: string }).id;
}

/** A render that takes as long as the test looks at it. */
function startVideo(renderMs: number): Promise<Response> {
  const prompt = `a lake at dawn @sim ${JSON.stringify({ render_ms: renderMs })}`;
  return send('/videos', { body: { model: 'sim/filmstrip', prompt, duration: 1, resolution: '480p' } });
}

async function signedIn(): Promise<{ readonly context: BrowserContext; readonly page: Page }> {
  const context = await openContext('light', { viewport: { width: 1_280, height: 900 } });
  const page = await context.newPage();
  await page.goto(`${console}/#token=${token}`);
  await page.getByRole('heading', { level: 1, name: 'Now' }).waitFor();
  return { context, page };
}

const actorUrl = (address: string): string => `${console}/actors/${encodeURIComponent(address)}`;

it("a video's chart moves with its steps, and its transitions name the node of each", async () => {
  const { context, page } = await signedIn();
  const id = await idOf(await startVideo(2_000));
  await page.goto(actorUrl(`video-job:${funded.account.slice('account:'.length)}/${id}`));
  await page.locator('svg .state.lit').first().waitFor();
  await screenshot(page, 'in-use-video');
  await page.locator('svg .line.moved').first().waitFor();
  await page.locator('svg .state.lit', { hasText: 'completed' }).waitFor();
  const nodes = page.getByRole('region', { name: 'Last transitions, newest first' }).locator('[data-name=Node]');
  assert.match(await nodes.first().innerText(), /^t[12]$/);
  await context.close();
});

it('requests in flight are shown with their phase, and one that is stopped is in the audit log', async () => {
  const { context, page } = await signedIn();
  const messages = [{ role: 'user', content: `@sim ${JSON.stringify({ tokens: 2_000, tps: 20 })}` }];
  const stream = await send('/chat/completions', { body: { model: 'sim/fast', messages, stream: true } });
  const reading = stream.text();
  const id = stream.headers.get('x-generation-id') ?? '';
  const row = page.getByRole('row', { name: id });
  await row.getByText('streaming').waitFor();
  await screenshot(page, 'in-use-now');
  await row.getByRole('button', { name: 'Stop' }).click();
  await page.getByLabel('Reason, for the audit log').fill('it went astray');
  await page.getByRole('button', { name: 'Show what it would do' }).click();
  await page.getByText(`troupe stop ${id}`).waitFor();
  await page.locator('dialog').getByRole('button', { name: 'Stop' }).click();
  await page.getByText(`stopped ${id}`).waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  await row.waitFor({ state: 'detached' });
  await reading;
  await page.goto(`${console}/audit?action=inflight.stop`);
  await page.getByText('it went astray').waitFor();
  await page.goto(`${console}/generations/${id}`);
  await page.getByRole('heading', { name: 'Time line' }).waitFor();
  await screenshot(page, 'in-use-request');
  await context.close();
});

it('while the node is away the page keeps what it had and says how old it is; then it goes on', async () => {
  const { context, page } = await signedIn();
  await context.setOffline(true);
  await page.getByText('The node does not answer. What you see is').first().waitFor();
  assert.ok(await page.getByText('nodes live').isVisible());
  await screenshot(page, 'in-use-away');
  await context.setOffline(false);
  await page.getByText('The node does not answer.').first().waitFor({ state: 'detached' });
  await context.close();
});

it('a page that never had an answer says that it is disconnected, and asks again by itself', async () => {
  const { context, page } = await signedIn();
  await page.route('**/api/audit*', (route) => route.abort());
  await page.getByRole('link', { name: 'Audit' }).click();
  await page.getByRole('heading', { name: 'Disconnected' }).waitFor();
  await page.unroute('**/api/audit*');
  await page.getByRole('heading', { name: 'Disconnected' }).waitFor({ state: 'detached' });
  await context.close();
});

it('a session that ends during use leads to the sign-in, and back to the same page', async () => {
  const { context, page } = await signedIn();
  await page.goto(`${console}/accounts`);
  await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor();
  await context.clearCookies();
  const field = page.getByLabel('Token of an operator or a viewer');
  await field.fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor();
  await context.close();
});

it('an actor that does not exist is refused in words', async () => {
  const { context, page } = await signedIn();
  await page.goto(actorUrl('account:acct_nobody'));
  await page.getByRole('heading', { name: 'Nothing has this name' }).waitFor();
  await screenshot(page, 'in-use-nobody');
  await context.close();
});

questionTests(it, () => ({ cluster, funded, open: async () => (await signedIn()).page }));

test.run();
