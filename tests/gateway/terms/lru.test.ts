import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Lru } from '../../../gateway/terms/lru.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test, 5_000);

it('what was used longest ago makes room', () => {
  const lru = new Lru<number>(2);
  lru.keep('a', 1);
  lru.keep('b', 2);
  assert.is(lru.find('a'), 1);
  lru.keep('c', 3);
  assert.is(lru.find('b'), undefined);
  assert.is(lru.find('a'), 1);
  lru.keep('c', 4);
  lru.keep('d', 5);
  assert.is(lru.find('a'), undefined);
  assert.is(lru.find('c'), 4);
  assert.is(lru.size, 2);
});

it('a dropped entry is gone wherever it stood, and the rest keeps its order', () => {
  const lru = new Lru<string>(3);
  for (const key of ['a', 'b', 'c']) lru.keep(key, key);
  lru.drop('b');
  lru.drop('c');
  lru.drop('x');
  for (const key of ['d', 'e', 'f']) lru.keep(key, key);
  assert.is(lru.find('a'), undefined);
  assert.equal(
    ['d', 'e', 'f'].map((key) => lru.find(key)),
    ['d', 'e', 'f'],
  );
  for (const key of ['d', 'e', 'f']) lru.drop(key);
  assert.is(lru.size, 0);
  lru.keep('g', 'g');
  assert.is(lru.find('g'), 'g');
});

test.run();
