/** The pages of an account in a real browser: the keyboard, without script, and a page that moves. */
import type { Page } from 'playwright-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import { closeBrowser, copyButtonIs, openContext } from '../../support/browser.ts';
import type { TestCluster } from '../../support/cluster/start-cluster.ts';
import { clientOf } from '../client.ts';
import { openCluster } from './cluster.ts';
import { originOf } from './visitor.ts';

const it = bounded(test, 180_000);

let cluster: TestCluster;
let origin: string;
let management: string;
let key: string;

test.before(async () => {
  cluster = await openCluster();
  origin = originOf(cluster);
  const funded = await cluster.fund('10');
  key = funded.key;
  management = (await cluster.issue(funded.account, { kind: 'management', name: 'the owner' })).key;
  for (const model of ['sim/fast', 'sim/flaky', 'sim/vision']) {
    const answer = await call('/chat/completions', { model, messages: [{ role: 'user', content: 'Hello' }] });
    assert.is(answer.status, 200, await answer.text());
  }
});
test.after(async () => {
  await closeBrowser();
  await cluster.close();
});

const call = (path: string, body: object) => clientOf(cluster, key).send(path, { body });

async function signIn(page: Page): Promise<void> {
  await page.goto(`${origin}/sign-in`);
  await page.getByLabel('Management key').fill(management);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${origin}/account`);
}

for (const javaScriptEnabled of [true, false])
  it(`a person makes, limits and revokes a key by keyboard, script: ${javaScriptEnabled}`, async () => {
    const context = await openContext('light', { javaScriptEnabled });
    const page = await context.newPage();
    await signIn(page);
    await page.goto(`${origin}/account/keys`);
    await page.getByLabel('Name').focus();
    await page.keyboard.type(`by keyboard ${javaScriptEnabled}`);
    await page.keyboard.press('Tab');
    await page.keyboard.type('2.50');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Every d');
    await page.keyboard.press('Enter');
    if (!(await page.getByLabel('Key', { exact: true }).isVisible()))
      await page.getByRole('button', { name: 'Create key' }).press('Enter');
    const text = await page.getByLabel('Key', { exact: true }).inputValue();
    assert.match(text, /^sk-gw-v1-[0-9a-f]{64}$/);
    await copyButtonIs(page, javaScriptEnabled);
    await page.getByRole('link', { name: 'Open the key' }).press('Enter');
    await page.getByRole('heading', { name: `by keyboard ${javaScriptEnabled}` }).waitFor();
    assert.is(await page.getByLabel('Limit in USD').inputValue(), '2.5');
    await page.getByLabel('Limit in USD').fill('nothing');
    await page.getByRole('button', { name: 'Save' }).press('Enter');
    await page.getByText('must be an amount in USD').waitFor();
    await page.getByLabel('Limit in USD').fill('3');
    await page.getByRole('button', { name: 'Save' }).press('Enter');
    await page.getByText('$3.00').waitFor();
    await page.getByRole('button', { name: 'Revoke for good' }).press('Enter');
    await page.getByText('revoked').first().waitFor();
    await context.close();
  });

it('a batch is followed to its end without a reload by hand', async () => {
  const context = await openContext();
  const page = await context.newPage();
  await signIn(page);
  const turn = { model: 'sim/fast', messages: [{ role: 'user', content: 'Hello' }] };
  const requests = Array.from({ length: 24 }, (_, at) => ({ custom_id: `r${at}`, body: turn }));
  const batch = (await (await call('/batches', { endpoint: '/v1/chat/completions', requests })).json()) as {
    readonly id: string;
  };
  await page.goto(`${origin}/account/batches/${batch.id}`);
  await page.getByText('24 of 24').waitFor();
  await page.getByRole('link', { name: 'Download the results' }).waitFor();
  await context.close();
});

test.run();
