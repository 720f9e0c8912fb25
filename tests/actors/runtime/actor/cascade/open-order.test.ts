import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { byOrder } from '../../../../../actors/runtime/actor/cascade/open-order.ts';
import { RowCache, type RowWrite } from '../../../../../actors/runtime/actor/cascade/row-cache.ts';
import { deriveRow, removeRow } from '../../../../../actors/runtime/actor/cascade/row-writes.ts';
import type { RegisteredCollection } from '../../../../../actors/runtime/actor/charts/register.ts';
import { register } from '../../../../../actors/runtime/actor/charts/register.ts';
import { bounded } from '../../../../support/bounded.ts';
import { registerKind } from '../../../example-kinds/register.ts';

const it = bounded(test);
const line = register(registerKind).collections.get('line') as RegisteredCollection;
const pending = { order: 1, handed: false, attach: () => undefined };

it('equals the sorted list of open rows after every write, for any sequence of writes', () => {
  const write = fc.record({
    id: fc.integer({ min: 0, max: 30 }).map(String),
    rank: fc.integer({ min: 0, max: 12 }),
    what: fc.constantFrom('open', 'open', 'open', 'close', 'remove'),
    settles: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(write, { maxLength: 200 }), fc.integer({ min: 0, max: 200 }), (writes, firstLook) => {
      const rows = new RowCache('register:a');
      for (const [i, { id, rank, what, settles }] of writes.entries()) {
        const body = { id, rank, node: 'n', amount: 0, open: what === 'open', at: 0 };
        const row: RowWrite = what === 'remove' ? removeRow(rows, line, id) : deriveRow(rows, line, id, body);
        rows.apply(row, pending);
        if (settles) rows.settled(row, pending);
        if (i < firstLook) continue;
        const sorted = [...rows.open('line')].sort(byOrder);
        assert.equal(rows.next('line', 5), sorted.slice(0, 5));
        assert.equal(rows.next('line', 1_000), sorted);
      }
    }),
    { numRuns: 300, seed: 11 },
  );
});

it('reads, closes and opens rows among many without visiting all of them', () => {
  const rows = new RowCache('register:a');
  const put = (id: string, rank: number, open: boolean): void =>
    rows.apply(deriveRow(rows, line, id, { id, rank, node: 'n', amount: 0, open, at: 0 }), pending);
  const many = 50_000;
  for (let i = 0; i < many; i++) put(`l${i}`, i, true);
  let taken = 0;
  for (let batch = rows.next('line', 16); batch.length > 0; batch = rows.next('line', 16)) {
    // The row opened last closes first.
    for (const { id, sort } of [...batch].reverse()) {
      assert.is(sort, Number(id.slice(1)));
      put(id, sort, false);
      taken++;
    }
  }
  assert.is(taken, many);
});

test.run();
