/** Keys of an account over HTTP, by a management key, on three nodes. (rule K15) */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { maskKey } from '../../../actors/terms/ids.ts';
import { bounded } from '../../support/bounded.ts';
import { openApi } from '../client.ts';
import { type Client, client } from './client.ts';
import { openCluster } from './cluster.ts';

const it = bounded(test, 90_000);

const { cluster } = await openApi(test, openCluster);

interface Key {
  readonly hash: string;
  readonly name: string;
  readonly label: string;
  readonly limit: number | null;
  readonly limit_reset: string | null;
  readonly limit_resets_at: string | null;
  readonly limit_remaining: number | null;
  readonly usage: number;
  readonly disabled: boolean;
  readonly expires_at: string | null;
  readonly updated_at: string | null;
  readonly workspace_id: string;
  readonly creator_user_id: string | null;
  readonly status: string;
  readonly kind: string;
}

/** A funded account with a management key, called on a node. */
async function manage(node = 0): Promise<Client & { readonly account: string; readonly inference: string }> {
  const { account, key } = await cluster.fund('10');
  const manager = await cluster.issue(account, { kind: 'management', name: 'manager' });
  return { ...client(cluster.baseUrls, manager.key, node), account, inference: key };
}

const CHAT = { model: 'sim/fast', messages: [{ role: 'user', content: 'hello' }], max_tokens: 20 };

it('a key with a daily limit is created, used, limited with 402, raised, revoked and dead on every node (rule K7)', async () => {
  const manager = await manage();
  const { status, body } = await manager.send('POST', '/keys', { name: 'laptop', limit: 0, limit_reset: 'daily' });
  assert.is(status, 201);
  const { data, key } = body as { data: Key; key: string };
  assert.match(key, /^sk-gw-v1-[0-9a-f]{64}$/);
  assert.equal([data.name, data.limit, data.limit_reset, data.label], ['laptop', 0, 'daily', maskKey(key)]);
  const nodes = cluster.baseUrls.map((_, node) => client(cluster.baseUrls, key, node));
  const chats = () => Promise.all(nodes.map((one) => one.send('POST', '/chat/completions', CHAT)));
  for (const { status: refused, body: answer } of await chats()) {
    assert.is(refused, 402);
    assert.is((answer as { error: { metadata: { scope: string } } }).error.metadata.scope, 'key');
  }
  const raised = await manager.send('PATCH', `/keys/${data.hash}`, { limit: 5 });
  assert.is((raised.body as { data: Key }).data.limit_reset, 'daily', 'what a change leaves out stays');
  assert.equal(
    (await chats()).map(({ status: one }) => one),
    [200, 200, 200],
  );
  const shown = (await manager.send('GET', `/keys/${data.hash}`)).body as { data: Key };
  assert.ok(shown.data.usage > 0 && (shown.data.limit_remaining as number) < 5);
  assert.equal((await manager.send('DELETE', `/keys/${data.hash}`)).body, { deleted: true });
  assert.equal(
    (await chats()).map(({ status: one }) => one),
    [401, 401, 401],
  );
  for (const method of ['GET', 'DELETE']) assert.is((await manager.send(method, `/keys/${data.hash}`)).status, 404);
});

it('the list is newest first; disabled, revoked and management keys appear where they are asked for (rule K15)', async () => {
  const manager = await manage(1);
  const made: Key[] = [];
  for (const name of ['a', 'b', 'c']) {
    made.push(((await manager.send('POST', '/keys', { name })).body as { data: Key }).data);
  }
  const names = async (query = ''): Promise<string[]> =>
    ((await manager.send('GET', `/keys${query}`)).body as { data: Key[] }).data.map(({ name }) => name);
  assert.equal(await names(), ['c', 'b', 'a', 'test']);
  assert.equal(await names('?offset=1'), ['b', 'a', 'test']);
  await manager.send('PATCH', `/keys/${made[1]?.hash}`, { disabled: true });
  await manager.send('DELETE', `/keys/${made[2]?.hash}`);
  assert.equal(await names(), ['a', 'test']);
  assert.equal(await names('?include_disabled=true'), ['b', 'a', 'test']);
  assert.equal(await names('?include_disabled=true&include_revoked=true'), ['c', 'b', 'a', 'test']);
  assert.equal(await names('?kind=management'), ['manager']);
  assert.equal(await names('?workspace_id=ws_00000000000000000000'), []);
  for (const query of ['?offset=-1', '?include_disabled=1', '?kind=x']) {
    assert.is((await manager.send('GET', `/keys${query}`)).status, 400, query);
  }
});

