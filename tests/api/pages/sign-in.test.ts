import { OpenRouter } from '@openrouter/sdk';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { changeAccount } from '../../../actors/account/account.ts';
import { listAudit } from '../../../actors/audit/audit.ts';
import { changeKey } from '../../../actors/key/key.ts';
import { systemRandom } from '../../../actors/runtime/index.ts';
import { createInvitation } from '../../../actors/session/invitation.ts';
import { invitationAddress, oneTimeSecret, secretDigest } from '../../../actors/terms/one-time.ts';
import { readPepper } from '../../../gateway/operator/config/secrets.ts';
import { START_PAGE } from '../../../gateway/pages/sign-in/sign-in-routes.ts';
import { bounded } from '../../support/bounded.ts';
import { startCluster, type TestCluster } from '../../support/cluster/start-cluster.ts';
import { TESTER } from '../../support/tester.ts';
import { openApi } from '../client.ts';
import { openCluster } from './cluster.ts';
import { authPath, codeOf, decide, fieldsOf, originOf, pkce, signedIn, Visitor } from './visitor.ts';

const it = bounded(test);
const OPERATOR = { kind: 'operator', id: 'ops' } as const;
const SESSIONS = '/account/sessions';

const { cluster } = await openApi(test, openCluster);
const node = (cluster.nodes[0] as TestCluster['nodes'][number]).cluster;

async function invitation(account: string, lifetimeMs = 3_600_000): Promise<string> {
  const secret = oneTimeSecret(systemRandom);
  const digest = secretDigest(await readPepper(cluster.folder), 'invitation', secret);
  await createInvitation(node, invitationAddress(account, systemRandom), { digest, lifetimeMs, by: OPERATOR }, 5_000);
  return secret;
}
const cookieOf = (visitor: Visitor): string => visitor.cookies.get('__Host-troupe-session') ?? '';
const actionsOf = async (account: string) =>
  (await listAudit(node.rows, account, { limit: 100, before: null })).map(({ action, by }) => `${action} ${by.kind}`);

it('every sign-in has a new secret, whatever the browser sent before; the old session ends (rule K36)', async () => {
  const { visitor, key, account } = await signedIn(cluster);
  const first = cookieOf(visitor);
  assert.match(first, /^[0-9a-f]{64}$/);
  await visitor.signIn(key);
  assert.is.not(cookieOf(visitor), first);
  const old = new Visitor(visitor.origin);
  old.cookies.set('__Host-troupe-session', first);
  assert.is((await old.get(SESSIONS)).status, 303, 'the first session has ended');
  const planted = new Visitor(visitor.origin);
  planted.cookies.set('__Host-troupe-session', 'f'.repeat(64));
  await planted.signIn(key);
  assert.is.not(cookieOf(planted), 'f'.repeat(64));
  assert.equal((await actionsOf(account)).slice(0, 4), [
    'session.open key',
    'session.close session',
    'session.open key',
    'session.open key',
  ]);
});

it('a wrong, a dead and a malformed key open nothing and have one answer; an inference key is told apart', async () => {
  const { account, key, keyAddress } = await signedIn(cluster);
  const inference = await cluster.issue(`account:${account}`);
  await changeKey(node, keyAddress, 'revoke', 5_000, TESTER);
  const visitor = new Visitor(originOf(cluster));
  const answers = new Set<string>();
  for (const wrong of [`sk-gw-v1-${'0'.repeat(64)}`, key, 'nonsense', '', '<script>']) {
    const seen = await visitor.post('/sign-in', { key: wrong });
    assert.is(seen.status, 401, wrong);
    assert.is(visitor.cookies.size, 0);
    answers.add(seen.text);
  }
  assert.is(answers.size, 1);
  const seen = await visitor.post('/sign-in', { key: inference.key });
  assert.is(seen.status, 401);
  assert.match(seen.text, 'Signing in needs a management key');
});

it('a session ends with the key that opened it, with its account, and on every node (rule K37)', async () => {
  const { visitor, keyAddress } = await signedIn(cluster);
  const elsewhere = new Visitor(originOf(cluster, 1));
  elsewhere.cookies.set('__Host-troupe-session', cookieOf(visitor));
  assert.is((await elsewhere.get(SESSIONS)).status, 200, 'a session is open on every node');
  await changeKey(node, keyAddress, 'revoke', 5_000, TESTER);
  for (const each of [visitor, elsewhere]) assert.is((await each.get(SESSIONS)).status, 303);
  const other = await signedIn(cluster);
  await changeAccount(node, `account:${other.account}`, 'suspend', 5_000, TESTER);
  assert.is((await other.visitor.get(SESSIONS)).status, 303);
});

