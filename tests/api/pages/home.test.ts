/** The first page of the site: what it says in a browser, and what another client reads there. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import { closeBrowser, give, LOOKS, openContext, overflow, screenshot } from '../../support/browser.ts';
import { openApi } from '../client.ts';
import { openCluster } from './cluster.ts';
import { originOf, signedIn, Visitor } from './visitor.ts';

const it = bounded(test, 120_000);

const { cluster } = await openApi(test, openCluster);
const visitor = new Visitor(originOf(cluster));
const owner = await signedIn(cluster);
const HTML = { accept: 'text/html,*/*' };

test.after(closeBrowser);

it('a browser reads what the service is, how it is, and where to begin; each link has its page', async () => {
  const { status, text } = await visitor.get('/', HTML);
  assert.is(status, 200);
  const [, main = ''] = /<main[^>]*>([\s\S]*)<\/main>/.exec(text) ?? [];
  const links = new Set([...main.matchAll(/href="([^"]+)"/g)].map(([, path]) => path as string));
  for (const path of ['/models', '/api/v1/docs', '/sign-in', '/api/v1/ready']) assert.ok(links.has(path), path);
  for (const path of links) assert.is((await visitor.get(path, HTML)).status, 200, path);
  const { data } = (await (await fetch(`${cluster.baseUrls[0]}/models`)).json()) as {
    readonly data: readonly object[];
  };
  assert.match(main, `<a href="/models">${data.length}</a>`);
  assert.match(main, '/api/v1/chat/completions');
  assert.not.match(text, 'noindex');
});

it('a signed-in person is led to the account', async () => {
  const { text } = await owner.visitor.get('/', HTML);
  assert.match(text, '<a class="button" href="/account">');
});

it('any other client reads JSON with the addresses of the API, and each answers', async () => {
  const answer = await fetch(visitor.origin);
  assert.equal([answer.status, answer.headers.get('content-type')], [200, 'application/json; charset=utf-8']);
  const { name, api, ...addresses } = (await answer.json()) as Readonly<Record<string, string>>;
  assert.equal([name, api], ['troupe', `${visitor.origin}/api/v1`]);
  assert.equal(Object.keys(addresses), ['models', 'openapi', 'docs', 'status']);
  for (const address of Object.values(addresses)) {
    const found = await fetch(address);
    assert.is(found.status, 200, address);
    await found.arrayBuffer();
  }
});

it('an address without a route is a page in a browser, with a way on, and JSON for any other client', async () => {
  const { status, headers, text } = await visitor.get('/acount', HTML);
  assert.equal([status, headers.get('content-type')], [404, 'text/html; charset=utf-8']);
  for (const path of ['/find', '/models']) assert.match(text, `href="${path}"`);
  const answer = await fetch(`${visitor.origin}/acount`);
  assert.equal([answer.status, answer.headers.get('content-type')], [404, 'application/json; charset=utf-8']);
  await answer.arrayBuffer();
});

it('the first page fits its window and breaks no policy: light, dark and on a phone', async () => {
  const context = await openContext();
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())));
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(`${visitor.origin}/`);
  for (const look of LOOKS) {
    await give(page, look);
    await page.reload();
    assert.is(await overflow(page), 0, `it scrolls sideways, ${look}`);
    await screenshot(page, `home-${look}`);
  }
  assert.equal(errors, []);
  await context.close();
});

test.run();
