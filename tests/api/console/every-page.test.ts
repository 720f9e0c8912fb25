/**
 * The console in a real browser, over the operator port of a started cluster: every page with something in it fits its
 * window, axe finds nothing, and the browser reports no error.
 */
import type { Page } from 'playwright-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readToken } from '../../../gateway/operator/config/secrets.ts';
import { bounded } from '../../support/bounded.ts';
import { axeFindings, closeBrowser, openContext, overflow, screenshot } from '../../support/browser.ts';
import { UNLIMITED } from '../../support/cluster/shared-cluster.ts';
import { startCluster, type TestCluster } from '../../support/cluster/start-cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { clientOf } from '../client.ts';

/** Every page is drawn and looked at in three ways. */
const it = bounded(test, 600_000);

const LIGHT = { width: 1_280, height: 900 };
const PHONE = { width: 390, height: 844 };

let cluster: TestCluster;
let console: string;
let account: string;
let batch: string;
let results: string;
let video: string;
let endpoint: string;
let key: string;
let generation: string;

test.before(async () => {
  cluster = await startCluster({ nodes: 2, rates: UNLIMITED, simulators: ['sim-a', 'sim-b', 'sim-v'] });
  console = `${cluster.nodes[0]?.operatorUrl}/console`;
  const funded = await cluster.fund('10', { name: 'production' });
  account = funded.account.replace('account:', '');
  const client = clientOf(cluster, funded.key);
  const turn = { model: 'sim/fast', messages: [{ role: 'user', content: 'Hello' }] };
  const answer = await client.send('/chat/completions', { body: turn });
  assert.is(answer.status, 200);
  generation = ((await answer.json()) as { readonly id: string }).id;
  const requests = [{ custom_id: 'a', body: turn }];
  const made = await client.send('/batches', { body: { endpoint: '/v1/chat/completions', requests } });
  batch = ((await made.json()) as { readonly id: string }).id;
  const film = { model: 'sim/filmstrip', prompt: 'a lake', duration: 1, resolution: '480p' };
  video = (await client.ask<{ readonly id: string }>('/videos', { body: film })).body.id;
  key = funded.keyAddress;
  await eventually(async () => {
    const { body } = await client.ask<{ readonly output_file_id: string | null }>(`/batches/${batch}`);
    assert.ok(body.output_file_id);
    results = body.output_file_id;
  });
  endpoint = await endpointOf(generation);
});

/** The endpoint that served a request. */
async function endpointOf(id: string): Promise<string> {
  const authorization = `Bearer ${await readToken(cluster.folder, 'operator')}`;
  const url = `${cluster.nodes[0]?.operatorUrl}/api/generations?account=${account}`;
  const { data } = (await (await fetch(url, { headers: { authorization } })).json()) as {
    readonly data: readonly { readonly id: string; readonly endpoint: string }[];
  };
  return data.find((one) => one.id === id)?.endpoint ?? '';
}
test.after(async () => {
  await closeBrowser();
  await cluster.close();
});

async function signIn(page: Page, role: 'operator' | 'viewer' = 'operator'): Promise<void> {
  await page.goto(`${console}/#token=${await readToken(cluster.folder, role)}`);
  await page.getByRole('heading', { level: 1, name: 'Now' }).waitFor();
}

/** Paths below `/console`, each with what it must show. */
const pages = (): readonly (readonly [path: string, shows: string | RegExp])[] => [
  ['/', 'In flight'],
  ['/actors', 'Kinds'],
  ['/actors?kind=batch', 'Chart of batch'],
  [`/actors/${encodeURIComponent(`account:${account}`)}`, 'Talks to'],
  [`/actors/${encodeURIComponent(`batch:${account}/${batch}`)}?tab=time`, 'Recorded steps'],
  [`/actors/${encodeURIComponent(`account:${account}`)}?tab=state`, 'State'],
  [`/actors/${encodeURIComponent(`account:${account}`)}?tab=kind`, generation],
  [`/actors/${encodeURIComponent(`endpoint:${endpoint}`)}?tab=kind`, 'Newest attempts'],
  [`/actors/${batch}?tab=kind`, 'Dialect'],
  [`/actors/${video}?tab=kind`, 'Charged seconds'],
  [`/actors/${encodeURIComponent(key)}?tab=kind`, 'Open holds'],
  ['/cluster', 'Shards'],
  ['/alarms', 'History'],
  ['/sql', 'Query'],
  ['/generations', generation],
  [`/generations/${generation}`, 'Time line'],
  ['/endpoints', 'Providers'],
  ['/accounts', 'Dearest today'],
  [`/accounts/${account}`, 'Open holds'],
  ['/jobs', batch],
  ['/webhooks', 'Deliveries'],
  [`/money?account=${account}`, 'Ledger'],
  ['/money?tab=deposits', 'Deposits'],
  ['/audit', 'Entries'],
  ['/configuration', 'What runs'],
];

