import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listKeys } from '../../../actors/key/credential.ts';
import { showKey } from '../../../actors/key/key.ts';
import { bounded } from '../../support/bounded.ts';
import type { TestCluster } from '../../support/cluster/start-cluster.ts';
import { openApi } from '../client.ts';
import { openCluster } from './cluster.ts';
import { authPath, codeOf, decide, fieldsOf, originOf, pkce, signedIn, trade, tradeBody, Visitor } from './visitor.ts';

/** The approval page and the trade of its code. */
const it = bounded(test);

const { cluster, base, send } = await openApi(test, openCluster);
const person = await signedIn(cluster);
const node = (cluster.nodes[0] as TestCluster['nodes'][number]).cluster;

/** A fresh code of the person, with its verifier. */
async function freshCode(more: Record<string, string> = {}) {
  const pair = pkce();
  return { ...pair, code: codeOf(await decide(person.visitor, authPath(pair.challenge, more))) };
}
const keysOf = async (account: string): Promise<number> => (await listKeys(node, `account:${account}`, 1_000)).length;

it('an approval returns the browser to its callback, and the code becomes a key that works', async () => {
  const pair = pkce();
  const { status, headers } = await decide(person.visitor, authPath(pair.challenge, { limit: '2.50' }));
  assert.is(status, 303);
  const location = headers.get('location') ?? '';
  assert.match(location, /^https:\/\/app\.example\/callback\?state=1&code=[\w-]{43}$/);
  const code = new URL(location).searchParams.get('code') as string;
  const answer = await trade(base, tradeBody(code, pair));
  assert.is(answer.status, 200, answer.text);
  const { key, user_id: user } = JSON.parse(answer.text) as { key: string; user_id: string };
  assert.is(user, person.account);
  assert.is(answer.headers.get('cache-control'), 'no-store');
  const shown = await send('/key', { key });
  const { data } = (await shown.json()) as { data: { limit: number; limit_reset: null; name: string } };
  assert.equal([data.limit, data.limit_reset, data.name], [2.5, null, 'app.example']);
});

it('declining returns the browser with access_denied and issues nothing (rule K31)', async () => {
  const { status, headers } = await decide(person.visitor, authPath(pkce().challenge), 'decline');
  assert.is(status, 303);
  assert.is(headers.get('location'), 'https://app.example/callback?state=1&error=access_denied');
});

it('a wrong, used, expired or unknown code, another method and a missing member have one answer (rule K24)', async () => {
  const first = await freshCode();
  const used = await freshCode();
  assert.is((await trade(base, tradeBody(used.code, used))).status, 200);
  const spoiled = await freshCode();
  const wrong = tradeBody(first.code, pkce());
  const texts = new Set<string>();
  for (const body of [
    wrong,
    tradeBody(first.code, first),
    tradeBody(used.code, used),
    tradeBody('A'.repeat(43), used),
    tradeBody('', used),
    { code: spoiled.code, code_verifier: spoiled.verifier },
    { code: spoiled.code, code_challenge_method: 'S256' },
    { code_verifier: spoiled.verifier, code_challenge_method: 'S256' },
    { ...tradeBody(spoiled.code, spoiled), code_challenge_method: 'plain' },
    { ...tradeBody(spoiled.code, spoiled), code_challenge_method: null },
    { ...tradeBody(spoiled.code, spoiled), code_verifier: 1 },
    { ...tradeBody(spoiled.code, spoiled), code: { toString: 'x' } },
    null,
    [],
    'text',
    {},
  ]) {
    const answer = await trade(base, body as object);
    assert.is(answer.status, 400, JSON.stringify(body));
    texts.add(answer.text);
  }
  assert.is(texts.size, 1, [...texts].join('\n'));
  assert.match([...texts][0] ?? '', /"error_type":"invalid_request"/);
});

it('a code is dead after its ten minutes, with the same answer (rule K24)', async () => {
  // The time itself is judged in tests/actors/issuance-code; here the lifetime of the node is the published one.
  const { default: config } = await import('../../../cluster.config.ts');
  assert.is(config.signIn.codeMs, 600_000);
});

it('a hundred parallel trades on three nodes make one key (rule K23)', async () => {
  const pair = await freshCode();
  const before = await keysOf(person.account);
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, i) => trade(cluster.baseUrls[i % 3] as string, tradeBody(pair.code, pair))),
  );
  assert.is(answers.filter(({ status }) => status === 200).length, 1);
  assert.is(new Set(answers.filter(({ status }) => status !== 200).map(({ text }) => text)).size, 1);
  assert.is((await keysOf(person.account)) - before, 1);
});

