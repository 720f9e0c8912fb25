import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Oidc } from '../../../../gateway/operator/http/oidc.ts';
import { sessionRoutes } from '../../../../gateway/operator/http/session-routes.ts';
import { bounded } from '../../../support/bounded.ts';
import { clusterOf, openPort, type Port, SESSIONS, TOKENS, wall } from '../port.ts';
import { CLIENT, openIssuer, type SimulatedIssuer } from './simulated-issuer.ts';

const it = bounded(test);

let issuer: SimulatedIssuer;
let port: Port;
let byAddress: Port;
let secret: string;

async function portBy(claim: string, operators: readonly string[]): Promise<Port> {
  const oidc = new Oidc({
    issuer: issuer.url,
    clientId: CLIENT.id,
    secret: async () => secret,
    origin: 'https://ops.example.com',
    claim,
    operators,
    viewers: ['troupe-viewers', 'staff'],
  });
  const opened = await openPort(sessionRoutes({ tokens: TOKENS, sessions: SESSIONS, oidc, clusterName: 'here' }));
  opened.cluster = clusterOf({ operator: { ps: async () => ({ nodes: [] }) } });
  return opened;
}

test.before(async () => {
  issuer = await openIssuer();
  port = await portBy('groups', ['troupe-operators']);
  byAddress = await portBy('email', ['ada@example.com']);
});
test.before.each(() => {
  wall.ms = 1_000_000;
  secret = CLIENT.secret;
  issuer.fault = null;
  issuer.claims = { sub: 'u1', email: 'ada@example.com', email_verified: true, groups: ['staff', 'troupe-operators'] };
});
test.after(() => {
  port.close();
  byAddress.close();
  issuer.close();
});

function get(url: string, cookie = ''): Promise<Response> {
  return fetch(url, { redirect: 'manual', headers: cookie === '' ? {} : { cookie } });
}

/** The browser's way to the issuer and back: the path of the callback, and the cookie of the attempt. */
async function wayBack({ url } = port): Promise<{ readonly path: string; readonly cookie: string }> {
  const begun = await get(`${url}/api/session/oidc`);
  assert.is(begun.status, 303);
  const cookie = begun.headers.get('set-cookie') as string;
  assert.match(cookie, /^troupe_operator_attempt=.*; Max-Age=600; .*HttpOnly; Secure; SameSite=Lax$/);
  const asked = new URL(begun.headers.get('location') as string);
  assert.is(asked.searchParams.get('code_challenge_method'), 'S256');
  const back = new URL((await get(asked.href)).headers.get('location') as string);
  assert.is(back.origin, 'https://ops.example.com');
  return { path: `${back.pathname}${back.search}`, cookie: cookie.split(';')[0] as string };
}

async function refusalOf(answer: Response): Promise<string> {
  const { error } = (await answer.json()) as { readonly error: { readonly message: string } };
  assert.equal(answer.headers.getSetCookie(), []);
  return `${answer.status} ${error.message}`;
}

it('a person whom the issuer names gets the session of their group, and a strict cookie', async () => {
  const rows = [
    [['staff', 'troupe-operators'], 'operator'],
    [['staff'], 'viewer'],
    ['troupe-viewers', 'viewer'],
  ] as const;
  for (const [groups, role] of rows) {
    issuer.claims = { ...issuer.claims, groups };
    const { path, cookie } = await wayBack();
    const answer = await get(`${port.url}${path}`, cookie);
    assert.equal([answer.status, answer.headers.get('location')], [303, '/console/']);
    const [opened = '', ended = ''] = answer.headers.getSetCookie();
    assert.match(opened, /^troupe_operator=.*HttpOnly; Secure; SameSite=Strict$/);
    assert.match(ended, /^troupe_operator_attempt=; Max-Age=0; /);
    const seen = await (await get(`${port.url}/api/session`, opened.split(';')[0])).json();
    const { name, role: given } = seen as { readonly name: string; readonly role: string };
    assert.equal([name, given], ['ada@example.com', role]);
  }
});

