/** Signing in and approving in a real browser, with and without script, over plain HTTP on loopback and behind TLS. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'playwright-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import {
  browser,
  closeBrowser,
  copyButtonIs,
  LOOKS,
  openContext,
  overflow,
  screenshot,
} from '../../support/browser.ts';
import type { TestCluster } from '../../support/cluster/start-cluster.ts';
import { openCluster } from './cluster.ts';
import { startTlsSite, type TlsSite } from './tls-site.ts';
import { authPath, originOf, pkce, trade, tradeBody } from './visitor.ts';

const it = bounded(test, 120_000);

let cluster: TestCluster;
let origin: string;
let base: string;
let key: string;
let tls: TlsSite;
/** An application on another site of this machine: it links to the approval page. */
let app: Server;
let appUrl: string;
let link = '';

test.before(async () => {
  cluster = await openCluster();
  origin = originOf(cluster);
  base = cluster.baseUrls[0] as string;
  const { account } = await cluster.fund('10');
  key = (await cluster.issue(account, { kind: 'management' })).key;
  tls = await startTlsSite('troupe.example', origin);
  const node = new URL(origin).host;
  await browser([`--host-resolver-rules=MAP *.example 127.0.0.1:${tls.port}, MAP plain.test ${node}`]);
  app = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<a id="go" href="${link.replaceAll('&', '&amp;')}">Connect</a>`);
  }).listen(0, '127.0.0.1');
  await once(app, 'listening');
  appUrl = `http://localhost:${(app.address() as AddressInfo).port}/`;
});
test.after(async () => {
  await closeBrowser();
  app.close();
  tls.close();
  await cluster.close();
});

async function signIn(page: Page, at = origin): Promise<void> {
  await page.goto(`${at}/sign-in`);
  await page.getByLabel('Management key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${at}/account`);
}

/** A page whose errors of policy, script and network are collected. */
async function watched(context: BrowserContext): Promise<{ readonly page: Page; readonly errors: string[] }> {
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())));
  page.on('pageerror', (error) => errors.push(error.message));
  return { page, errors };
}