it('of parallel trades with right and wrong verifiers at most one makes a key, and the code is dead after them (rule K23)', async () => {
  for (let round = 0; round < 5; round++) {
    const pair = await freshCode();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        trade(cluster.baseUrls[i % 3] as string, tradeBody(pair.code, i % 2 === 0 ? pair : pkce())),
      ),
    );
    assert.ok(answers.filter(({ status }) => status === 200).length <= 1);
    assert.is((await trade(base, tradeBody(pair.code, pair))).status, 400);
  }
});

it('a verifier has 43 to 128 characters of its alphabet (rule K25)', async () => {
  for (const [verifier, status] of [
    ['a'.repeat(42), 400],
    ['a'.repeat(43), 200],
    ['-._~'.repeat(32), 200],
    ['a'.repeat(129), 400],
    [`${'a'.repeat(42)}+`, 400],
    [`${'a'.repeat(42)}é`, 400],
    [`${'a'.repeat(43)}\n`, 400],
  ] as const) {
    const pair = pkce(verifier);
    const code = codeOf(await decide(person.visitor, authPath(pair.challenge)));
    assert.is((await trade(base, tradeBody(code, pair))).status, status, verifier);
  }
});

it('the plain method is refused on the page and in the trade (rule K25)', async () => {
  const page = await person.visitor.get(authPath('a'.repeat(43), { code_challenge_method: 'plain' }));
  assert.is(page.status, 400);
  assert.match(page.text, /must be S256/);
});

it('a request that cannot be trusted is a page of its own and leads nowhere (rule K26)', async () => {
  const { challenge } = pkce();
  for (const more of [
    { callback_url: 'javascript:alert(1)' },
    { callback_url: 'http://app.example/' },
    { callback_url: 'https://app.example/#x' },
    { callback_url: `https://app.example/${'a'.repeat(8_000)}` },
    { limit: '1e9' },
    { limit: '-1' },
    { limit: '0x10' },
    { limit: 'NaN' },
    { limit: '9'.repeat(10_000) },
    { response_mode: 'fragment' },
    { code_challenge: 'short' },
  ]) {
    for (const visitor of [person.visitor, new Visitor(originOf(cluster))]) {
      const seen = await visitor.get(authPath(challenge, more));
      assert.is(seen.status, 400, JSON.stringify(more).slice(0, 200));
      assert.is(seen.headers.get('location'), null);
      assert.not.match(seen.text, /<form[^>]*action="\/auth"/);
    }
    const fields = fieldsOf(await person.visitor.get(authPath(challenge)), '/auth');
    const sent = await person.visitor.post('/auth', { ...fields, ...more, decision: 'approve' });
    assert.is(sent.status, 400, 'the form is judged as the page is');
    assert.is(sent.headers.get('location'), null);
  }
  const twice = await person.visitor.get(`${authPath(challenge)}&callback_url=https%3A%2F%2Fevil.example`);
  assert.is(twice.status, 400);
});

it('the page shows the origin in punycode and the limit before the approval (rule K27)', async () => {
  const callback_url = 'https://xn--pple-43d.com:8443/cb';
  const { text } = await person.visitor.get(authPath(pkce().challenge, { callback_url, limit: '0.5' }));
  assert.match(text, '<strong>https://xn--pple-43d.com:8443</strong>');
  assert.match(text, /at most <strong>0\.50 USD<\/strong>/);
  const unlimited = await person.visitor.get(authPath(pkce().challenge));
  assert.match(unlimited.text, /<strong>without a limit<\/strong>/);
});

it('the code of a callback on the own machine stays on the page; manual shows it without a link (rule K28)', async () => {
  for (const host of ['localhost:3000', '127.0.0.1:3000', '[::1]:3000']) {
    const pair = pkce();
    const callback_url = `http://${host}/cb?a=b`;
    const seen = await decide(person.visitor, authPath(pair.challenge, { callback_url }));
    assert.is(seen.status, 200, host);
    assert.is(seen.headers.get('location'), null);
    assert.match(seen.text, `href="http://${host}/cb?a=b&amp;code=${codeOf(seen)}"`);
    assert.is((await trade(base, tradeBody(codeOf(seen), pair))).status, 200);
    const declined = await decide(person.visitor, authPath(pair.challenge, { callback_url }), 'decline');
    assert.is(declined.status, 303);
    assert.is(declined.headers.get('location'), `http://${host}/cb?a=b&error=access_denied`);
    assert.match(declined.headers.get('content-security-policy') ?? '', `form-action 'self' http://${host}`);
  }
  const manual = pkce();
  const seen = await decide(person.visitor, authPath(manual.challenge, { response_mode: 'manual' }));
  assert.is(seen.status, 200);
  assert.not.match(seen.text, 'app.example/callback');
  assert.is((await trade(base, tradeBody(codeOf(seen), manual))).status, 200);
});

