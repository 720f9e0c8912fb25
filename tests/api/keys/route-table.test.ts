/**
 * Every route of the API by every kind of key. A route without a row fails, so that a new one is placed here on
 * purpose. (rule K10, rule K4, rule K9)
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { changeAccount, createAccount } from '../../../actors/account/account.ts';
import { changeKey } from '../../../actors/key/key.ts';
import { accountAddress, providerAccountId } from '../../../actors/terms/ids.ts';
import type { KeyKind } from '../../../actors/terms/principal.ts';
import type { RoutePolicy } from '../../../gateway/edge/route.ts';
import { bounded } from '../../support/bounded.ts';
import type { TestCluster } from '../../support/cluster/start-cluster.ts';
import { paced } from '../../support/pace.ts';
import { apiTable } from '../../support/route-table.ts';
import { TESTER } from '../../support/tester.ts';
import { openApi } from '../client.ts';
import { signedIn } from '../pages/visitor.ts';
import { openCluster } from './cluster.ts';

const it = bounded(test, 120_000);
const ASK_MS = 30_000;

const { cluster } = await openApi(test, openCluster);

/** The routes that need a key, by what they need; every other route is public. */
const MANAGEMENT = [
  ...['GET /keys', 'POST /keys', 'POST /keys/import', 'GET /keys/:hash', 'PATCH /keys/:hash', 'DELETE /keys/:hash'],
  ...['GET /workspaces', 'POST /workspaces', 'GET /workspaces/:id', 'PATCH /workspaces/:id', 'DELETE /workspaces/:id'],
  ...['GET /workspaces/:id/members', 'POST /workspaces/:id/members/add', 'POST /workspaces/:id/members/remove'],
  'POST /credits/notice',
  ...['GET /workspaces/:id/budgets', 'GET /workspaces/:id/budgets/:interval'],
  ...['PUT /workspaces/:id/budgets/:interval', 'DELETE /workspaces/:id/budgets/:interval', 'GET /audit'],
  ...['POST /auth/keys/code', 'GET /sessions', 'DELETE /sessions', 'DELETE /sessions/:id'],
];
const PROVIDER = [
  ...['GET /provider', 'GET /provider/serving', 'GET /provider/measurements', 'POST /provider/capacity'],
  ...['GET /provider/models-document', 'POST /provider/models-document/refresh'],
  ...['GET /provider/earnings', 'GET /provider/statements', 'GET /provider/statements/:month'],
];
const PUBLIC =
  /^(GET|HEAD) (\/?|\/ready|\/openapi\.json|\/models?(\/.*)?|\/endpoints\/zdr|\/images\/models(\/.*)?|\/embeddings\/models|\/providers|\/families)$|^POST \/(auth\/keys|credits\/coinbase)$|^GET \/stats\/public$/;

const routes = apiTable().map(({ method, path, policy }) => ({ name: `${method} ${path}`, method, path, policy }));

function policyOf(name: string): RoutePolicy | 'public' {
  if (MANAGEMENT.includes(name)) return 'management';
  if (PROVIDER.includes(name)) return 'provider';
  return PUBLIC.test(name) && name !== 'GET /models/user' ? 'public' : 'key';
}

it('every route has its row: public, or for the keys of one kind (rule K10)', () => {
  const placed = routes.map(({ name, policy }) => [
    name,
    policy === 'open' || policy === 'unguarded' ? 'public' : policy === 'admit' ? 'key' : policy,
  ]);
  // A route that needs a key by its row and none by its policy, or the other way round.
  const wrong = placed.filter(([name, policy]) => policyOf(name as string) !== policy);
  assert.equal(wrong, []);
  for (const name of [...MANAGEMENT, ...PROVIDER])
    assert.ok(
      routes.some((one) => one.name === name),
      name,
    );
});

const address = (path: string): string =>
  path.replace(':interval', 'daily').replaceAll(/:\w+/g, 'unknown').replace(/\*.*$/, 'x');

/** What a request identifies itself by: a key, or the cookie of a session, which only the pages read. */
type Credential = string | null | { readonly cookie: string };

async function call(route: (typeof routes)[number], key: Credential): Promise<{ status: number; text: string }> {
  const credential = key === null ? {} : typeof key === 'string' ? { authorization: `Bearer ${key}` } : key;
  const answer = await fetch(`${cluster.baseUrls[0]}${address(route.path)}`, {
    method: route.method,
    headers: { ...credential, 'content-type': 'application/json' },
    ...(['POST', 'PUT', 'PATCH'].includes(route.method) ? { body: '{}' } : {}),
  });
  if (answer.status === 503) {
    await answer.arrayBuffer();
    await new Promise((resolve) => setTimeout(resolve, 100));
    return call(route, key);
  }
  // An event stream does not end by itself.
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (isStream) await answer.body?.cancel();
  return { status: answer.status, text: isStream ? '' : await answer.text() };
}

