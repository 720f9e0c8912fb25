/** The lists of an account: searched, filtered, sorted and continued by their address, without a script. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import type { TestCluster } from '../../support/cluster/start-cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { clientOf } from '../client.ts';
import { openCluster } from './cluster.ts';
import { originOf, type Person, signedIn, Visitor } from './visitor.ts';

const it = bounded(test, 120_000);

let cluster: TestCluster;
let owner: Person;
/** Texts of two inference keys of the owner, and their local ids. */
let first: { readonly text: string; readonly id: string };
let second: { readonly text: string; readonly id: string };
let generations: readonly string[];
let batch: string;

test.before(async () => {
  cluster = await openCluster();
  owner = await signedIn(cluster);
  first = await issued('first of all');
  second = await issued('second, for tests');
  const models = ['sim/fast', 'sim/vision', 'sim/fast', 'sim/tools'];
  generations = [];
  for (const [at, model] of models.entries()) {
    const { text } = at === 1 ? second : first;
    const answer = await call('/chat/completions', { model, messages: [{ role: 'user', content: 'Hello' }] }, text);
    assert.is(answer.status, 200, await answer.clone().text());
    await answer.text();
    generations = [...generations, answer.headers.get('x-generation-id') as string];
  }
  batch = await submitted(2);
  await submitted(1);
  for (const name of ['a small.txt', 'a larger one.txt']) {
    const form = new FormData();
    form.append('purpose', name.includes('larger') ? 'user_data' : 'assistants');
    form.append('file', new Blob([name]), name);
    assert.is((await call('/files', form, first.text)).status, 200);
  }
});
test.after(() => cluster.close());

async function issued(name: string): Promise<{ readonly text: string; readonly id: string }> {
  const { key, keyAddress: address } = await cluster.issue(`account:${owner.account}`, { name });
  return { text: key, id: address.slice(address.indexOf('/') + 1) };
}

const call = (path: string, body: object, key: string) => clientOf(cluster, key).send(path, { body });

async function submitted(lines: number): Promise<string> {
  const body = { model: 'sim/fast', messages: [{ role: 'user', content: 'Hello' }] };
  const requests = Array.from({ length: lines }, (_, at) => ({ custom_id: `r${at}`, body }));
  const answer = await call('/batches', { endpoint: '/v1/chat/completions', requests }, first.text);
  const { id } = (await answer.json()) as { readonly id: string };
  await eventually(async () => assert.match((await owner.visitor.get(`/account/batches/${id}`)).text, 'completed'));
  return id;
}

/** The first cell of each row of the list, as text, and the page. */
async function shown(path: string): Promise<readonly string[]> {
  const { status, text } = await owner.visitor.get(path);
  assert.is(status, 200, `${path}: ${text}`);
  return rowsOf(text).map((cells) => cells[0] as string);
}

/** The cells of each row as text. */
function rowsOf(page: string): readonly (readonly string[])[] {
  const [list = ''] = page.slice(page.indexOf('<div id="list">')).split('</section>');
  const body = /<tbody>([\s\S]*?)<\/tbody>/.exec(list)?.[1] ?? '';
  return [...body.matchAll(/<tr>([\s\S]*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<td[^>]*>([\s\S]*?)<\/td>/g)].map(([, cell = '']) => cell.replaceAll(/<[^>]*>/g, '').trim()),
  );
}

it('generations are searched, filtered by outcome, key and day, and sorted by cost', async () => {
  const path = '/account/generations';
  const all = await shown(path);
  assert.is(all.length, generations.length + 3, 'those of the batches too');
  assert.equal(await shown(`${path}?q=VISION`), ['sim/vision']);
  assert.equal(await shown(`${path}?q=${generations[3]}`), ['sim/tools'], 'an id is found at once');
  assert.equal(await shown(`${path}?key=${second.id}`), ['sim/vision']);
  assert.equal(await shown(`${path}?outcome=released`), []);
  assert.is((await shown(`${path}?from=2020-01-01&to=2020-01-02`)).length, 0);
  assert.equal(await shown(`${path}?sort=oldest&q=sim/`), [...all].reverse());
  const costs = rowsOf((await owner.visitor.get(`${path}?sort=cost`)).text).map((cells) => cells.at(-1) as string);
  assert.equal(costs, [...costs].sort().reverse());
  assert.is(new Set(costs).size > 1, true);
});

