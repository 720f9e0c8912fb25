/**
 * Sessions, approvals, statements, generations, activity and deposits of an account, through the API, the pages and the
 * command line: what they show, do and refuse must not differ.
 */
import { createHash } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import { authPath, fieldsOf, originOf, Visitor } from '../pages/visitor.ts';
import { client } from './client.ts';
import { comparable, Fronts, type Owner, post, refusal } from './fronts.ts';

const it = bounded(test, 120_000);

let fronts: Fronts;
test.before(async () => {
  fronts = await Fronts.open();
});
test.after(() => fronts.cluster.close());

it('a session is listed and ended by every front', async () => {
  const owner = await fronts.owner();
  const browser = async (): Promise<[Visitor, string]> => {
    const { link } = await fronts.ran<{ link: string }>('accounts', 'invite', owner.id);
    const visitor = new Visitor(originOf(fronts.cluster));
    await visitor.post('/sign-in', { invite: new URL(link).searchParams.get('invite') as string });
    const { data } = (await owner.api.send('GET', '/sessions')).body as { data: [{ id: string }] };
    return [visitor, data[0].id];
  };
  const listed = async (): Promise<readonly string[]> => {
    const { data } = (await owner.api.send('GET', '/sessions')).body as { data: { id: string }[] };
    const commanded = await fronts.ran<{ session: string }[]>('accounts', 'sessions', owner.id);
    const ids = data.map(({ id }) => id);
    assert.equal(
      commanded.map(({ session }) => session.slice(session.indexOf('/') + 1)),
      ids,
    );
    const { text } = await owner.page.get('/account/sessions');
    for (const id of ids) assert.match(text, id);
    return ids;
  };
  const [first, firstId] = await browser();
  const [second, secondId] = await browser();
  assert.equal((await listed()).length, 3);
  await owner.api.send('DELETE', `/sessions/${firstId}`);
  await post(owner, '/account/sessions', { session: secondId });
  assert.equal((await listed()).length, 1);
  for (const visitor of [first, second]) assert.is((await visitor.get('/account/sessions')).status, 303);
  const unknown = `ses_${'0'.repeat(32)}`;
  assert.is(await refusal(owner.api.send('DELETE', `/sessions/${unknown}`)), 'No such session');
  assert.is(await post(owner, '/account/sessions', { session: unknown }), 'No such session');
  assert.equal(await fronts.ran('accounts', 'sign-out', owner.id), { ended: 1 });
  assert.is((await owner.page.get('/account/sessions')).status, 303);
});

const VERIFIER = 'a-verifier-of-forty-three-characters-or-more';
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

it('an approval of every front makes the same key, and an unsafe callback is refused in the same words', async () => {
  const callback = 'https://app.example/back';
  const keys: object[] = [];
  const approvals: readonly ((owner: Owner) => Promise<string>)[] = [
    async ({ api }) => {
      const body = { callback_url: callback, code_challenge: CHALLENGE, limit: '2' };
      return ((await api.send('POST', '/auth/keys/code', body)).body as { data: { id: string } }).data.id;
    },
    async ({ page }) => {
      const seen = await page.get(authPath(CHALLENGE, { callback_url: callback, limit: '2' }));
      const { headers } = await page.post('/auth', { ...fieldsOf(seen, '/auth'), decision: 'approve' });
      return new URL(headers.get('location') as string).searchParams.get('code') as string;
    },
    async ({ id }) =>
      (await fronts.ran<{ code: string }>('keys', 'approve', id, callback, CHALLENGE, '--limit', '2')).code,
  ];
  for (const approve of approvals) {
    const owner = await fronts.owner();
    const code = await approve(owner);
    const trade = { code, code_verifier: VERIFIER, code_challenge_method: 'S256' };
    assert.is((await owner.api.send('POST', '/auth/keys', trade)).status, 200);
    keys.push(...(await fronts.keysOf(owner)).map(comparable));
  }
  assert.is(keys.length, 3);
  assert.equal([keys[1], keys[2]], [keys[0], keys[0]]);

  const owner = await fronts.owner();
  const unsafe = 'http://app.example/back';
  const body = { callback_url: unsafe, code_challenge: CHALLENGE };
  const message = await refusal(owner.api.send('POST', '/auth/keys/code', body));
  assert.match(message, /callback_url must be an https address/);
  assert.is(await fronts.failure('keys', 'approve', owner.id, unsafe, CHALLENGE), message);
  assert.match((await owner.page.get(authPath(CHALLENGE, { callback_url: unsafe }))).text, message);
});

