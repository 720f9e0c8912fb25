/** Every query of the store uses an index; none scans a whole table. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RowQuery } from '../../../../../actors/runtime/ports/store.ts';
import type { Stream } from '../../../../../actors/runtime/stores/actor-list.ts';
import { connect } from '../../../../../actors/runtime/stores/postgres/connect.ts';
import {
  actorSql,
  eventSql,
  referredQuery,
  rowList,
  rowSql,
  streamsQuery,
  timerSql,
} from '../../../../../actors/runtime/stores/postgres/statements.ts';
import { bounded } from '../../../../support/bounded.ts';
import { testBounds } from '../../../../support/postgres/bounds.ts';
import { withStores } from './with-stores.ts';

const it = bounded(test);
const where = { column: 1, equals: 'x' } as const;
const after = { sort: 1, id: 'x' };

/** Few actors with many rows each, like a marketplace after some time. */
const FILL = `INSERT INTO actors SELECT 'account:' || n, 'account', n, n % 16, 1, 1, n::text, 'open', n, '{}', '[]'
    FROM generate_series(1, 20000) AS n;
  INSERT INTO actor_counts SELECT 'account', 'open', 1, n, 1250 FROM generate_series(0, 15) AS n;
  INSERT INTO rows SELECT CASE WHEN n % 100 = 0 THEN '$outbox' ELSE 'generation' END, 'id' || n, 'account:' || n % 20, n,
      (n % 16)::text, 'node' || n % 300, NULL, NULL, n % 50 = 0, n, '{}' FROM generate_series(1, 20000) AS n;
  INSERT INTO timers SELECT 'account:' || n, 'sweep', n % 16, n, '{}' FROM generate_series(1, 2000) AS n;
  ANALYZE`;

const LISTS: readonly (readonly [RowQuery, RegExp])[] = [
  [{ collection: 'c', address: 'a', limit: 9 }, /Index.* rows_by_address/],
  [{ collection: 'c', address: 'a', order: 'descending', after, limit: 9 }, /Index.* rows_by_address/],
  [{ collection: 'c', where, limit: 9 }, /Index.* rows_by_index1/],
  [{ collection: 'c', where, after, order: 'descending', limit: 9 }, /Index.* rows_by_index1/],
  [{ collection: 'c', startsWith: { column: 1, text: 'x' }, limit: 9 }, /Index.* rows_by_index1/],
  [
    { collection: 'c', startsWith: { column: 1, text: 'x' }, after: { ...after, value: 'xy' }, limit: 9 },
    /Index.* rows_by_index1[\s\S]*ROW\(index1, sort, id\)/,
  ],
  [{ collection: 'c', address: 'a', openOnly: true, limit: 9 }, /Index.* rows_open /],
  [
    { collection: '$outbox', where: { column: 0, equals: '7' }, openOnly: true, limit: 9 },
    /Index.* rows_open_of_runtime/,
  ],
];

/** Every kind of stream of a list of actors, with the index that has its order. */
const LOOKS: readonly { readonly by: string; readonly streams: readonly Stream[] }[] = [
  { by: 'actors_pkey', streams: [{ by: 'address', from: 'key:', to: 'key;' }] },
  { by: 'actors_by_kind', streams: [{ by: 'shard', kind: 'key', shard: 3, from: '' }] },
  { by: 'actors_by_state', streams: [{ by: 'state', kind: 'key', state: 'open' }] },
  { by: 'actors_by_owner', streams: [{ by: 'owner', owner: 'a', kind: 'key', state: 'open' }] },
];

it('lists, look-ups, due timers and expired rows use their indexes', () =>
  withStores(async ({ database }) => {
    await database.run(FILL);
    const client = await connect({ url: database.url, bounds: testBounds, applicationName: 'test' });
    const plan = async (text: string, values: readonly unknown[]): Promise<string> => {
      await client.query(`PREPARE query AS ${text}`);
      const literals = values.map((value) =>
        Array.isArray(value) ? `'{${value.join(',')}}'` : typeof value === 'number' ? value : `'${value}'`,
      );
      const given = literals.length === 0 ? '' : ` (${literals.join(', ')})`;
      const { rows } = await client.query(`EXPLAIN EXECUTE query${given}`);
      await client.query('DEALLOCATE query');
      const shown = rows.map((row) => Object.values(row)[0]).join('\n');
      assert.not.match(shown, /Seq Scan/);
      return shown;
    };
    for (const [query, index] of LISTS) {
      const { text, values } = rowList(query);
      const shown = await plan(text, values);
      assert.match(shown, index);
      assert.not.match(shown, /Sort/);
    }
    assert.match(await plan(rowSql.byKey.text, ['c', 'i', 'a']), /Index.* rows_pkey/);
    assert.match(await plan(rowSql.byId.text, ['c', 'i']), /Index.* rows_pkey/);
    assert.match(await plan(rowSql.sweep.text, [1, 9]), /Index.* rows_expiring/);
    const references = ([1, 0] as const).map((column) => ({ collection: 'generation', column }));
    const referred = await plan(referredQuery(references).text, [['node1', 'node2'], 'generation', 'generation']);
    assert.match(referred, /Index.* rows_by_index1/);
    assert.match(referred, /Index.* rows_by_index0/);
    assert.match(await plan(timerSql.due.text, [1, [1, 2], 9]), /Index.* timers_due/);
    assert.match(await plan(actorSql.load.text, ['a']), /Index.* actors_pkey/);
    assert.match(await plan(actorSql.load.text, ['a']), /Index.* rows_open /);
    for (const { by, streams } of LOOKS) {
      const plans = [false, true].map((newestFirst) =>
        streamsQuery({ streams, each: 51, after: { since: 1, address: 'a' }, newestFirst }),
      );
      for (const { text, values } of plans) {
        const shown = await plan(text, values);
        assert.match(shown, new RegExp(`Limit[\\s\\S]*Index.* ${by} on actors`));
        assert.not.match(shown, /Sort/);
      }
    }
    assert.match(await plan(actorSql.entries.text, [['a', 'b']]), /Index.* actors_pkey/);
    assert.match(await plan(actorSql.known.text, []), /Limit[\s\S]*Index.* actor_counts_pkey/);
    assert.match(await plan(eventSql.list.text, [1, 9]), /Index Scan Backward using cluster_events_pkey/);
    await client.end();
  }));

test.run();