for (const javaScriptEnabled of [true, false])
  it(`a person signs in, approves for an application on this machine and signs out, script: ${javaScriptEnabled}`, async () => {
    const context = await openContext('light', { javaScriptEnabled });
    const { page, errors } = await watched(context);
    const pair = pkce();
    const callback_url = 'http://localhost:3000/callback';
    await page.goto(`${origin}${authPath(pair.challenge, { callback_url, limit: '1' })}`);
    await page.getByLabel('Management key').fill('sk-gw-v1-wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('This is no valid management key').waitFor();
    await page.getByLabel('Management key').fill(key);
    await page.getByLabel('Management key').press('Enter');
    await page.getByRole('heading', { name: 'Give localhost:3000 a key?' }).waitFor();
    assert.match(await page.locator('main').innerText(), 'at most 1.00 USD in all');
    const [cookie] = await context.cookies();
    const { name, httpOnly, secure, sameSite, path } = cookie as NonNullable<typeof cookie>;
    assert.equal(
      { name, httpOnly, secure, sameSite, path },
      { name: '__Host-troupe-session', httpOnly: true, secure: true, sameSite: 'Strict', path: '/' },
    );
    await page.getByRole('button', { name: 'Approve' }).click();
    const code = await page.getByLabel('One-time code').inputValue();
    await copyButtonIs(page, javaScriptEnabled);
    const { status, text } = await trade(base, tradeBody(code, pair));
    assert.is(status, 200, text);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out.').waitFor();
    assert.equal(await context.cookies(), []);
    // The refusal of the wrong key is the one failure that the browser notes.
    assert.equal(
      errors.filter((error) => !error.includes('401')),
      [],
    );
    await context.close();
  });

it('behind TLS the browser returns to the application, and keeps to HTTPS', async () => {
  const site = 'https://troupe.example';
  const context = await openContext('light', { ignoreHTTPSErrors: true });
  const { page, errors } = await watched(context);
  await signIn(page, site);
  const [cookie] = await context.cookies();
  assert.equal([cookie?.name, cookie?.secure], ['__Host-troupe-session', true]);
  const pair = pkce();
  const answer = await page.goto(`${site}${authPath(pair.challenge)}`);
  assert.is(answer?.headers()['strict-transport-security'], 'max-age=31536000');
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('heading', { name: 'The application' }).waitFor();
  const url = new URL(page.url());
  assert.is(`${url.origin}${url.pathname}`, 'https://app.example/callback');
  assert.is(url.searchParams.get('state'), '1');
  assert.is((await trade(base, tradeBody(url.searchParams.get('code') as string, pair))).status, 200);
  await page.goto(`${site}${authPath(pair.challenge)}`);
  await page.getByRole('button', { name: 'Decline' }).click();
  await page.waitForURL('https://app.example/callback?state=1&error=access_denied');
  assert.equal(errors, []);
  await context.close();
});

it('a person who comes from the application needs no second sign-in: the page opens itself again', async () => {
  const context = await openContext();
  const { page, errors } = await watched(context);
  await signIn(page);
  link = `${origin}${authPath(pkce().challenge)}`;
  await page.goto(appUrl);
  await page.locator('#go').click();
  await page.getByRole('heading', { name: 'Give app.example a key?' }).waitFor();
  assert.equal(errors, []);
  await context.close();
});

it('another site cannot approve with the session of the person', async () => {
  const context = await openContext();
  const { page } = await watched(context);
  await signIn(page);
  const answered = page.waitForResponse(`${origin}/auth`);
  await page.goto(appUrl);
  await page.evaluate(
    `document.body.innerHTML = '<form method="post" action="${origin}/auth"><button>x</button></form>';
     document.querySelector('form').submit()`,
  );
  assert.is((await answered).status(), 403);
  await page.waitForURL(`${origin}/auth`);
  await page.goto(appUrl);
  await page.evaluate(`document.body.innerHTML = '<iframe src="${origin}/sign-in"></iframe>'`);
  await page.waitForFunction('window.frames.length === 1');
  const framed = page.frames().at(-1);
  assert.not.ok(
    (await framed
      ?.locator('form')
      .count()
      .catch(() => 0)) ?? 0,
  );
  await context.close();
});

it('over plain HTTP on another machine no key is taken', async () => {
  const context = await openContext();
  const { page } = await watched(context);
  await page.goto('http://plain.test/sign-in');
  assert.is(await page.getByLabel('Management key').count(), 0);
  await page.getByText('This address has no encryption').waitFor();
  await context.close();
});

for (const look of LOOKS)
  it(`the pages fit their window and are whole by keyboard, ${look}`, async () => {
    const context = await openContext(look);
    const { page, errors } = await watched(context);
    await page.goto(`${origin}/sign-in`);
    // Chromium focuses the field in a later frame than that of the load.
    await page.waitForFunction("document.activeElement.id === 'key'");
    await screenshot(page, `sign-in-${look}`);
    assert.is(await overflow(page), 0);
    await signIn(page);
    await screenshot(page, `sessions-${look}`);
    assert.is(await overflow(page), 0);
    const callback_url = 'http://localhost:3000/callback';
    await page.goto(`${origin}${authPath(pkce().challenge, { callback_url, limit: '12.50' })}`);
    await screenshot(page, `approve-${look}`);
    assert.is(await overflow(page), 0);
    const focused = (): Promise<string> => page.evaluate<string>('document.activeElement.textContent');
    for (let pressed = 0; pressed < 20 && (await focused()) !== 'Approve'; pressed++) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByLabel('One-time code').waitFor();
    await screenshot(page, `code-${look}`);
    assert.is(await overflow(page), 0);
    await page.goto(`${origin}/auth?callback_url=http://app.example/`);
    await screenshot(page, `refused-${look}`);
    assert.is(await overflow(page), 0);
    assert.equal(
      errors.filter((error) => !error.includes('400')),
      [],
    );
    await context.close();
  });

test.run();
