import { test } from 'uvu';
import * as assert from 'uvu/assert';
import config from '../../../../cluster.config.ts';
import { storeChoice } from '../../../../gateway/operator/config/store-choice.ts';
import type { ClusterConfig } from '../../../../gateway/terms/config/config.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
const STORE = 'postgres://troupe:secret@db.example.com:5432/troupe?sslmode=require';

function keysOf(env: Readonly<Record<string, string>>, store: Partial<ClusterConfig['store']> = {}) {
  const choice = storeChoice({ ...config, store: { ...config.store, kind: 'postgres', ...store } }, env);
  if (choice.kind !== 'postgres') throw new Error('no PostgreSQL');
  return choice.keys;
}

it('without an address of their own the sealing keys belong in a database beside that of the store', () => {
  const unsetVariable = 'TROUPE_KEYS_URL';
  for (const [url, keys] of [
    [STORE, 'postgres://troupe:secret@db.example.com:5432/troupe_keys?sslmode=require'],
    ['postgresql://me@here', 'postgresql://me@here/me_keys'],
    ['postgres:///shop?host=/tmp', 'postgres:///shop_keys?host=/tmp'],
  ] as const) {
    assert.equal(keysOf({ TROUPE_POSTGRES_URL: url }), { url: keys, unsetVariable });
    assert.equal(keysOf({}, { url }), { url: keys, unsetVariable });
  }
  assert.equal(keysOf({ TROUPE_POSTGRES_URL: STORE, TROUPE_KEYS_URL: '' }).unsetVariable, unsetVariable);
});

it('an address of their own wins, from the configuration or from the variable', () => {
  const url = 'postgres://keys.example.com/keys';
  assert.equal(keysOf({ TROUPE_POSTGRES_URL: STORE, TROUPE_KEYS_URL: url }), { url, unsetVariable: null });
  assert.equal(keysOf({ TROUPE_POSTGRES_URL: STORE }, { keysUrl: url }), { url, unsetVariable: null });
});

it('an address that has no place beside it names the variable, and nothing of the address', () => {
  assert.throws(
    () => keysOf({ TROUPE_POSTGRES_URL: 'postgres://u:secret@[bad/db' }),
    (error: Error) => /^the variable TROUPE_KEYS_URL is not set; set it/.test(error.message),
  );
});

test.run();
