/** The pages of an account: every one of them, as its owner, as somebody else, and with forms from elsewhere. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import type { TestCluster } from '../../support/cluster/start-cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { accountTable } from '../../support/route-table.ts';
import { clientOf } from '../client.ts';
import { openCluster } from './cluster.ts';
import { fieldsOf, type Person, signedIn, Visitor } from './visitor.ts';

const it = bounded(test, 120_000);

let cluster: TestCluster;
let owner: Person;
let other: Person;
/** An inference key of the owner, and what was done with it. */
let key: string;
let ids: Readonly<Record<'generation' | 'batch' | 'file', string>>;

test.before(async () => {
  cluster = await openCluster();
  [owner, other] = [await signedIn(cluster), await signedIn(cluster, 1)];
  key = await createKey(owner, { name: 'made <here>', limit: '5', window: 'daily' });
  ids = await useKey();
});
test.after(() => cluster.close());

/** Creates a key as a person does, and returns its text. */
async function createKey({ visitor }: Person, entries: Readonly<Record<string, string>>): Promise<string> {
  const form = fieldsOf(await visitor.get('/account/keys'), '/account/keys');
  const made = await visitor.post('/account/keys', { kind: 'inference', expires: '', ...form, ...entries });
  assert.is(made.status, 200, made.text);
  const [text] = /sk-gw-v1-[0-9a-f]{64}/.exec(made.text) ?? [];
  assert.ok(text, 'the page shows the key once');
  return text;
}

const call = (path: string, body: object, text = key) => clientOf(cluster, text).send(path, { body });

async function useKey() {
  const turn = { model: 'sim/fast', messages: [{ role: 'user', content: 'Hello' }] };
  const answer = await call('/chat/completions', turn);
  assert.is(answer.status, 200, await answer.text());
  const batch = await call('/batches', {
    endpoint: '/v1/chat/completions',
    requests: [{ custom_id: 'a', body: turn }],
  });
  const form = new FormData();
  form.append('purpose', 'user_data');
  form.append('file', new Blob(['%PDF-1.7\n% text\n']), 'Übersicht <b>.pdf');
  const file = await call('/files', form);
  return {
    generation: answer.headers.get('x-generation-id') as string,
    batch: ((await batch.json()) as { readonly id: string }).id,
    file: ((await file.json()) as { readonly id: string }).id,
  };
}

it('every page of the account answers its owner, leads a stranger to sign in, and is written for nobody else', async () => {
  const stranger = new Visitor(owner.visitor.origin);
  const paths = new Set(
    accountTable()
      .filter(({ method }) => method === 'GET')
      .map(({ path }) => path),
  );
  const pages = [...paths].filter((path) => !path.includes(':') && !path.endsWith('.csv'));
  assert.ok(pages.length >= 9, pages.join(' '));
  for (const path of [...pages, `/account/generations/${ids.generation}`, `/account/batches/${ids.batch}`]) {
    const own = await owner.visitor.get(path);
    assert.is(own.status, 200, `${path}: ${own.text}`);
    assert.match(own.headers.get('content-security-policy') ?? '', "default-src 'none'");
    assert.is(own.headers.get('cache-control'), 'no-store');
    assert.match(own.text, owner.account);
    const refused = await stranger.get(path);
    assert.is(refused.status, 303, path);
    assert.is(refused.headers.get('location'), `/sign-in?${new URLSearchParams({ next: path })}`);
  }
});

it('what belongs to another account is absent, whichever page is asked for it', async () => {
  const keyPage = /\/account\/keys\/(key_\w+)/.exec((await owner.visitor.get('/account/keys')).text)?.[1];
  const paths = [
    ...[`/account/generations/${ids.generation}`, `/account/batches/${ids.batch}`, `/account/keys/${keyPage}`],
    ...[`/account/files/${ids.file}/content`, '/account/videos/vjob_00000000000000000000000000000000'],
  ];
  for (const path of paths) {
    const { status, text } = await other.visitor.get(path);
    assert.is(status, 404, `${path}: ${text}`);
  }
  const list = await other.visitor.get('/account/files');
  assert.not.match(list.text, ids.file);
});