it('keys are searched, filtered and sorted, and none that shares its time with others is left out', async () => {
  const path = '/account/keys';
  assert.equal(await shown(`${path}?q=for tests`), ['second, for tests']);
  assert.equal(await shown(`${path}?q=${first.id}`), ['first of all']);
  assert.is((await shown(`${path}?may=management`)).length, 1);
  assert.equal(await shown(`${path}?status=revoked`), []);
  const names = await shown(`${path}?sort=name`);
  assert.equal(
    names,
    [...names].sort((a, b) => a.localeCompare(b)),
  );
  const person = await signedIn(cluster);
  const made = Array.from({ length: 60 }, (_, nth) => `key ${nth}`);
  await Promise.all(made.map((name) => cluster.issue(`account:${person.account}`, { name })));
  const seen: string[] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const { text } = await person.visitor.get(next);
    seen.push(...rowsOf(text).map((cells) => cells[0] as string));
    next = /href="([^"]+)" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
  }
  assert.equal(seen.filter((name) => name.startsWith('key ')).sort(), [...made].sort());
});

it('the ledger, the audit log, batches and files are narrowed and sorted by the same members', async () => {
  assert.is((await shown('/account/credits?type=deposit')).length, 1);
  assert.is((await shown(`/account/credits?key=${second.id}`)).length, 1);
  assert.equal((await shown('/account/credits?sort=amount&type=charge')).length, generations.length + 3);
  assert.is((await shown('/account/credits?from=2099-01-01')).length, 0);
  assert.is((await shown('/account/credits?to=2020-01-01')).length, 0);
  assert.match((await shown('/account/audit?action=session.open'))[0] ?? '', 'session.open');
  assert.equal(await shown('/account/audit?result=refused'), []);
  assert.ok((await shown('/account/audit?q=first of all')).length >= 1);
  assert.is((await shown('/account/batches?status=completed')).length, 2);
  assert.equal(await shown('/account/batches?status=failed'), []);
  assert.is((await shown(`/account/batches?q=${batch}`)).length, 1);
  const lines = rowsOf((await owner.visitor.get('/account/batches?sort=lines')).text).map((cells) => cells.at(-1));
  assert.equal(lines, ['2 of 2', '1 of 1']);
  assert.equal(await shown('/account/files?purpose=assistants'), ['a small.txt']);
  assert.equal((await shown('/account/files?sort=size&q=txt'))[0], 'a larger one.txt');
  assert.equal(await shown('/account/videos?status=completed&sort=cost&q=sim'), []);
});

it('a narrowed list without a match says so, and a member that cannot be read is named', async () => {
  assert.match((await owner.visitor.get('/account/generations?q=nothing')).text, 'Nothing matches');
  const refused = await owner.visitor.get('/account/batches?status=lost');
  assert.is(refused.status, 400);
  assert.match(refused.text, 'status must be one of its list');
  const stranger = new Visitor(originOf(cluster));
  const { headers } = await stranger.get('/account/generations?q=a&sort=cost');
  assert.is(headers.get('location'), '/sign-in?next=%2Faccount%2Fgenerations%3Fq%3Da%26sort%3Dcost');
});

it('what rows refer to has its name, and every time its seconds', async () => {
  const paths = ['/account', '/account/generations', `/account/generations/${generations[0]}`, '/account/credits'];
  const more = ['/account/audit', '/account/sessions', `/account/batches/${batch}`, '/account/keys', '/account/usage'];
  for (const path of [...paths, ...more]) {
    const { text } = await owner.visitor.get(path);
    const body = text.slice(text.indexOf('<main'), text.indexOf('<details class="panel"><summary>The record'));
    const words = body.replaceAll(/<[^>]*>/g, ' ');
    assert.not.match(words, /\b(?:key|ep|tar|ses)_[0-9A-Za-z]{6}/, path);
    assert.not.match(words, /\d{4}-\d\d-\d\d\s+\d\d:\d\d(?!:\d\d)/, path);
  }
  const ledger = rowsOf((await owner.visitor.get('/account/credits?type=charge')).text);
  assert.ok(ledger.some((cells) => cells.includes('second, for tests')));
  const audit = (await owner.visitor.get('/account/audit')).text;
  assert.match(audit, /session\.open[\s\S]*title="session:[^"]+"[^>]*>node</);
});

test.run();
