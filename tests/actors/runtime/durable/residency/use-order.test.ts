import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Cell } from '../../../../../actors/runtime/actor/cascade/cell.ts';
import { register } from '../../../../../actors/runtime/actor/charts/register.ts';
import { UseOrder } from '../../../../../actors/runtime/durable/residency/cell-registry.ts';
import { Shard } from '../../../../../actors/runtime/durable/shard.ts';
import { bounded } from '../../../../support/bounded.ts';
import { counterKind } from '../../../example-kinds/counter.ts';

const it = bounded(test);
const kind = register(counterKind);
const shard = new Shard(0, { epoch: 1, node: 'n1' }, 0);
const cellNamed = (name: string): Cell => new Cell(`counter:${name}`, kind, shard, 1);

const listed = (order: UseOrder): string[] => {
  const names: string[] = [];
  for (let cell = order.oldest; cell !== null; cell = cell.newer) names.push(cell.address.slice(8));
  const back: string[] = [];
  for (let cell = order.newest; cell !== null; cell = cell.older) back.unshift(cell.address.slice(8));
  assert.equal(back, names, 'the list reads the same from both ends');
  assert.is(order.size, names.length);
  return names;
};

it('keeps the order of use, from the least to the most recent', () => {
  const order = new UseOrder();
  const [a, b, c] = ['a', 'b', 'c'].map(cellNamed) as [Cell, Cell, Cell];
  for (const cell of [a, b, c]) order.add(cell);
  order.touch(a);
  assert.equal(listed(order), ['b', 'c', 'a']);
  order.touch(c);
  order.touch(c);
  assert.equal(listed(order), ['b', 'a', 'c']);
});

it('adds a cell once and removes it once, at any position', () => {
  const order = new UseOrder();
  const cells = ['a', 'b', 'c'].map(cellNamed) as [Cell, Cell, Cell];
  for (const cell of cells) order.add(cell);
  order.add(cells[0]);
  order.add(cells[2]);
  assert.equal(listed(order), ['a', 'b', 'c']);
  order.remove(cells[1]);
  order.remove(cells[1]);
  order.touch(cells[1]);
  assert.equal(listed(order), ['a', 'c']);
  order.remove(cells[2]);
  order.remove(cells[0]);
  assert.equal([listed(order), order.newest, order.oldest], [[], null, null]);
});

test.run();
