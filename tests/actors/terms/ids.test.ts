import { createHash, createHmac } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseAddress, systemRandom } from '../../../actors/runtime/index.ts';
import * as ids from '../../../actors/terms/ids.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);

it('creates ids of the right shape, all different and valid in addresses', () => {
  const seen = new Set<string>();
  for (let i = 0; i < 500; i++) {
    for (const id of [ids.accountId(systemRandom), ids.keyId(systemRandom), ids.depositId(systemRandom)]) {
      assert.match(id, /^(acct|key|dep)_[0-9A-Za-z]{20}$/);
      assert.not(seen.has(id));
      seen.add(id);
    }
  }
  const address = ids.keyAddress(ids.accountId(systemRandom), ids.keyId(systemRandom));
  assert.is(parseAddress(address)?.kind, 'key');
  assert.is(parseAddress(ids.endpointAddress(ids.endpointId('alpha', 'author/model')))?.kind, 'endpoint');
});

it('orders generation ids by time', () => {
  const early = ids.generationId(systemRandom, 999_999_999_999);
  const late = ids.generationId(systemRandom, 1_763_690_400_123);
  assert.match(late, /^gen-1763690400-[0-9A-Za-z]{20}$/);
  assert.match(early, /^gen-0999999999-/);
  assert.ok(early < late);
  for (const [before, after] of [
    [0, 1],
    [9, 10],
    [61, 62],
    [123, 124],
    [998, 999],
  ] as const) {
    assert.ok(ids.generationId(systemRandom, 5_000 + before) < ids.generationId(systemRandom, 5_000 + after));
  }
});

it('letters are equally likely', () => {
  const counts = new Map<string, number>();
  for (let i = 0; i < 2_000; i++) {
    for (const letter of ids.accountId(systemRandom).slice(5)) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  }
  assert.is(counts.size, 62);
  for (const count of counts.values()) assert.ok(count > 400 && count < 900, `${count} of 645 expected`);
});

it('uses only bytes below 248, whatever the source returns', () => {
  let next = 240;
  const counting = { bytes: (length: number) => Uint8Array.from({ length }, () => next++ % 256), fraction: () => 0 };
  assert.is(ids.accountId(counting).length, 25);
});

it('the stored digest reveals no key and cannot be computed without the pepper', () => {
  const pepper = Buffer.from('pepper');
  const key = ids.keyText(systemRandom);
  assert.match(key, /^sk-gw-v1-[0-9a-f]{64}$/);
  const sha = createHash('sha256').update(key).digest();
  const expected = createHmac('sha256', pepper).update(sha).digest('hex');
  assert.is(ids.keyDigest(pepper, key), expected);
  assert.is(ids.importedKeyDigest(pepper, sha.toString('hex')), expected);
  assert.is.not(ids.keyDigest(Buffer.from('other'), key), expected);
  assert.throws(() => ids.importedKeyDigest(pepper, 'nonsense'));
});

it('recognises a key by its shape and masks it', () => {
  const secret = `abc${'0'.repeat(58)}def`;
  assert.ok(ids.isKeyText(`sk-gw-v1-${secret}`));
  assert.ok(ids.isKeyText(`sk-legacy-v1-${secret}`));
  for (const bad of [
    '',
    'sk-gw-v1-',
    `sk-gw-v2-${secret}`,
    `sk-gw-v1-${secret.toUpperCase()}`,
    `sk-gw-v1-${secret} `,
  ]) {
    assert.not(ids.isKeyText(bad), bad);
  }
  assert.is(ids.maskKey(`sk-gw-v1-${secret}`), 'sk-gw-v1-abc...def');
  assert.is(ids.maskKey(`sk-legacy-v1-${secret}`), 'sk-legacy-v1-abc...def');
});

test.run();