it('an issuer may add members of its own to its answer, and an address that it has not verified names nobody', async () => {
  issuer.claims = { ...issuer.claims, email: 'boss@example.com', email_verified: false };
  const { path, cookie } = await wayBack();
  const answer = await get(`${port.url}${path}&authuser=0&prompt=consent&hd=example.com`, cookie);
  assert.is(answer.status, 303, await answer.text());
  const [opened = ''] = answer.headers.getSetCookie();
  const seen = await (await get(`${port.url}/api/session`, opened.split(';')[0])).json();
  assert.is((seen as { readonly name: string }).name, 'u1');
});

it('an address gives a role only if the issuer has verified it', async () => {
  const rows = [
    [{ email_verified: true }, 303],
    [{ email_verified: false }, 403],
    [{ email_verified: undefined }, 403],
    [{ email: ['ada@example.com'] }, 403],
  ] as const;
  for (const [claims, status] of rows) {
    issuer.claims = { sub: 'u1', email: 'ada@example.com', email_verified: true, ...claims };
    const { path, cookie } = await wayBack(byAddress);
    assert.is((await get(`${byAddress.url}${path}`, cookie)).status, status, JSON.stringify(claims));
  }
});

it('a person without a group is refused by name', async () => {
  for (const groups of [undefined, [], ['others'], 'staffs', [7]]) {
    issuer.claims = {
      sub: 'u1',
      email: 'eve@example.com',
      email_verified: true,
      ...(groups === undefined ? {} : { groups }),
    };
    const { path, cookie } = await wayBack();
    const refusal = await refusalOf(await get(`${port.url}${path}`, cookie));
    assert.is(refusal, '403 eve@example.com has no group that may sign in here');
  }
});

it('an answer that this browser did not begin, was changed, came too late or comes twice opens nothing', async () => {
  const { path, cookie } = await wayBack();
  assert.match(await refusalOf(await get(`${port.url}${path}`)), /^403 this browser began no sign-in/);
  const other = await wayBack();
  assert.match(await refusalOf(await get(`${port.url}${path}`, other.cookie)), /^403 the issuer's answer is refused/);
  const denied = await get(`${port.url}/api/session/callback?error=access_denied&state=x`, cookie);
  assert.match(await refusalOf(denied), /^403 /);
  const forged = `${cookie.slice(0, -3)}abc`;
  assert.match(await refusalOf(await get(`${port.url}${path}`, forged)), /^403 this browser began no sign-in/);
  const session = SESSIONS.open('operator', 'x', false)
    .split(';')[0]
    ?.replace('troupe_operator', 'troupe_operator_attempt');
  assert.match(await refusalOf(await get(`${port.url}${path}`, session)), /^403 this browser began no sign-in/);
  assert.is((await get(`${port.url}${path}`, cookie)).status, 303);
  assert.match(await refusalOf(await get(`${port.url}${path}`, cookie)), /^403 the issuer's answer is refused/);
  const late = await wayBack();
  wall.ms += 10 * 60 * 1_000;
  assert.match(
    await refusalOf(await get(`${port.url}${late.path}`, late.cookie)),
    /^403 this browser began no sign-in/,
  );
});

it('a token for another sign-in, another client, or by another key is refused, and so is a wrong secret', async () => {
  for (const fault of ['nonce', 'audience', 'key'] as const) {
    issuer.fault = fault;
    const { path, cookie } = await wayBack();
    assert.match(
      await refusalOf(await get(`${port.url}${path}`, cookie)),
      /^403 the issuer's answer is refused/,
      fault,
    );
  }
  issuer.fault = null;
  const { path, cookie } = await wayBack();
  secret = 'wrong';
  assert.match(await refusalOf(await get(`${port.url}${path}`, cookie)), /^403 the issuer's answer is refused/);
});

it('the ways to sign in are told, and an issuer that is away is named', async () => {
  assert.equal(await (await get(`${port.url}/api/session/ways`)).json(), { oidc: true });
  const away = new Oidc({
    issuer: 'http://127.0.0.1:1',
    clientId: 'x',
    secret: async () => 'x',
    origin: 'http://a',
    claim: 'groups',
    operators: [],
    viewers: [],
  });
  const other = await openPort(sessionRoutes({ tokens: TOKENS, sessions: SESSIONS, oidc: away, clusterName: 'here' }));
  try {
    const refusal = await refusalOf(await get(`${other.url}/api/session/oidc`));
    assert.match(refusal, /^503 the issuer http:\/\/127\.0\.0\.1:1 does not answer/);
  } finally {
    other.close();
  }
});

test.run();
