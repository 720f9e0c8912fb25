import { Type } from 'typebox';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { change } from '../../../../gateway/operator/http/change.ts';
import { consoleRoutes } from '../../../../gateway/operator/http/console-files.ts';
import { operatorRoute } from '../../../../gateway/operator/http/operator-route.ts';
import { sessionRoutes } from '../../../../gateway/operator/http/session-routes.ts';
import { OperatorSessions } from '../../../../gateway/operator/http/sessions.ts';
import { bounded } from '../../../support/bounded.ts';
import { answerTo, clusterOf, openPort, type Port, SESSIONS, TOKEN, TOKENS, VIEWER_TOKEN, wall } from '../port.ts';

const it = bounded(test);

let port: Port;
let isBuilt = false;
const done: string[] = [];

test.before(async () => {
  const files = new Map([
    ['index.html', Buffer.from('<p>page</p>')],
    ['app-1.js', Buffer.from('run()')],
  ]);
  const turn = change({
    path: '/api/turn',
    summary: '',
    plan: ({ principal }) => ({
      would: 'turn',
      command: 'troupe turn',
      audit: null,
      run: async () => {
        done.push(principal.id);
        return { did: 'turned' };
      },
    }),
  });
  const check = operatorRoute({
    method: 'POST',
    path: '/api/check',
    policy: 'viewer',
    summary: '',
    body: Type.Object({}),
    answer: () => ({}),
  });
  port = await openPort([
    turn,
    check,
    ...sessionRoutes({ tokens: TOKENS, sessions: SESSIONS, oidc: null, clusterName: 'here' }),
    ...consoleRoutes(() => (isBuilt ? files : null)),
  ]);
  const nodes = [{ name: 'n1', operatorUrl: 'http://n1', live: true, pid: 1 }];
  port.cluster = clusterOf({ operator: { ps: async () => ({ nodes }) } });
});
test.before.each(() => {
  wall.ms = 1_000_000;
  done.length = 0;
});
test.after(() => port.close());

type Headers = Readonly<Record<string, string>>;

function send(method: string, path: string, headers: Headers, body?: object): Promise<Response> {
  const given = body === undefined ? {} : { body: JSON.stringify(body) };
  return fetch(`${port.url}${path}`, { method, headers, redirect: 'manual', ...given });
}

async function signIn(token: string, headers: Headers = {}): Promise<{ cookie: string; csrf: string }> {
  const answer = await send('POST', '/api/session', headers, { token });
  assert.is(answer.status, 200, await answer.text());
  const cookie = (answer.headers.get('set-cookie') as string).split(';')[0] as string;
  const { csrf } = (await (await send('GET', '/api/session', { cookie })).json()) as { csrf: string };
  return { cookie, csrf };
}

const turn = (headers: Headers): Promise<Response> => send('POST', '/api/turn', headers, { reason: 'r' });

