import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { PendingCommit } from '../../../../../actors/runtime/actor/cascade/pending-commit.ts';
import { RowCache, type RowWrite } from '../../../../../actors/runtime/actor/cascade/row-cache.ts';
import { deriveRow, removeRow } from '../../../../../actors/runtime/actor/cascade/row-writes.ts';
import type { RegisteredCollection } from '../../../../../actors/runtime/actor/charts/register.ts';
import { register } from '../../../../../actors/runtime/actor/charts/register.ts';
import { bounded } from '../../../../support/bounded.ts';
import { registerKind } from '../../../example-kinds/register.ts';

const it = bounded(test);
const line = register(registerKind).collections.get('line') as RegisteredCollection;
const pending = (order: number): PendingCommit => ({ order, handed: false, attach: () => undefined });

const write = (rows: RowCache, id: string, open: boolean, amount = 1): RowWrite =>
  deriveRow(rows, line, id, { id, amount, node: 'n', open, at: 5 });

it('keeps an open row after it is durable, and evicts a closed one', () => {
  const rows = new RowCache('register:a');
  const entry = pending(1);
  const [open, closed] = [write(rows, 'open', true), write(rows, 'closed', false)];
  rows.apply(open, entry);
  rows.apply(closed, entry);
  assert.is(rows.find('line', 'closed')?.latest, closed);
  rows.settled(open, entry);
  rows.settled(closed, entry);
  assert.is(rows.find('line', 'open')?.latest, open);
  assert.is(rows.find('line', 'closed'), undefined);
  assert.equal(
    [...rows.open('line')].map(({ id }) => id),
    ['open'],
  );
});

it('keeps a row while a later entry writes it', () => {
  const rows = new RowCache('register:a');
  const [first, second] = [pending(1), pending(2)];
  const [closed, removed] = [write(rows, 'x', false), removeRow(rows, line, 'x')];
  rows.apply(closed, first);
  rows.apply(removed, second);
  rows.settled(closed, first);
  assert.is(rows.find('line', 'x')?.latest, removed);
  rows.settled(removed, second);
  assert.is(rows.find('line', 'x'), undefined);
});

it('prefers a durable write over a read that began before it', () => {
  const rows = new RowCache('register:a');
  const reading = rows.reading('line', 'x');
  assert.is(rows.readView('line', 'x'), undefined);
  const entry = pending(1);
  const newer = write(rows, 'x', false, 9);
  rows.apply(newer, entry);
  rows.settled(newer, entry);
  rows.arrived(reading, { id: 'x', body: 'older' });
  assert.equal(rows.readView('line', 'x'), { id: 'x', body: newer.body });
  rows.release(reading);
  assert.is(rows.readView('line', 'x'), undefined);
});

it('keeps a row that was read while any message waits for it', () => {
  const rows = new RowCache('register:a');
  const [one, two] = [rows.reading('line', 'x'), rows.reading('line', 'x')];
  rows.arrived(one, null);
  rows.release(one);
  assert.is(rows.readView('line', 'x'), null);
  rows.release(two);
  assert.is(rows.readView('line', 'x'), undefined);
});

it('refuses a row whose sort is not a number', () => {
  const bad = { ...line, sort: () => Number.NaN };
  assert.throws(() => deriveRow(new RowCache('register:a'), bad, 'x', {}), /no finite sort/);
});

test.run();