/** In another scheme only colours differ. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

it('every page is drawn, fits its window and is usable without sight: light, dark and on a phone', async () => {
  const context = await openContext('light', {
    viewport: LIGHT,
    bypassCSP: true,
    locale: 'en-US',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())));
  page.on('pageerror', (error) => errors.push(error.message));
  await signIn(page);
  for (const [path, shows] of pages()) {
    await page.setViewportSize(LIGHT);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(`${console}${path}`);
    await page.locator('main').getByText(shows).first().waitFor();
    await eventually(async () => assert.is(await page.locator('.loading').count(), 0, `${path} is loaded`));
    assert.is(await page.getByRole('heading', { level: 1 }).count(), 1, path);
    assert.is(await page.getByRole('alert').count(), 0, `${path} is refused`);
    await look(page, path, 'light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await look(page, path, 'dark', OF_COLOURS);
    await page.setViewportSize(PHONE);
    await page.emulateMedia({ colorScheme: 'light' });
    await look(page, path, 'phone');
  }
  assert.equal(errors, []);
  await context.close();
});

async function look(page: Page, path: string, name: string, rules: readonly string[] | null = null): Promise<void> {
  assert.is(await overflow(page), 0, `${path} scrolls sideways, ${name}`);
  assert.equal(await axeFindings(page, rules), [], `${path}, ${name}`);
  await screenshot(page, `console-${name}${path.replaceAll(/[^a-z]+/g, '-').slice(0, 40)}`);
}

it('anything is found by keyboard: any id, an account by the beginning of its name, a page by its name', async () => {
  const context = await openContext('light', { locale: 'en-US' });
  const page = await context.newPage();
  await signIn(page);
  for (const [typed, found] of [
    [batch, new RegExp(`/actors/batch%3A${account}%2F${batch}`)],
    [account, new RegExp(`/accounts/${account}`)],
    ['TES', new RegExp(`/accounts/${account}`)],
    [generation, new RegExp(`/generations/${generation}`)],
    [video, new RegExp(`/actors/video-job%3A${account}%2F${video}`)],
    [results, new RegExp(`/actors/file%3A${account}%2F${results}`)],
    [key.slice(key.indexOf('/') + 1), new RegExp(`/actors/${encodeURIComponent(key)}`)],
    [endpoint, new RegExp(`/endpoints/${endpoint}`)],
    ['Cluster', /\/cluster$/],
  ] as const) {
    await eventually(async () => {
      await page.keyboard.press('Control+k');
      assert.ok(await page.getByRole('combobox', { name: 'An id, a name' }).isVisible());
    });
    await page.keyboard.type(typed);
    await page.locator('.offers [role=option]').first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(found);
  }
  await context.close();
});

it('a change wants a reason, says first what it would do, and is in the audit log', async () => {
  const context = await openContext('light', { locale: 'en-US' });
  const page = await context.newPage();
  await signIn(page);
  await page.goto(`${console}/accounts/${account}`);
  await page.getByRole('button', { name: 'Suspend' }).click();
  await page.getByLabel('Reason, for the audit log').fill('the owner asked for it');
  await page.getByRole('button', { name: 'Show what it would do' }).click();
  await page
    .getByText(/suspend/)
    .first()
    .waitFor();
  await page.getByText('troupe accounts suspend').waitFor();
  await page.locator('dialog').getByRole('button', { name: 'Suspend' }).click();
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  await page.goto(`${console}/audit?account=${account}`);
  await page.getByText('account.suspend').first().waitFor();
  await context.close();
});

it('a viewer sees the same and can change nothing; without a token there is the way in alone', async () => {
  const context = await openContext('light', { locale: 'en-US' });
  const page = await context.newPage();
  await page.goto(`${console}/accounts`);
  await page.getByLabel('Token of an operator or a viewer').fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('.notice.bad').waitFor();
  await signIn(page, 'viewer');
  await page.goto(`${console}/accounts/${account}`);
  assert.ok(await page.getByRole('button', { name: 'Adjust the balance' }).isDisabled());
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Token of an operator or a viewer').waitFor();
  await context.close();
});

test.run();