it('a token opens a session whose cookie no script and no other site can use (rule E32)', async () => {
  const answer = await send('POST', '/api/session', {}, { token: TOKEN });
  assert.equal(await answer.json(), { role: 'operator' });
  const cookie = answer.headers.get('set-cookie') as string;
  assert.match(cookie, /^troupe_operator=[\w-]+\.[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/);
  const overTls = await send('POST', '/api/session', { origin: port.url.replace('http', 'https') }, { token: TOKEN });
  assert.match(overTls.headers.get('set-cookie') as string, /; Secure/);

  const seen = await send('GET', '/api/session', { cookie: cookie.split(';')[0] as string });
  const { csrf, ...session } = (await seen.json()) as { csrf: string };
  assert.match(csrf, /^[\w-]{43}$/);
  assert.equal(session, {
    role: 'operator',
    name: 'operator token',
    node: 'n1',
    cluster: 'here',
    expiresAt: wall.ms + 12 * 60 * 60 * 1_000,
    nodes: [{ name: 'n1', operatorUrl: 'http://n1', live: true }],
  });
  for (const token of ['', 'x', `${TOKEN} `])
    assert.is((await send('POST', '/api/session', {}, { token })).status, 401);
});

it('by cookie a change needs the token of its page and its origin; by bearer it needs neither', async () => {
  const { cookie, csrf } = await signIn(TOKEN);
  const own = { cookie, 'x-troupe-csrf': csrf };
  assert.is((await turn(own)).status, 200);
  assert.is((await turn({ ...own, origin: port.url, 'sec-fetch-site': 'same-origin' })).status, 200);
  assert.is((await turn({ authorization: `Bearer ${TOKEN}` })).status, 200);
  assert.equal(done, ['operator token', 'operator token', 'operator token']);
  const { csrf: other } = await signIn(VIEWER_TOKEN);
  const attacks: readonly Headers[] = [
    { cookie },
    { cookie, 'x-troupe-csrf': '' },
    { cookie, 'x-troupe-csrf': other },
    { ...own, origin: 'http://evil.example' },
    { ...own, origin: 'http://127.0.0.1:1' },
    { ...own, origin: 'null' },
    { ...own, 'sec-fetch-site': 'same-site' },
    { ...own, 'sec-fetch-site': 'cross-site' },
  ];
  for (const headers of attacks) assert.is((await turn(headers)).status, 403, JSON.stringify(headers));
  assert.is((await send('DELETE', '/api/session', { cookie })).status, 403);
  assert.is(done.length, 3);
});

it('a page of another origin signs nobody in', async () => {
  const answer = await send('POST', '/api/session', { origin: 'http://evil.example' }, { token: TOKEN });
  assert.equal([answer.status, answer.headers.get('set-cookie')], [403, null]);
});

it('a viewer reads and changes nothing, by token and by cookie', async () => {
  const { cookie, csrf } = await signIn(VIEWER_TOKEN);
  for (const headers of [{ cookie, 'x-troupe-csrf': csrf }, { authorization: `Bearer ${VIEWER_TOKEN}` }]) {
    assert.is((await send('GET', '/api/session', headers)).status, 200);
    assert.is((await send('POST', '/api/check', headers, {})).status, 200);
    const answer = await turn(headers);
    assert.equal(
      [answer.status, ((await answer.json()) as { error: { code: string } }).error.code],
      [403, 'forbidden'],
    );
  }
  assert.equal(done, []);
});

it('a forged, a foreign and an expired cookie open nothing', async () => {
  const { cookie } = await signIn(VIEWER_TOKEN);
  const [, content = '', signature = ''] = /=([\w-]+)\.([\w-]+)$/.exec(cookie) ?? [];
  const raised = Buffer.from(content, 'base64url').toString('utf8').replace('viewer', 'operator');
  const forged = Buffer.from(raised).toString('base64url');
  const byOther = Object.keys(TOKENS).map((role) => {
    const sessions = new OperatorSessions({ ...TOKENS, [role]: 'another token' }, { now: () => wall.ms });
    return sessions.open('operator', 'x', false).split(';')[0] as string;
  });
  const cookies = [
    `troupe_operator=${forged}.${signature}`,
    `troupe_operator=${content}.`,
    `troupe_operator=${content}`,
    `troupe_operator=.${signature}`,
    'troupe_operator=',
    ...byOther,
    `${cookie}; pad=${'x'.repeat(9_000)}`,
  ];
  for (const each of cookies) assert.is((await send('GET', '/api/session', { cookie: each })).status, 401, each);
  assert.is((await send('GET', '/api/session', { cookie, authorization: 'Bearer x' })).status, 401);
  assert.is((await send('GET', '/api/session', { cookie })).status, 200);
  wall.ms += 12 * 60 * 60 * 1_000;
  assert.is((await send('GET', '/api/session', { cookie })).status, 401);
});

it('signing out removes the cookie', async () => {
  const { cookie, csrf } = await signIn(TOKEN);
  const answer = await send('DELETE', '/api/session', { cookie, 'x-troupe-csrf': csrf });
  assert.match(answer.headers.get('set-cookie') as string, /^troupe_operator=; Max-Age=0; /);
});

it('the console is served with a strict policy, and no path leads out of its folder (rule K34)', async () => {
  const missing = await send('GET', '/console/', {});
  assert.equal([missing.status, /npm run build/.test(await missing.text())], [503, true]);
  isBuilt = true;
  for (const path of ['/console/', '/console/actors/batch%3Aacct_1%2Fbatch_1', '/console/now']) {
    const page = await send('GET', path, {});
    assert.equal([page.status, await page.text()], [200, '<p>page</p>'], path);
    const policy = page.headers.get('content-security-policy') as string;
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; .*frame-ancestors 'none'/);
    assert.not.match(policy, /unsafe/);
    assert.equal([page.headers.get('x-frame-options'), page.headers.get('cache-control')], ['DENY', 'no-cache']);
  }
  const script = await send('GET', '/console/app-1.js', {});
  assert.equal([script.status, await script.text()], [200, 'run()']);
  assert.match(script.headers.get('cache-control') as string, /immutable/);
  const outside = [
    '/console/../package.json',
    '/console/..%2f..%2fpackage.json',
    '/console/%2e%2e/x.json',
    '/console//etc/x.y',
  ];
  for (const target of outside) assert.match(await answerTo(port, 'GET', target), /^404 /, target);
  for (const path of ['/', '/console']) {
    const answer = await send('GET', path, {});
    assert.equal([answer.status, answer.headers.get('location')], [303, '/console/']);
  }
});

test.run();