it('statements, generations, activity, deposits and notices read the same through every front', async () => {
  const owner = await fronts.owner();
  // No simulated endpoint is vetted for zero retention.
  assert.is((await owner.api.send('PATCH', '/workspaces/default', { zdr: false })).status, 200);
  const answer = await fetch(`${fronts.cluster.baseUrls[0]}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sim/echo', messages: [{ role: 'user', content: 'Count to three' }] }),
  });
  const { id: generation } = (await answer.json()) as { id: string };
  assert.is(answer.status, 200);
  const spending = client(fronts.cluster.baseUrls, owner.key);

  const { data } = (await spending.send('GET', '/statements')).body as { data: [{ month: string }] };
  const [{ month }] = data;
  const read = async (name: string): Promise<Response> =>
    fetch(`${fronts.cluster.baseUrls[0]}/statements/${name}`, { headers: { authorization: `Bearer ${owner.key}` } });
  const statement = await (await read(month)).text();
  assert.match(statement, /,charge,/);
  assert.is((await owner.page.get(`/account/statements/${month}.csv`)).text, statement);
  assert.is(await fronts.told('statements', owner.id, month), statement);
  for (const name of ['soon', '1999-01']) {
    const { error } = (await (await read(name)).json()) as { error: { message: string } };
    assert.is(await fronts.failure('statements', owner.id, name), error.message);
    assert.match((await owner.page.get(`/account/statements/${name}.csv`)).text, error.message);
  }

  const { data: record } = (await spending.send('GET', `/generation?id=${generation}`)).body as { data: object };
  const { account, ...commanded } = JSON.parse(await fronts.told('generation', generation)) as { account: string };
  assert.equal([account, commanded], [owner.id, record]);
  assert.match((await owner.page.get(`/account/generations/${generation}`)).text, 'sim/echo');
  assert.is(await refusal(spending.send('GET', '/generation?id=gen-nope')), 'Generation not found');
  assert.match((await owner.page.get('/account/generations/gen-nope')).text, 'Generation not found');
  assert.match(await fronts.failure('generation', 'gen-nope'), /there is no generation gen-nope/);

  const [, line = ''] = (await owner.page.get('/account/usage.csv?days=7')).text.split('\r\n');
  const [used] = JSON.parse(await fronts.told('export', 'usage', owner.id, '--format', 'json')) as [{ usd: string }];
  assert.match(line, used.usd);
  assert.match(statement, `-${used.usd},`);

  const { data: deposits } = (await spending.send('GET', '/deposits')).body as { data: { id: string }[] };
  const credited = await fronts.ran<{ id: string }[]>('deposits', 'list', owner.id);
  assert.equal(
    credited.map(({ id }) => id),
    deposits.map(({ id }) => id),
  );
  assert.equal(await fronts.ran('deposits', 'notice', owner.id, '5'), { lowBalance: '5' });
  const set = await owner.api.send('POST', '/credits/notice', { low_balance: '5' });
  assert.equal(set.body, { data: { low_balance: 5 } });
  const wrong = await refusal(owner.api.send('POST', '/credits/notice', { low_balance: 'much' }));
  assert.is(await fronts.failure('deposits', 'notice', owner.id, 'much'), wrong);
});

test.run();
