/**
 * Every page with something in it: its policy refuses nothing of it, no column is cut off in a wide font, axe finds nothing in light and in dark, and the
 * Tab key begins at the top.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import { closeBrowser, openContext, screenshot } from '../../support/browser.ts';
import { UNLIMITED } from '../../support/cluster/shared-cluster.ts';
import { startCluster, type TestCluster } from '../../support/cluster/start-cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { accountTable } from '../../support/route-table.ts';
import { ROOT } from '../../support/sources.ts';
import { clientOf } from '../client.ts';
import { authPath, pkce } from './visitor.ts';

/** Some forty pages, each drawn and looked at twice. */
const it = bounded(test, 900_000);

let cluster: TestCluster;
let origin: string;
let management: string;
let key: string;
/** Paths of pages about one thing. */
let single: readonly string[];

test.before(async () => {
  cluster = await startCluster({
    ...{ nodes: 1, rates: UNLIMITED, simulators: ['sim-a', 'sim-b', 'sim-v'] },
    edge: { trustedProxies: ['127.0.0.0/8'] },
  });
  origin = new URL(cluster.baseUrls[0] as string).origin;
  // Amounts as wide as they come: what the account has, and what single requests cost.
  const funded = await cluster.fund('12345678.901234', { name: 'production backend of the shop, eu-west-1' });
  key = funded.key;
  management = (await cluster.issue(funded.account, { kind: 'management', name: 'the owner' })).key;
  await cluster.issue(funded.account, { name: 'limited', limit: '1234567.891234', limitWindow: 'monthly' });
  single = await worked(funded.keyAddress);
});
test.after(async () => {
  await closeBrowser();
  await cluster.close();
});

const post = (path: string, body: object) => clientOf(cluster, key).send(path, { body });

/** Makes something for every page to show, and returns the pages about one thing each. */
async function worked(keyAddress: string): Promise<readonly string[]> {
  const turn = { model: 'sim/fast', messages: [{ role: 'user', content: 'Hello' }] };
  const answer = await post('/chat/completions', turn);
  assert.is(answer.status, 200, await answer.text());
  await (await post('/chat/completions', { ...turn, model: 'sim/vision' })).text();
  const requests = [{ custom_id: 'a', body: turn }];
  const batch = await idOf(await post('/batches', { endpoint: '/v1/chat/completions', requests }));
  const job = { model: 'sim/filmstrip', prompt: 'a river', duration: 1, resolution: '480p' };
  const video = await idOf(await post('/videos', { ...job, callback_url: 'https://receiver.example/a/long/path' }));
  const form = new FormData();
  form.append('purpose', 'user_data');
  form.append('file', new Blob(['%PDF-1.7\n']), 'the_report_of_the_third_quarter_without_a_single_space.pdf');
  assert.is((await post('/files', form)).status, 200);
  return [
    `/account/generations/${answer.headers.get('x-generation-id')}`,
    ...[`/account/batches/${batch}`, `/account/videos/${video}`],
    `/account/keys/${keyAddress.slice(keyAddress.indexOf('/') + 1)}`,
    '/account/generations?q=nothing&outcome=settled',
  ];
}

async function idOf(answer: Response): Promise<string> {
  const text = await answer.text();
  assert.ok(answer.status < 300, text);
  return (JSON.parse(text) as { readonly id: string }).id;
}