it('a key of the wrong kind is answered 403 on every route that needs the other one, and the right one is not (rule K9)', async () => {
  const { account, key } = await cluster.fund('1');
  const { key: manager } = await cluster.issue(account, { kind: 'management' });
  const stranger = await cluster.issue(account, { kind: 'provider' });
  const provider = await ofProvider('provider');
  const others = { inference: key, manager, stranger: stranger.key, provider };
  const rights: Record<string, string> = { management: manager, provider, key, admit: key };
  for (const route of routes.filter(({ policy }) => !['open', 'unguarded'].includes(policy))) {
    const right = rights[route.policy] as string;
    for (const [kind, wrong] of Object.entries(others).filter(([, one]) => one !== right)) {
      const { status, text } = await call(route, wrong);
      assert.is(status, 403, `${kind}: ${route.name}`);
      if (route.method !== 'HEAD') assert.match(text, /"error_type":"permission_denied"/, route.name);
    }
    assert.not.ok([401, 403].includes((await call(route, right)).status), route.name);
  }
});

/** A key of the account that belongs to the first simulated provider. */
async function ofProvider(kind: KeyKind): Promise<string> {
  const [{ cluster: node }] = cluster.nodes as [TestCluster['nodes'][number]];
  const account = accountAddress(providerAccountId('sim-a'));
  await createAccount(node, account, 'Provider sim-a', paced(ASK_MS));
  return (await cluster.issue(account, { kind })).key;
}

it('an inference key of the account that belongs to a provider reads for it; its management key does not (rule K11)', async () => {
  const [inference, management] = [await ofProvider('inference'), await ofProvider('management')];
  for (const route of routes.filter(({ policy }) => policy === 'provider')) {
    assert.not.ok([401, 403].includes((await call(route, inference)).status), route.name);
    assert.is((await call(route, management)).status, 403, route.name);
  }
});

it('no key, a session, an unknown, an expired, a revoked and a disabled key, and that of a suspended owner are one 401 on every route (rule K10)', async () => {
  const [{ cluster: node }] = cluster.nodes as [TestCluster['nodes'][number]];
  const { visitor } = await signedIn(cluster);
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  assert.ok(cookie.length > 40, 'a session is open');
  const dead: [string, Credential][] = [
    ['none', null],
    ['session', { cookie }],
    ['unknown', `sk-gw-v1-${'0'.repeat(64)}`],
    ['other prefix', `sk-xx-v1-${'0'.repeat(64)}`],
  ];
  const { account } = await cluster.fund('1');
  for (const kind of ['inference', 'management', 'provider'] as const) {
    dead.push([`expired ${kind}`, (await cluster.issue(account, { kind, expiresAt: 1 })).key]);
    for (const change of ['revoke', 'disable'] as const) {
      const made = await cluster.issue(account, { kind });
      await changeKey(node, made.keyAddress, change, paced(ASK_MS), TESTER);
      dead.push([`${change} ${kind}`, made.key]);
    }
    const suspended = await cluster.fund('1', { kind });
    await changeAccount(node, suspended.account, 'suspend', paced(ASK_MS), TESTER);
    dead.push([`suspended ${kind}`, suspended.key]);
  }
  const guarded = routes.filter(
    ({ policy, method }) => policy !== 'open' && policy !== 'unguarded' && method !== 'HEAD',
  );
  const refusals = new Map<string, string>();
  for (const [what, key] of dead) {
    const texts = new Set<string>();
    // The body of an inference route is read before its key's actor is asked: dead keys are known by the reads before.
    for (const route of guarded.filter(({ policy }) => policy !== 'admit')) {
      const { status, text } = await call(route, key);
      assert.is(status, 401, `${what}: ${route.name}`);
      // The messages dialect adds its word.
      texts.add(text.replace('"type":"authentication_error",', ''));
    }
    assert.is(texts.size, 1, what);
    refusals.set(what, [...texts][0] as string);
    for (const route of guarded.filter(({ policy }) => policy === 'admit')) {
      assert.is((await call(route, key)).status, 401, `${what}: ${route.name}`);
    }
  }
  assert.is(refusals.get('none'), refusals.get('session'));
  refusals.delete('none');
  refusals.delete('session');
  assert.is(new Set(refusals.values()).size, 1, 'whatever the reason that a key is not accepted');
});

test.run();
