/** What was charged, by model, key, provider and day, on the page and as CSV. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { add } from '../../../actors/terms/usd.ts';
import { bounded } from '../../support/bounded.ts';
import { closeBrowser, openContext } from '../../support/browser.ts';
import type { TestCluster } from '../../support/cluster/start-cluster.ts';
import { openCluster } from './cluster.ts';
import { type Person, signedIn } from './visitor.ts';

const it = bounded(test, 120_000);
const KEYS = 23;
/** The table has 20 rows, and one for the rest. */
const ROWS = 21;

let cluster: TestCluster;
let owner: Person;

test.before(async () => {
  cluster = await openCluster();
  owner = await signedIn(cluster);
  for (let nth = 0; nth < KEYS; nth++) {
    const { key } = await cluster.issue(`account:${owner.account}`, {
      name: nth === 0 ? '=first, of all' : `key ${nth}`,
    });
    const model = nth === 0 ? 'sim/tools' : 'sim/fast';
    for (let times = nth === 0 ? 3 : 1; times > 0; times--) {
      const answer = await fetch(`${cluster.baseUrls[0]}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
      });
      assert.is(answer.status, 200, await answer.text());
    }
  }
});
test.after(async () => {
  await closeBrowser();
  await cluster.close();
});

/** The rows of the table as text, and the total that the page states. */
async function shown(query: string) {
  const { status, text } = await owner.visitor.get(`/account/usage?${query}`);
  assert.is(status, 200, text);
  const rows = [...text.matchAll(/<tr>(<td[\s\S]*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<td[^>]*>([\s\S]*?)<\/td>/g)].map(([, cell = '']) => cell.replaceAll(/<[^>]*>/g, '')),
  );
  const [, total = ''] = /<dt>Charged<\/dt><dd><span class="money" title="([\d.]+) USD"/.exec(text) ?? [];
  return { rows, total, text };
}

it('charges are summed by model, key, provider and day; what the table has no row for is summed in one', async () => {
  const byModel = await shown('by=model');
  const counted = byModel.rows.map(([name, requests]) => `${name} ${requests}`);
  assert.equal(counted.sort(), [`sim/fast ${KEYS - 1}`, 'sim/tools 3']);
  const byKey = await shown('by=key&days=7');
  assert.is(byKey.rows.length, ROWS);
  assert.equal(byKey.rows[0]?.slice(0, 2), ['=first, of all', '3']);
  assert.is(byKey.rows.at(-1)?.[0], `${KEYS - ROWS + 1} others`);
  const requests = byKey.rows.reduce((sum, [, count]) => sum + Number(count), 0);
  assert.is(requests, KEYS + 2);
  assert.match(byKey.text, /href="\/account\/generations\?key=key_\w+"/);
  assert.is((await shown('by=day')).rows.length, 1);
  assert.ok((await shown('by=provider')).rows.length >= 1);
  const refused = await owner.visitor.get('/account/usage?by=colour');
  assert.equal([refused.status, refused.text.includes('by must be one of')], [400, true]);
});

it('the CSV has every sum with the names of its keys, and adds up to the total of the page', async () => {
  const { headers, text } = await owner.visitor.get('/account/usage.csv?days=7');
  assert.match(headers.get('content-type') ?? '', 'text/csv');
  assert.match(headers.get('content-disposition') ?? '', 'attachment; filename="usage-7-days.csv"');
  const [head = '', ...lines] = text.trimEnd().split('\r\n');
  assert.is(
    head,
    'date,model,provider,endpoint_id,key,key_id,requests,prompt_tokens,completion_tokens,reasoning_tokens,amount_usd',
  );
  assert.ok(lines.length >= KEYS);
  assert.ok(
    lines.some((line) => line.includes(`"'=first, of all"`)),
    'a name is never read as a formula',
  );
  const total = lines.reduce((sum, line) => add(sum, line.split(',').at(-1) as string), '0');
  assert.is(total, (await shown('days=7')).total);
});

it('the page of one busy day is no longer than two windows', async () => {
  const context = await openContext('light', { viewport: { width: 1280, height: 900 }, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${owner.visitor.origin}/sign-in`);
  await page.getByLabel('Management key').fill(owner.key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  for (const by of ['model', 'key']) {
    await page.goto(`${owner.visitor.origin}/account/usage?by=${by}`);
    const height = await page.evaluate<number>('document.documentElement.scrollHeight');
    assert.ok(height < 1_800, `${by}: ${height}`);
  }
  await context.close();
});

test.run();