it('every member of a change is set in one step, null removes it, and one left out stays (rule K16)', async () => {
  const manager = await manage(2);
  const { data } = (await manager.send('POST', '/keys', { name: 'k', limit: '1.25' })).body as { data: Key };
  assert.is(data.updated_at, null);
  const expires_at = '2999-01-31T00:00:00.000Z';
  const change = { name: 'new', disabled: true, limit: 0.1, limit_reset: 'weekly', expires_at, creator_user_id: 'ann' };
  const edited = ((await manager.send('PATCH', `/keys/${data.hash}`, change)).body as { data: Key }).data;
  assert.equal({ ...edited, ...change }, edited);
  const removed = { limit: null, expires_at: null, creator_user_id: null, name: null, disabled: null };
  const after = ((await manager.send('PATCH', `/keys/${data.hash}`, removed)).body as { data: Key }).data;
  assert.equal(
    [after.limit, after.limit_reset, after.expires_at, after.creator_user_id, after.name, after.disabled],
    [null, 'weekly', null, null, 'new', true],
  );
  const limited = ((await manager.send('PATCH', `/keys/${data.hash}`, { limit: 6 })).body as { data: Key }).data;
  assert.equal([limited.limit, limited.limit_reset], [6, 'weekly'], 'the window stays while there is no limit');
});

it('a window given without a limit has no effect until the key has one', async () => {
  const manager = await manage(1);
  const { data } = (await manager.send('POST', '/keys', { name: 'x', limit_reset: 'daily' })).body as { data: Key };
  assert.equal([data.limit, data.limit_reset, data.limit_remaining, data.limit_resets_at], [null, 'daily', null, null]);
  const limited = ((await manager.send('PATCH', `/keys/${data.hash}`, { limit: 5 })).body as { data: Key }).data;
  assert.equal([limited.limit, limited.limit_reset, typeof limited.limit_resets_at], [5, 'daily', 'string']);
  const change = { limit: null, limit_reset: null };
  const removed = ((await manager.send('PATCH', `/keys/${data.hash}`, change)).body as { data: Key }).data;
  assert.equal([removed.limit, removed.limit_reset], [null, null]);
});

it('members that nothing reads are named, for keys and workspaces (rule I2)', async () => {
  const { account } = await cluster.fund('1');
  const { key } = await cluster.issue(account, { kind: 'management' });
  const unread = async (method: string, path: string, body: object): Promise<readonly unknown[]> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(`${cluster.baseUrls[0]}${path}`, { method, headers, body: JSON.stringify(body) });
    await answer.text();
    return [answer.status, answer.headers.get('x-unread-members')];
  };
  assert.equal(await unread('POST', '/keys', { name: 'k', limitt: 5, reset: 'daily' }), [201, 'limitt, reset']);
  assert.equal(await unread('POST', '/keys', { name: 'k', limit: 5, limitt: null }), [201, null]);
  assert.equal(await unread('POST', '/workspaces', { name: 'team', zdrr: true }), [201, 'zdrr']);
  assert.equal(await unread('PATCH', '/workspaces/team', { zdr: true, b: 1 }), [200, 'b']);
});