it('a one-time link signs in once, by its button and not by being opened (rule K38)', async () => {
  const { account } = await signedIn(cluster);
  const secret = await invitation(account);
  const visitor = new Visitor(originOf(cluster));
  for (let opened = 0; opened < 3; opened++) {
    const page = await visitor.get(`/sign-in?invite=${secret}`);
    assert.is(page.status, 200);
    assert.is(visitor.cookies.size, 0);
    assert.is(fieldsOf(page, '/sign-in').invite, secret);
  }
  const others = Array.from({ length: 12 }, (_, i) => new Visitor(originOf(cluster, i % 3)));
  const answers = await Promise.all(others.map((each) => each.post('/sign-in', { invite: secret })));
  assert.equal(answers.map(({ status }) => status).sort(), [303, ...Array<number>(11).fill(401)]);
  const winner = others.find((each) => each.cookies.size > 0) as Visitor;
  assert.is((await winner.get(SESSIONS)).status, 200);
  for (const wrong of [secret, '0'.repeat(64), 'nonsense', ''])
    assert.is((await visitor.post('/sign-in', { invite: wrong })).status, 401);
  await changeAccount(node, `account:${account}`, 'suspend', 5_000, TESTER);
  assert.is((await winner.get(SESSIONS)).status, 303);
  assert.ok((await actionsOf(account)).includes('invitation.create operator'));
});

it('sessions are listed and ended by their owner alone', async () => {
  const { visitor, key } = await signedIn(cluster);
  const second = new Visitor(originOf(cluster, 2));
  await second.signIn(key);
  const page = await visitor.get(SESSIONS);
  const ids = [...page.text.matchAll(/name="session" value="(ses_[0-9a-f]{32})"/g)].map(([, id]) => id as string);
  assert.is(ids.length, 2);
  const [newest = '', oldest = ''] = ids;
  const { token = '' } = fieldsOf(page, SESSIONS);
  const stranger = await signedIn(cluster);
  const own = fieldsOf(await stranger.visitor.get(SESSIONS), SESSIONS);
  assert.is((await stranger.visitor.post(SESSIONS, { token: own.token as string, session: oldest })).status, 404);
  for (const wrong of ['', 'ses_1', `${'ses_'}${'0'.repeat(32)}`, '../account'])
    assert.is((await visitor.post(SESSIONS, { token, session: wrong })).status, 404, wrong);
  assert.is((await visitor.post(SESSIONS, { session: newest })).status, 403);
  assert.is((await visitor.post(SESSIONS, { token, session: newest })).headers.get('location'), SESSIONS);
  assert.is((await second.get(SESSIONS)).status, 303);
  assert.is((await visitor.post(SESSIONS, { token, session: oldest })).headers.get('location'), '/sign-in?out');
  assert.is(visitor.cookies.size, 0);
});

it('signing out needs the token, ends the session and clears the cookie (rule K37)', async () => {
  const { visitor } = await signedIn(cluster);
  const kept = new Visitor(visitor.origin);
  kept.cookies.set('__Host-troupe-session', cookieOf(visitor));
  assert.is((await visitor.post('/sign-out', {})).status, 403);
  const fields = fieldsOf(await visitor.get(SESSIONS), '/sign-out');
  assert.is((await visitor.post('/sign-out', fields)).status, 303);
  assert.is(visitor.cookies.size, 0);
  assert.is((await kept.get(SESSIONS)).status, 303);
});

it('the sign-in leads to a page of this site only', async () => {
  const { key, visitor } = await signedIn(cluster);
  for (const [next, leads] of [
    ['/auth?a=1', '/auth?a=1'],
    ['https://evil.example/', START_PAGE],
    ['//evil.example/', START_PAGE],
    ['/\\evil.example/', START_PAGE],
    ['/a/..//evil.example', START_PAGE],
    ['/\t/evil.example', START_PAGE],
    ['javascript:alert(1)', START_PAGE],
    ['', START_PAGE],
  ] as const)
    assert.is((await visitor.post('/sign-in', { key, next })).headers.get('location'), leads, next);
});

