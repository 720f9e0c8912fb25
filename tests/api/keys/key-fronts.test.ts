/**
 * A key of an account, made, changed and ended through the API, the pages and the command line: the rows and the refusals
 * must not differ.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { KeyView } from '../../../actors/key/statement.ts';
import { bounded } from '../../support/bounded.ts';
import { client } from './client.ts';
import { comparable, Fronts, type Owner, post, refusal } from './fronts.ts';

const it = bounded(test, 120_000);

let fronts: Fronts;
test.before(async () => {
  fronts = await Fronts.open();
});
test.after(() => fronts.cluster.close());

const FAR = '2999-01-31';

interface KeyFront {
  make(owner: Owner): Promise<unknown>;
  change(owner: Owner, key: KeyView): Promise<unknown>;
  set(owner: Owner, key: KeyView, disabled: boolean): Promise<unknown>;
  revoke(owner: Owner, key: KeyView): Promise<unknown>;
}

const idOf = ({ key }: KeyView): string => key.slice(key.indexOf('/') + 1);
const nameOf = ({ key }: KeyView): string => key.slice('key:'.length);

const KEY_FRONTS: Readonly<Record<string, KeyFront>> = {
  api: {
    make: ({ api }) =>
      api.send('POST', '/keys', { name: 'ci', limit: '1.50', limit_reset: 'daily', expires_at: `${FAR}T00:00:00Z` }),
    change: ({ api }, { handle }) =>
      api.send('PATCH', `/keys/${handle}`, { name: 'build', limit: 2, limit_reset: 'weekly', expires_at: null }),
    set: ({ api }, { handle }, disabled) => api.send('PATCH', `/keys/${handle}`, { disabled }),
    revoke: ({ api }, { handle }) => api.send('DELETE', `/keys/${handle}`),
  },
  page: {
    make: (owner) => post(owner, '/account/keys', { name: 'ci', limit: '1.50', window: 'daily', expires: FAR }),
    change: (owner, key) =>
      post(owner, `/account/keys/${idOf(key)}`, { name: 'build', limit: '2', window: 'weekly', expires: '' }),
    set: (owner, key, disabled) => post(owner, `/account/keys/${idOf(key)}/${disabled ? 'disable' : 'enable'}`, {}),
    revoke: (owner, key) => post(owner, `/account/keys/${idOf(key)}/revoke`, {}),
  },
  command: {
    make: ({ id }) =>
      fronts.ran(
        ...['keys', 'create', id, '--name', 'ci', '--limit', '1.50'],
        '--window',
        'daily',
        '--expires',
        `${FAR}T00:00:00Z`,
      ),
    async change(_, key) {
      await fronts.ran('keys', 'rename', nameOf(key), 'build');
      await fronts.ran('keys', 'limit', nameOf(key), '2', '--window', 'weekly');
      await fronts.ran('keys', 'expire', nameOf(key), 'never');
    },
    set: (_, key, disabled) => fronts.ran('keys', disabled ? 'disable' : 'enable', nameOf(key)),
    revoke: (_, key) => fronts.ran('keys', 'revoke', nameOf(key)),
  },
};

it('a key is made, changed, disabled, enabled and revoked to the same rows by every front', async () => {
  const lives = new Map<string, unknown>();
  for (const [name, front] of Object.entries(KEY_FRONTS)) {
    const owner = await fronts.owner();
    const seen: object[] = [];
    const look = async (): Promise<KeyView> => {
      const [key, ...others] = await fronts.keysOf(owner);
      assert.ok(key !== undefined && others.length === 0, name);
      seen.push(comparable(key));
      return key;
    };
    await front.make(owner);
    const key = await look();
    await front.change(owner, key);
    await look();
    for (const disabled of [true, false]) {
      await front.set(owner, key, disabled);
      await look();
    }
    await front.revoke(owner, key);
    await look();
    const { data } = (await owner.api.send('GET', '/audit?limit=100')).body as { data: { action: string }[] };
    const actions = new Set(data.map(({ action }) => action));
    lives.set(name, { seen, actions: [...actions].filter((one) => one.startsWith('key.')).sort() });
  }
  assert.equal(lives.get('page'), lives.get('api'));
  assert.equal(lives.get('command'), lives.get('api'));
});

/** Members of a key, and why they are refused. */
const WRONG: readonly (readonly [{ name?: string; limit?: string; window?: string; expires?: string }, string])[] = [
  [{ name: 'n'.repeat(5_000) }, 'name must have at most 256 characters'],
  [{ name: '' }, 'name must not be empty'],
  [{ limit: 'much' }, 'limit must be an amount in USD, 0 or more'],
  [{ limit: '-1' }, 'limit must be an amount in USD, 0 or more'],
  [{ limit: '1', window: 'hourly' }, 'limit_reset must be one of "daily", "weekly", "monthly", not "hourly"'],
  [{ expires: '2001-01-01' }, 'expires_at must be in the future'],
];

it('what a key may not have is refused by every front, in the same words, and makes no key (rule K17)', async () => {
  const owner = await fronts.owner();
  for (const [wrong, message] of WRONG) {
    const { name = 'ci', limit, window, expires } = wrong;
    const expires_at = expires === undefined ? null : `${expires}T00:00:00Z`;
    const body = { name, limit: limit ?? null, limit_reset: window ?? null, expires_at };
    const fields = { name, limit: limit ?? '', window: window ?? '', expires: expires ?? '' };
    const options = Object.entries({ name, limit, window, expires: expires_at ?? undefined })
      .filter(([, value]) => value !== undefined)
      .map(([option, value]) => `--${option}=${value}`);
    assert.is(await refusal(owner.api.send('POST', '/keys', body)), message);
    assert.is(await fronts.failure('keys', 'create', owner.id, ...options), message);
    assert.is(await post(owner, '/account/keys', fields), message.replace(/^\w+/, 'This'));
  }
  assert.equal(await fronts.keysOf(owner), []);
});

it('a session makes no management key; a management key and the operator do (rule K15)', async () => {
  const owner = await fronts.owner();
  const kinds = async () => (await fronts.keysOf(owner)).map(({ kind, createdBy }) => [kind, createdBy?.kind]);
  for (const kind of ['management', 'provider']) {
    const said = await post(owner, '/account/keys', { name: 'mine', limit: '', window: '', expires: '', kind });
    assert.match(said, /^kind: /);
  }
  assert.equal(await kinds(), []);
  assert.is((await owner.api.send('POST', '/keys', { name: 'second', kind: 'management' })).status, 201);
  await fronts.ran('keys', 'create', owner.id, '--name', 'third', '--management');
  assert.equal(await kinds(), [
    ['management', 'operator'],
    ['management', 'key'],
  ]);
  const byInference = client(fronts.cluster.baseUrls, owner.key);
  assert.match(await refusal(byInference.send('POST', '/keys', { name: 'fourth' })), /management keys/);
  assert.is((await kinds()).length, 2);
});

test.run();
