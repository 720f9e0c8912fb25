/** The public catalogue for browsers: the same models as the API lists, its filters, and a model's page. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { busyPage } from '../../gateway/catalogue/busy-demo.ts';
import { bounded } from '../../support/bounded.ts';
import { closeBrowser, give, LOOKS, openContext, overflow, screenshot } from '../../support/browser.ts';
import type { TestCluster } from '../../support/cluster/start-cluster.ts';
import { type PageServer, servePages } from '../../support/page-server.ts';
import { openCluster } from './cluster.ts';
import { originOf, Visitor } from './visitor.ts';

const it = bounded(test, 180_000);

let cluster: TestCluster;
let origin: string;
let visitor: Visitor;
/** The whole demo with figures in it. */
let stage: PageServer;

test.before(async () => {
  cluster = await openCluster();
  origin = originOf(cluster);
  visitor = new Visitor(origin);
  stage = await servePages(busyPage);
});
test.after(async () => {
  await closeBrowser();
  stage.close();
  await cluster.close();
});

async function listed(query: string): Promise<readonly string[]> {
  const answer = await fetch(`${cluster.baseUrls[0]}/models?limit=24${query}`);
  const { data } = (await answer.json()) as { readonly data: readonly { readonly id: string }[] };
  return data.map(({ id }) => id);
}

const shown = (text: string): readonly string[] =>
  [...text.matchAll(/<h2><a href="\/models\/([^"]+)">/g)].map(([, id]) => id as string);

const QUERIES = [
  ...['', '&q=fast', '&sort=price-high-to-low', '&supported_parameters=tools', '&input_modalities=image'],
  ...['&output_modalities=audio', '&context=131072', '&max_price=0.4', '&providers=sim-a', '&zdr=true', '&q=%25'],
  ...['&max_output_price=1', '&model_authors=nobody', '&region=US', '&max_age_days=3000', '&min_tool_success_rate=1'],
];

it('each filter shows what the API lists, in its order', async () => {
  for (const query of QUERIES) {
    const page = await visitor.get(`/models?offset=0${query}`);
    assert.is(page.status, 200, query);
    assert.equal(shown(page.text), await listed(query), query);
  }
  const both = await visitor.get(
    '/models?supported_parameters=tools&supported_parameters=reasoning&family=&providers=',
  );
  assert.equal(
    shown(both.text),
    await listed('&supported_parameters=tools,reasoning'),
    'ticks of one name are one list',
  );
});

it('a refused filter is told on the page, and text of a stranger stays text', async () => {
  const page = await visitor.get('/models?max_price=1e9&q=%22%3E%3Cscript%3E');
  assert.is(page.status, 400);
  assert.match(page.text, 'max_price');
  assert.not.match(page.text, '"><script>');
});

it('every listed model has its page; an unknown one names the nearest', async () => {
  for (const id of await listed('')) {
    const page = await visitor.get(`/models/${id}`);
    assert.is(page.status, 200, id);
    assert.match(page.text, `<code id="id">${id}</code>`);
    assert.match(page.text, `${origin}/api/v1/`);
  }
  const unknown = await visitor.get('/models/sim/fasd');
  assert.is(unknown.status, 404);
  assert.match(unknown.text, 'sim/fast');
});

it('the catalogue fits its window and breaks no policy: light, dark and on a phone', async () => {
  const context = await openContext();
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())));
  page.on('pageerror', (error) => errors.push(error.message));
  const all = [
    { at: origin, path: '/models/sim/fast' },
    ...['/models', '/models/northwind/gale-70b', '/models/reelworks/reel-2?days=7'].map((path) => ({
      ...{ at: stage.origin, path },
    })),
  ];
  for (const { at, path } of all) {
    await page.goto(`${at}${path}`);
    for (const look of LOOKS) {
      await give(page, look);
      // On a narrow screen the script of the pages begins otherwise.
      if (look === 'phone') await page.reload();
      assert.is(await overflow(page), 0, `${path} scrolls sideways, ${look}`);
      await screenshot(page, `catalogue-${look}${path.replaceAll(/[/?=]/g, '-')}`);
    }
  }
  assert.equal(errors, []);
  await context.close();
});

it('typing narrows the list at once, and what is shown can be copied', async () => {
  const context = await openContext('light', { permissions: ['clipboard-read', 'clipboard-write'] });
  const page = await context.newPage();
  await page.goto(`${origin}/models`);
  await page.getByLabel('Search').fill('sim/fast');
  await page.waitForURL(/q=sim%2Ffast/);
  assert.is(await page.locator('.model').count(), 1);
  await page.getByRole('button', { name: 'Copy' }).click();
  assert.is(await page.evaluate<string>('navigator.clipboard.readText()'), 'sim/fast');
  await page.getByRole('link', { name: 'Sim Fast' }).click();
  await page.getByRole('heading', { name: 'Endpoints' }).waitFor();
  await context.close();
});

it('the history of each endpoint is drawn, told in words, and listed as a table; a link changes its time', async () => {
  const context = await openContext('light', { javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${stage.origin}/models/northwind/gale-70b`);
  const endpoints = await page
    .getByRole('region', { name: 'Endpoints of the model, cheapest first' })
    .locator('tbody tr')
    .count();
  assert.is(await page.getByRole('img', { name: /requests succeeded$/ }).count(), endpoints);
  const cells = page.locator('.courses li:first-child .cell');
  assert.is(await cells.count(), 48);
  const table = page.getByRole('region', { name: 'The same figures by endpoint' });
  assert.is(await table.isVisible(), false);
  await page.getByText('As a table').click();
  assert.is(await table.getByRole('row').count(), endpoints + 1);
  await page.getByRole('link', { name: '7 days' }).click();
  assert.is(await cells.count(), 42);
  await page.goto(`${origin}/models/sim/structured`);
  assert.match(await page.locator('main').innerText(), 'No request in the last 24 hours');
  await context.close();
});

it('on a phone the filters are closed until they are asked for, or used', async () => {
  const context = await openContext('phone');
  const page = await context.newPage();
  await page.goto(`${stage.origin}/models`);
  const reads = page.getByLabel('Reads');
  assert.is(await reads.isVisible(), false);
  await page.getByText('Filters', { exact: true }).click();
  await reads.selectOption('image');
  await page.goto(`${stage.origin}/models?input_modalities=image`);
  assert.equal([await reads.isVisible(), await reads.inputValue()], [true, 'image']);
  await context.close();
});

it('without a script the button narrows the list', async () => {
  const context = await openContext('light', { javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${origin}/models`);
  await page.getByLabel('Search').fill('sim/fast');
  await page.getByRole('button', { name: 'Show' }).click();
  assert.is(await page.locator('.model').count(), 1);
  await context.close();
});

test.run();