async function signIn(page: Page): Promise<void> {
  await page.goto(`${origin}/sign-in`);
  await page.getByLabel('Management key').fill(management);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${origin}/account`);
}

function accountPaths(): readonly string[] {
  const paths = new Set(
    accountTable()
      .filter(({ method }) => method === 'GET')
      .map(({ path }) => path),
  );
  return [...paths].filter((path) => !path.includes(':') && !path.endsWith('.csv'));
}

const everyPath = (): readonly string[] => [
  ...['/', '/models', '/models/sim/fast', '/models/sim/filmstrip', '/api/v1/docs', '/api/v1/docs/postChatCompletions'],
  ...['/find', '/find?q=key', '/find?q=nothing-has-this-name'],
  ...['/api/v1/docs/getVideosIdContent', '/models/sim/no-such-model', authPath(pkce().challenge, { limit: '1' })],
  ...accountPaths(),
  ...single,
];

/** Tables whose last columns do not fit, and money or times that stand outside their cell. */
const CUT_OFF = `[...document.querySelectorAll('main .scroll, main .table, main table')]
  .filter((part) => part.tagName !== 'PRE' && part.scrollWidth > part.clientWidth + 1)
  .map((part) => (part.getAttribute('aria-label') ?? part.className) + ' by ' + (part.scrollWidth - part.clientWidth))
  .concat([...document.querySelectorAll('main td')]
    .filter((cell) => cell.getBoundingClientRect().right > document.querySelector('main').getBoundingClientRect().right)
    .map((cell) => 'a cell: ' + cell.textContent))`;

it('no page breaks its policy or cuts off a column, in a font a tenth wider, from a phone to a wide screen', async () => {
  const context = await openContext();
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())));
  page.on('pageerror', (error) => errors.push(error.message));
  await signIn(page);
  for (const path of everyPath()) {
    await page.goto(`${origin}${path}`);
    assert.is(await page.getByRole('heading', { level: 1 }).count(), 1, path);
    await page.evaluate("document.documentElement.style.letterSpacing = '0.06em'");
    for (const width of [390, 1_000, 1_280]) {
      await page.setViewportSize({ width, height: 900 });
      assert.equal(await page.evaluate<readonly string[]>(CUT_OFF), [], `${path} at ${width}`);
      const wider = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      assert.is(await page.evaluate<number>(wider), 0, `${path} scrolls sideways at ${width}`);
      await screenshot(page, `fit-${width}${path.split('?')[0]?.replaceAll('/', '-')}`);
    }
  }
  // A page that says that there is none such is answered with 404, which the browser notes.
  assert.equal(
    errors.filter((error) => !error.includes('404')),
    [],
  );
  await context.close();
});

it('the Tab key begins at the top of every page of the account, and the current tab is in view on a phone', async () => {
  const context = await openContext('phone');
  const page = await context.newPage();
  await signIn(page);
  for (const path of ['/account', '/account/credits', '/account/sessions']) {
    await page.goto(`${origin}${path}`);
    await eventually(async () => assert.ok(await page.evaluate<boolean>(TAB_IN_VIEW), path));
    await page.keyboard.press('Tab');
    assert.is(await page.evaluate<string>('document.activeElement.className'), 'skip', path);
    await page.keyboard.press('Tab');
    assert.is(await page.evaluate<string>('document.activeElement.className'), 'brand', path);
  }
  await context.close();
});

/** What the palette offers for a text, the first of it chosen. */
async function offered(page: Page, text: string): Promise<string> {
  await page.keyboard.press('Control+k');
  await page.keyboard.type(text);
  const first = page.locator('#offered [aria-selected="true"]');
  await eventually(async () => assert.match(await first.innerText(), text));
  return first.innerText();
}

it('the palette finds by keyboard what the account has, pages and actions, and gives the focus back', async () => {
  const context = await openContext();
  const page = await context.newPage();
  await signIn(page);
  for (const path of single.slice(0, 4)) {
    const id = path.slice(path.lastIndexOf('/') + 1);
    await offered(page, id);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${origin}${path}`);
  }
  assert.match(await offered(page, 'the_report_of'), 'single_space.pdf');
  await page.keyboard.press('Escape');
  await offered(page, 'Create a key');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${origin}/account/keys#name`);
  await page.locator('.find').focus();
  await page.keyboard.press('/');
  await page.keyboard.type('generations');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Escape');
  assert.is(await page.evaluate<string>('document.activeElement.className'), 'button find');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('sign out');
  await page.locator('#offered a', { hasText: 'Sign out' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('You are signed out.').waitFor();
  await context.close();
});

const TAB_IN_VIEW = `(() => {
  const tab = document.querySelector('.tabs [aria-current]').getBoundingClientRect();
  return tab.left >= 0 && tab.right <= innerWidth;
})()`;

const AXE = readFileSync(join(ROOT, 'node_modules/axe-core/axe.min.js'), 'utf8');
const FINDINGS = `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.flatMap(
  ({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 160) + ' ' + failureSummary)))`;

/** What axe finds on the open page, in light on a wide screen and in dark on a phone. */
async function findings(page: Page, path: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [scheme, width] of [
    ['light', 1_280],
    ['dark', 390],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    await page.evaluate(`${AXE}; 0`);
    found.push(...(await page.evaluate<string[]>(FINDINGS)).map((each) => `${path}, ${scheme}: ${each}`));
  }
  return found;
}

it('axe finds nothing on any page, in light and in dark', async () => {
  const context = await openContext();
  const page = await context.newPage();
  await page.goto(`${origin}/sign-in`);
  const found = [...(await findings(page, '/sign-in'))];
  await signIn(page);
  for (const path of everyPath()) {
    await page.goto(`${origin}${path}`);
    for (const details of await page.locator('details:not([open]) > summary').all()) {
      if (await details.isVisible()) await details.click();
    }
    found.push(...(await findings(page, path)));
  }
  await page.goto(`${origin}/account/keys`);
  await page.getByRole('textbox', { name: 'Name' }).fill('by axe');
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByText('Save it now').waitFor();
  found.push(...(await findings(page, 'the page of a new key')));
  await page.keyboard.press('Control+k');
  await page.locator('#offered a').first().waitFor();
  found.push(...(await findings(page, 'the palette')));
  assert.equal(found, []);
  await context.close();
});

test.run();
