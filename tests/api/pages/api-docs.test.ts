/** The OpenAPI document in a real browser: under the policy of our pages, with nothing fetched from elsewhere. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import { closeBrowser, give, LOOKS, openContext, overflow, screenshot } from '../../support/browser.ts';
import type { TestCluster } from '../../support/cluster/start-cluster.ts';
import { openCluster } from './cluster.ts';
import { originOf } from './visitor.ts';

const it = bounded(test, 120_000);

let cluster: TestCluster;
let origin: string;

test.before(async () => {
  cluster = await openCluster();
  origin = originOf(cluster);
});
test.after(async () => {
  await closeBrowser();
  await cluster.close();
});

it('the document is shown in light, dark and on a phone, and a request is sent from it', async () => {
  const context = await openContext();
  const page = await context.newPage();
  const errors: string[] = [];
  const elsewhere: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !url.startsWith('data:')) elsewhere.push(url);
  });
  await page.goto(`${origin}/api/v1/docs`);
  await page.locator('.opblock').first().waitFor();
  assert.ok((await page.locator('.opblock').count()) > 60);
  // One page is given each look in turn: to render the document takes most of the time.
  for (const look of LOOKS) {
    await give(page, look);
    await screenshot(page, `api-docs-${look}`);
    const background = 'getComputedStyle(document.documentElement).backgroundColor';
    const [, red = ''] = /rgba?\((\d+)/.exec(await page.evaluate<string>(background)) ?? [];
    assert.is(Number(red) < 100, look === 'dark', `${look}: ${red}`);
    if (look === 'phone') assert.is(await overflow(page), 0);
  }
  await give(page, 'light');
  const operation = page.locator('.opblock', { hasText: '/models/count' });
  await operation.locator('.opblock-summary-control').click();
  await operation.getByRole('button', { name: 'Try it out' }).click();
  await operation.getByRole('button', { name: 'Execute' }).click();
  await operation.locator('.live-responses-table .highlight-code').first().waitFor();
  assert.match(await operation.locator('.live-responses-table').innerText(), /"count": \d+/);
  await screenshot(page, 'api-docs-sent');
  assert.equal([errors, elsewhere], [[], []]);
  await context.close();
});

it('the files of the viewer are kept by browsers, and checked by their ETag', async () => {
  const page = await (await fetch(`${origin}/api/v1/docs`)).text();
  for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js', 'api-docs.js', 'api-docs.css']) {
    const path = new RegExp(`"(/assets/${name}\\?v=[0-9a-f]{16})"`).exec(page)?.[1];
    assert.ok(path, name);
    const answer = await fetch(origin + path);
    const etag = answer.headers.get('etag') as string;
    assert.equal([answer.status, answer.headers.get('cache-control')], [200, 'public, max-age=31536000, immutable']);
    assert.ok((await answer.arrayBuffer()).byteLength > 0);
    const again = await fetch(origin + path, { headers: { 'if-none-match': etag } });
    assert.is(again.status, 304);
    await again.arrayBuffer();
  }
});

test.run();