it('refuses what a key cannot be, naming the member, and ignores what is not its own to set (rule K17)', async () => {
  const manager = await manage();
  const wrong: readonly (readonly [object, RegExp])[] = [
    [{}, /name/],
    [{ name: '' }, /name/],
    [{ name: 'k', limit: -1 }, /limit/],
    [{ name: 'k', limit: '1e9' }, /limit/],
    [{ name: 'k', limit: '0x10' }, /limit/],
    [{ name: 'k', limit: '9'.repeat(10_000) }, /limit/],
    [{ name: 'k', limit: 1, limit_reset: 'hourly' }, /limit_reset/],
    [{ name: 'k', expires_at: '2999-01-31T00:00:00+01:00' }, /expires_at/],
    [{ name: 'k', expires_at: '2999-01-31' }, /expires_at/],
    [{ name: 'k', expires_at: '2999-02-31T00:00:00Z' }, /expires_at/],
    [{ name: 'k', expires_at: '2999-01-31T24:00:00Z' }, /expires_at/],
    [{ name: 'k', expires_at: '2001-01-31T00:00:00Z' }, /expires_at/],
    [{ name: 'k', workspace_id: 'ws_00000000000000000000' }, /workspace_id/],
    [{ name: 'k', requests_per_minute: 0 }, /requests_per_minute/],
    [{ name: 'k', kind: 'admin' }, /^kind must be one of "inference", "management", "provider"/],
  ];
  for (const [body, named] of wrong) {
    const { status, body: answer } = await manager.send('POST', '/keys', body);
    assert.is(status, 400, JSON.stringify(body).slice(0, 80));
    assert.match((answer as { error: { message: string } }).error.message, named);
  }
  const more = { kind: 'inference', account_id: 'acct_x', usage: 5, status: 'revoked', hash: 'f'.repeat(64) };
  const { data } = (await manager.send('POST', '/keys', { name: 'k', ...more })).body as { data: Key };
  assert.equal([data.kind, data.usage, data.status], ['inference', 0, 'active']);
});

it('a kind of key that a management key may not make is refused, and makes no key', async () => {
  const manager = await manage();
  const kinds = async (): Promise<readonly unknown[]> =>
    ((await manager.send('GET', '/keys?kind=all')).body as { data: Key[] }).data.map(({ kind }) => kind);
  const before = await kinds();
  const legacy = `sk-legacy-v1-${'7'.repeat(64)}`;
  for (const [path, body] of [
    ['/keys', { name: 'k', kind: 'provider' }],
    ['/keys/import', { name: 'k', kind: 'provider', key: legacy }],
  ] as const) {
    const { status, body: answer } = await manager.send('POST', path, body);
    const { error } = answer as { error: { message: string; metadata: { error_type: string } } };
    assert.equal([status, error.metadata.error_type], [403, 'permission_denied']);
    assert.is(error.message, 'kind: provider keys are issued by the operator');
  }
  assert.equal(await kinds(), before);
  for (const kind of ['inference', 'management', null]) {
    const { status, body } = await manager.send('POST', '/keys', { name: 'k', kind });
    assert.equal([status, (body as { data: Key }).data.kind], [201, kind ?? 'inference']);
  }
});

it('another account, a malformed, an unknown and a revoked handle are one 404', async () => {
  const [own, other] = await Promise.all([manage(), manage(1)]);
  const { data } = (await own.send('POST', '/keys', { name: 'k' })).body as { data: Key };
  const answers = new Set<string>();
  const revoked = ((await other.send('POST', '/keys', { name: 'k' })).body as { data: Key }).data;
  await other.send('DELETE', `/keys/${revoked.hash}`);
  for (const hash of [data.hash, 'f'.repeat(64), data.hash.toUpperCase(), 'x', revoked.hash]) {
    for (const [method, body] of [['GET'], ['PATCH', { name: 'stolen' }], ['DELETE']] as const) {
      const { status, body: answer } = await other.send(method, `/keys/${hash}`, body);
      answers.add(`${status} ${JSON.stringify(answer)}`);
    }
  }
  assert.is(answers.size, 1, [...answers].join('\n'));
  assert.is(((await own.send('GET', `/keys/${data.hash}`)).body as { data: Key }).data.name, 'k');
});

it('a legacy key is imported by who has its text, once, and works from then on', async () => {
  const [own, other] = await Promise.all([manage(), manage(1)]);
  const key = `sk-legacy-v1-${Buffer.from(own.account).toString('hex').padEnd(64, '0').slice(0, 64)}`;
  const legacy = client(cluster.baseUrls, key);
  assert.is((await legacy.send('GET', '/key')).status, 401);
  assert.is((await own.send('POST', '/keys/import', { name: 'old', key: key.slice(0, -1) })).status, 400);
  const made = await own.send('POST', '/keys/import', { name: 'old', key });
  assert.is(made.status, 201);
  const again = await own.send('POST', '/keys/import', { name: 'old', key });
  assert.is((again.body as { data: Key }).data.hash, (made.body as { data: Key }).data.hash);
  assert.is((await other.send('POST', '/keys/import', { name: 'old', key })).status, 409);
  assert.is((await legacy.until('GET', '/key', ({ status }) => status === 200)).status, 200);
});

test.run();