it('over plain HTTP of another host no key is taken, and behind a TLS proxy the site keeps to it', async () => {
  const { key, visitor } = await signedIn(cluster);
  const far = new Visitor(visitor.origin);
  const headers = { 'x-forwarded-host': 'troupe.example' };
  assert.is((await far.post('/sign-in', { key }, headers)).status, 403);
  assert.is(far.cookies.size, 0);
  const page = await far.get('/sign-in', headers);
  assert.not.match(page.text, 'name="key"');
  assert.is(page.headers.get('strict-transport-security'), null);
  const behind = await far.get('/sign-in', { ...headers, 'x-forwarded-proto': 'https' });
  assert.is(behind.headers.get('strict-transport-security'), 'max-age=31536000');
  const signed = await far.post(
    '/sign-in',
    { key },
    { ...headers, 'x-forwarded-proto': 'https', 'sec-fetch-site': '', origin: 'https://troupe.example' },
  );
  assert.is(signed.status, 303);
});

it('guesses are counted by their client address, as requests with unknown keys are', async () => {
  const small = await startCluster({ simulators: ['sim-a'], rates: { addressPerMinute: 10 } });
  try {
    const visitor = new Visitor(originOf(small));
    const guess = () => visitor.post('/sign-in', { key: 'sk-gw-v1-0' });
    let seen = await guess();
    // Ends at the bound of a minute, however many minutes have begun meanwhile.
    while (seen.status === 401) seen = await guess();
    assert.is(seen.status, 429);
    assert.match(seen.text, /Try again in \d+ s/);
  } finally {
    await small.close();
  }
});

it('the pages of an account follow the rate limit of the key that signed in, in all its browsers together', async () => {
  const rates = { keyPerMinute: 20, addressPerMinute: 1_000_000 };
  const small = await startCluster({ nodes: 2, simulators: ['sim-a'], rates });
  try {
    const { visitor, key } = await signedIn(small);
    const second = new Visitor(originOf(small, 1));
    await second.signIn(key);
    // Ends at the bound of a minute; a minute may begin meanwhile.
    let pages = 0;
    let seen = await visitor.get('/account/keys');
    for (const browser of Array.from({ length: 80 }, (_, at) => (at % 2 === 0 ? second : visitor))) {
      if (seen.status !== 200) break;
      pages += 1;
      seen = await browser.get(pages % 3 === 0 ? '/account' : '/account/keys');
    }
    assert.is(seen.status, 429, `${pages} pages`);
    assert.ok(pages <= 2 * rates.keyPerMinute, `${pages} pages`);
    assert.match(seen.text, /Rate limit of 20 requests per minute/);
    const api = await fetch(`${small.baseUrls[0]}/keys`, { headers: { authorization: `Bearer ${key}` } });
    await api.text();
    assert.is(api.status, 429, 'pages and API spend one limit');
  } finally {
    await small.close();
  }
});

it('the helper of @openrouter/sdk leads to the page and trades its code', async () => {
  const { visitor, account } = await signedIn(cluster);
  const client = new OpenRouter({ serverURL: cluster.baseUrls[1] as string, apiKey: '' });
  const { codeChallenge, codeVerifier } = await client.oAuth.createSHA256CodeChallenge();
  const url = await client.oAuth.createAuthorizationUrl({
    ...{ callbackUrl: 'https://app.example/callback', limit: 1.5, codeChallenge, codeChallengeMethod: 'S256' },
  });
  const { pathname, search } = new URL(url);
  const code = codeOf(await decide(visitor, `${pathname}${search}`));
  const issued = await client.oAuth.exchangeAuthCodeForAPIKey({
    requestBody: { code, codeVerifier, codeChallengeMethod: 'S256' },
  });
  const { key, userId } = issued;
  assert.is(userId, account);
  const own = await new OpenRouter({
    serverURL: cluster.baseUrls[2] as string,
    apiKey: key,
  }).apiKeys.getCurrentKeyMetadata();
  assert.is(own.data.limit, 1.5);
});

it('no secret of a sign-in or an approval is stored or logged (rule K3)', async () => {
  const { visitor, account } = await signedIn(cluster);
  const secret = await invitation(account);
  const pair = pkce();
  const code = codeOf(await decide(visitor, authPath(pair.challenge)));
  const { readdirSync, readFileSync, statSync } = await import('node:fs');
  const filesWith = (text: string, folder = cluster.folder): readonly string[] =>
    readdirSync(folder).flatMap((name) => {
      const path = `${folder}/${name}`;
      if (statSync(path).isDirectory()) return filesWith(text, path);
      return readFileSync(path).includes(text) ? [path] : [];
    });
  assert.ok(filesWith(account).length > 0);
  for (const text of [cookieOf(visitor), secret, code]) assert.equal(filesWith(text), []);
});

test.run();
