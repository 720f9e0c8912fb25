import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Slab } from '../../../../actors/runtime/collections/slab.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);

it('a freed slot is reused, and can be freed only once', () => {
  const slab = new Slab<string>();
  const first = slab.add('a');
  const second = slab.add('b');
  assert.not.equal(first, second);
  assert.is(slab.take(first), 'a');
  assert.is(slab.take(first), undefined);
  assert.is(slab.size, 1);
  assert.is(slab.add('c'), first);
  assert.is(slab.at(first), 'c');
  assert.equal(slab.all().sort(), ['b', 'c']);
  assert.is(slab.take(99), undefined);
});

it('the number of slots is the largest number of items held at once', () => {
  const slab = new Slab<number>();
  const highest = { slot: 0 };
  const held: number[] = [];
  for (let n = 0; n < 10_000; n++) {
    held.push(slab.add(n));
    highest.slot = Math.max(highest.slot, held.at(-1) as number);
    if (held.length > 64) slab.take(held.shift() as number);
  }
  assert.is(slab.size, 64);
  assert.is(highest.slot, 64);
});

test.run();
