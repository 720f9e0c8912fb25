import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Slab } from '../../../../actors/runtime/collections/slab.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test, 5_000);

it('a place is taken once and then used again', () => {
  const slots = new Slab<string>();
  const first = slots.add('a');
  const second = slots.add('b');
  assert.not.equal(first, second);
  assert.is(slots.take(first), 'a');
  assert.is(slots.take(first), undefined);
  assert.is(slots.size, 1);
  assert.is(slots.add('c'), first);
  assert.is(slots.at(first), 'c');
  assert.equal(slots.all().sort(), ['b', 'c']);
  assert.is(slots.take(99), undefined);
});

it('as many places are made as were ever needed at once', () => {
  const slots = new Slab<number>();
  const highest = { place: 0 };
  const held: number[] = [];
  for (let n = 0; n < 10_000; n++) {
    held.push(slots.add(n));
    highest.place = Math.max(highest.place, held.at(-1) as number);
    if (held.length > 64) slots.take(held.shift() as number);
  }
  assert.is(slots.size, 64);
  assert.is(highest.place, 64);
});

test.run();
