import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ShardWrite } from '../../../../../actors/runtime/ports/store.ts';
import { packCommit, unpackCommit } from '../../../../../actors/runtime/stores/sqlite/packed-commit.ts';
import { bounded } from '../../../../support/bounded.ts';

const it = bounded(test);
const text = fc.string({ unit: 'binary' });
const integer = fc.maxSafeNat();
const key = { address: text, name: text };
const rowKey = { address: text, collection: text, id: text };
const four = fc.tuple(fc.option(text), fc.option(text), fc.option(text), fc.option(text));

const writes: fc.Arbitrary<ShardWrite[]> = fc.array(
  fc.record({
    shard: integer,
    owner: text,
    epoch: integer,
    actors: fc.array(
      fc.record({
        record: fc.record({
          ...{ address: text, kind: text, hash: integer, shard: integer, version: integer, chart: integer },
          ...{ snapshot: text, transitions: text },
        }),
        expected: integer,
      }),
    ),
    stopped: fc.array(fc.record({ address: text, expected: integer })),
    rowsPut: fc.array(
      fc.record({
        ...rowKey,
        ...{ sort: fc.double({ noNaN: true, noDefaultInfinity: true }), index: four, open: fc.boolean(), body: text },
        expiresAt: fc.option(integer),
      }),
    ),
    rowsRemoved: fc.array(fc.record(rowKey)),
    rowsTrimmed: fc.array(fc.record({ address: text, collection: text, rowsMax: integer })),
    timersSet: fc.array(fc.record({ ...key, dueAt: integer, event: text })),
    timersCancelled: fc.array(fc.record(key)),
  }),
  { maxLength: 4 },
);

it('a packed and cloned commit unpacks to the same records', () => {
  fc.assert(
    fc.property(writes, (given) => {
      const commit = { at: 1_700_000_000_000, writes: given };
      assert.equal(unpackCommit(structuredClone(packCommit(commit))), JSON.parse(JSON.stringify(commit)));
    }),
  );
});

it('a row with fewer than four index columns unpacks to four', () => {
  const row = { address: 'a', collection: 'c', id: 'i', sort: 1, index: ['x'], open: true, body: '', expiresAt: null };
  const lists = { actors: [], stopped: [], rowsRemoved: [], rowsTrimmed: [], timersSet: [], timersCancelled: [] };
  const writes = [{ shard: 1, owner: 'o', epoch: 1, rowsPut: [row], ...lists }];
  const [back] = unpackCommit(packCommit({ at: 1, writes })).writes;
  assert.equal(back?.rowsPut, [{ ...row, index: ['x', null, null, null] }]);
});

test.run();