it('an approval without the token, from another site or of another session is refused with 403 (rule K33)', async () => {
  const { visitor } = person;
  const page = await visitor.get(authPath(pkce().challenge));
  const fields = { ...fieldsOf(page, '/auth'), decision: 'approve' };
  const { token, ...tokenless } = fields as Record<string, string>;
  const other = await signedIn(cluster);
  const foreign = fieldsOf(await other.visitor.get(authPath(pkce().challenge)), '/auth').token as string;
  for (const [what, sent, headers] of [
    ['without the token', tokenless, {}],
    ['with an empty token', { ...fields, token: '' }, {}],
    ['with the token of another session', { ...fields, token: foreign }, {}],
    ['from another site', fields, { 'sec-fetch-site': 'cross-site' }],
    ['from a sibling', fields, { 'sec-fetch-site': 'same-site' }],
    ['from another origin', fields, { origin: 'https://evil.example' }],
    ['from another port', fields, { origin: 'http://127.0.0.1:1' }],
    ['from an older browser on another site', fields, { origin: 'https://evil.example', 'sec-fetch-site': '' }],
  ] as const) {
    const seen = await visitor.post('/auth', sent, headers);
    assert.is(seen.status, 403, `${what}: ${seen.text}`);
    assert.is(seen.headers.get('location'), null);
  }
  assert.ok(token);
  assert.is((await visitor.post('/auth', fields, { origin: visitor.origin })).status, 303);
  assert.is((await new Visitor(visitor.origin).post('/auth', fields)).status, 401, 'without a session');
});

it('pages are not framed, not kept, tell no site where they came from, and run no inline script (rule K34)', async () => {
  const page = await person.visitor.get(authPath(pkce().challenge));
  const policy = page.headers.get('content-security-policy') ?? '';
  assert.match(policy, "frame-ancestors 'none'");
  assert.match(policy, "default-src 'none'");
  assert.match(policy, "form-action 'self' https://app.example;");
  assert.not.match(policy, 'unsafe-inline');
  for (const [name, value] of [
    ['x-frame-options', 'DENY'],
    ['referrer-policy', 'no-referrer'],
    ['cache-control', 'no-store'],
    ['x-content-type-options', 'nosniff'],
  ] as const)
    assert.is(page.headers.get(name), value);
  assert.not.match(page.text, /<script(?![^>]*src=)|\son\w+=|style="/);
  const refused = await person.visitor.post('/auth', {});
  assert.is(refused.headers.get('x-frame-options'), 'DENY', 'refusals too');
  assert.is(refused.headers.get('content-type'), 'text/html; charset=utf-8');
});

it('what an application sends is text on the page (rule K35)', async () => {
  const callback_url = `https://app.example/cb?x="><script>alert(1)</script>'`;
  const page = await person.visitor.get(authPath(pkce().challenge, { callback_url }));
  assert.is(page.status, 200);
  assert.not.match(page.text, '<script>alert');
  assert.is(fieldsOf(page, '/auth').callback_url, callback_url);
  const refused = await person.visitor.get(authPath(pkce().challenge, { limit: '<script>alert(1)</script>' }));
  assert.not.match(refused.text, '<script>alert');
});

it('pressing approve twice is one approval with one code (rule K30)', async () => {
  const pair = pkce();
  const fields = fieldsOf(await person.visitor.get(authPath(pair.challenge)), '/auth');
  const approve = () => person.visitor.post('/auth', { ...fields, decision: 'approve' });
  const [first, second] = await Promise.all([approve(), approve()]);
  assert.is(first.headers.get('location'), second.headers.get('location'));
  assert.is((await trade(base, tradeBody(codeOf(first), pair))).status, 200);
  assert.is((await trade(base, tradeBody(codeOf(second), pair))).status, 400);
  const altered = await person.visitor.post('/auth', { ...fields, limit: '1000', decision: 'approve' });
  assert.is(altered.status, 400, 'a page asks for one thing only');
});

it('without a session the page leads to the sign-in and back', async () => {
  const visitor = new Visitor(originOf(cluster));
  const path = authPath(pkce().challenge);
  const seen = await visitor.get(path);
  assert.is(seen.status, 303);
  const next = new URL(seen.headers.get('location') as string, visitor.origin).searchParams.get('next');
  assert.is(next, path);
  const signed = await visitor.post('/sign-in', { key: person.key, next: next as string });
  assert.is(signed.headers.get('location'), path);
  assert.is((await visitor.get(path)).status, 200);
});

it('the key is the account`s: listed, limited and revocable by its owner (rule K32)', async () => {
  const pair = await freshCode({ limit: '1' });
  const { key } = JSON.parse((await trade(base, tradeBody(pair.code, pair))).text) as { key: string };
  const [newest] = await listKeys(node, `account:${person.account}`, 1);
  assert.is(newest?.name, 'app.example');
  const view = await showKey(node, newest?.key as string, 5_000);
  assert.is(view.limit, '1');
  assert.match(view.label, key.slice(-3));
});

test.run();