it('money, generations, files and batches are shown, and text of a stranger stays text', async () => {
  const overview = await owner.visitor.get('/account');
  assert.match(overview.text, 'sim/fast');
  const credits = await owner.visitor.get('/account/credits');
  assert.match(credits.text, '$10.00');
  assert.match(credits.text, `/account/generations/${ids.generation}`);
  const story = await owner.visitor.get(`/account/generations/${ids.generation}`);
  assert.match(story.text, 'served');
  const files = await owner.visitor.get('/account/files');
  assert.match(files.text, 'Übersicht &lt;b&gt;.pdf');
  const keys = await owner.visitor.get('/account/keys');
  assert.match(keys.text, 'made &lt;here&gt;');
  assert.not.match(keys.text, key, 'a key is shown once');
  await eventually(async () => {
    assert.match((await owner.visitor.get(`/account/batches/${ids.batch}`)).text, '1 of 1');
  });
});

it('a file and a statement are downloads, with the type of their bytes', async () => {
  const file = await owner.visitor.get(`/account/files/${ids.file}/content`);
  assert.is(file.text, '%PDF-1.7\n% text\n');
  assert.match(file.headers.get('content-disposition') ?? '', 'attachment');
  assert.is(file.headers.get('x-content-type-options'), 'nosniff');
  const [month] = /\d{4}-\d{2}(?=\.csv)/.exec((await owner.visitor.get('/account/credits')).text) ?? [];
  const statement = await owner.visitor.get(`/account/statements/${month}.csv`);
  assert.match(statement.text, ids.generation);
  assert.match(statement.headers.get('content-disposition') ?? '', `statement-${month}.csv`);
});

it('a key is limited, disabled, enabled and revoked; the audit log names the session', async () => {
  const { visitor } = owner;
  const text = await createKey(owner, { name: 'short', limit: '', window: '' });
  const path = /href="(\/account\/keys\/key_\w+)">short</.exec(
    (await visitor.get('/account/keys')).text,
  )?.[1] as string;
  const turn = { model: 'sim/fast', messages: [{ role: 'user', content: 'Hello' }] };
  const change = async (action: string, entries: Readonly<Record<string, string>> = {}) => {
    const { status, text: page } = await visitor.post(action, {
      ...fieldsOf(await visitor.get(path), action),
      ...entries,
    });
    assert.is(status, 303, page);
  };
  await change(path, { name: 'shorter', limit: '0', window: 'monthly', expires: '' });
  assert.is((await call('/chat/completions', turn, text)).status, 402);
  await change(path, { name: 'shorter', limit: '', window: '', expires: '' });
  assert.is((await call('/chat/completions', turn, text)).status, 200);
  const steps = [
    ['disable', 401],
    ['enable', 200],
    ['revoke', 401],
  ] as const;
  for (const [action, status] of steps) {
    await change(`${path}/${action}`);
    await eventually(async () => assert.is((await call('/chat/completions', turn, text)).status, status, action));
  }
  assert.not.match((await visitor.get(path)).text, `${path}/enable`, 'a revoked key stays revoked');
  assert.match((await visitor.get('/account/audit')).text, 'session');
});

it('a wrong entry is told beside its field, and nothing is created', async () => {
  const { visitor } = other;
  const before = await visitor.get('/account/keys');
  const answer = await visitor.post('/account/keys', {
    ...fieldsOf(before, '/account/keys'),
    name: '<i>x',
    limit: '1e9',
    window: '',
    expires: '',
    kind: 'inference',
  });
  assert.is(answer.status, 400);
  assert.match(answer.text, 'id="limit-error"');
  assert.match(answer.text, 'value="&lt;i&gt;x"');
  const keysOf = (text: string): number => text.split('send requests</td>').length;
  assert.is(keysOf((await visitor.get('/account/keys')).text), keysOf(before.text));
});

it('every form is refused from another site, and without the token of its session (rule K33)', async () => {
  const forms = accountTable().filter(({ method }) => method === 'POST');
  assert.ok(forms.length >= 8);
  for (const { path } of forms) {
    const at = path.replace(':id', 'key_0');
    const foreign = await owner.visitor.post(
      at,
      {},
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    );
    assert.is(foreign.status, 403, path);
    assert.is((await owner.visitor.post(at, { token: 'x'.repeat(43) })).status, 403, path);
    assert.is((await new Visitor(owner.visitor.origin).post(at, {})).status, 401, path);
  }
});

test.run();
