/** Every list of actors and of rows reads one range of an index in its order: it neither scans nor sorts. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RowQuery } from '../../../../../actors/runtime/ports/store.ts';
import type { Look, Stream } from '../../../../../actors/runtime/stores/actor-list.ts';
import { connect } from '../../../../../actors/runtime/stores/sqlite/connect.ts';
import { openSqliteStore } from '../../../../../actors/runtime/stores/sqlite/open-sqlite-store.ts';
import {
  actorSql,
  eventSql,
  rowQuerySql,
  rowQueryValues,
  streamSql,
  streamValues,
} from '../../../../../actors/runtime/stores/sqlite/statements.ts';
import { systemClock, systemRandom } from '../../../../../actors/runtime/system/clock.ts';
import { SHARDS } from '../../../../contracts/store/records.ts';
import { bounded } from '../../../../support/bounded.ts';

const it = bounded(test);
const folder = mkdtempSync(join(tmpdir(), 'troupe-plans-'));
const path = join(folder, 'troupe.db');
test.after(() => rmSync(folder, { recursive: true }));

const ACTORS = 20_000;
const FILL = `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${ACTORS})
  INSERT INTO actors (address, kind, hash, shard, version, chart, owner, state, since, snapshot, transitions)
    SELECT 'account:' || n, 'account', n, n % ${SHARDS}, 1, 1, n, 'open', n, '{}', '[]' FROM numbers;
  INSERT INTO actor_counts VALUES ('account', 'open', 1, ${ACTORS}); ANALYZE`;

const STREAMS: readonly (readonly [Stream, RegExp])[] = [
  [{ by: 'address', from: 'key:', to: 'key;' }, /SEARCH actors USING INDEX sqlite_autoindex_actors_1 \(address>\?/],
  [
    { by: 'shard', kind: 'key', shard: 3, from: 'key:' },
    /SEARCH actors USING COVERING INDEX actors_by_kind \(kind=\? AND shard=\? AND address>\?\)/,
  ],
  [
    { by: 'state', kind: 'key', state: 'open' },
    /SEARCH actors USING COVERING INDEX actors_by_state \(kind=\? AND state=\? AND \(since,address\)[<>]\(\?,\?\)\)/,
  ],
  [
    { by: 'owner', owner: 'a', kind: 'key', state: 'open' },
    /COVERING INDEX actors_by_owner \(owner=\? AND kind=\? AND state=\? AND \(since,address\)[<>]\(\?,\?\)\)/,
  ],
];

/** Every shape of a list of rows, as the pages of the operator port ask for them. */
const ROWS: readonly (readonly [RowQuery, RegExp])[] = [
  [{ collection: 'c', address: 'a', limit: 9 }, /rows_by_address \(address=\? AND collection=\?/],
  ...([0, 1, 2, 3] as const).map((column): readonly [RowQuery, RegExp] => [
    { collection: 'c', where: { column, equals: 'x' }, limit: 9 },
    new RegExp(`rows_by_index${column} \\(collection=\\? AND index${column}=\\?`),
  ]),
  [{ collection: 'c', address: 'a', openOnly: true, limit: 9 }, /rows_open \(address=\? AND collection=\?/],
];

it('lists of actors, of rows and of events use their indexes', async () => {
  await (
    await openSqliteStore({ path, shards: SHARDS, clock: systemClock, random: systemRandom, busyBoundMs: 2_000 })
  ).close();
  const connection = connect(path, 'write');
  try {
    connection.exec(FILL);
    const planOf = (sql: string, values: readonly unknown[]): string => {
      const steps = connection.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
      const shown = steps.map(({ detail }) => detail).join('\n');
      assert.not.match(shown, /TEMP B-TREE/);
      return shown;
    };
    for (const [stream, index] of STREAMS) {
      for (const newestFirst of [false, true]) {
        const look: Look = { streams: [stream], each: 51, after: { since: 1, address: 'a' }, newestFirst };
        const shown = planOf(streamSql(stream, newestFirst), streamValues(stream, look));
        assert.match(shown, index);
        assert.not.match(shown, /SCAN/);
      }
    }
    for (const after of [{}, { after: { sort: 1, id: 'a', value: 'xy' } }]) {
      const query = { collection: 'profile', startsWith: { column: 1, text: 'x' }, limit: 9, ...after } as const;
      const lower = 'after' in after ? '\\(index1,sort,id\\)>' : 'index1>';
      const range = new RegExp(`USING INDEX rows_by_index1 \\(collection=\\? AND ${lower}.*index1<\\?\\)`);
      assert.match(planOf(rowQuerySql(query), rowQueryValues(query)), range);
    }
    for (const [query, index] of ROWS) {
      for (const order of ['ascending', 'descending'] as const) {
        const begun = planOf(rowQuerySql({ ...query, order }), rowQueryValues({ ...query, order }));
        assert.match(begun, index);
        const next = { ...query, order, after: { sort: 1, id: 'x' } };
        assert.match(planOf(rowQuerySql(next), rowQueryValues(next)), /^SEARCH .*\(sort,id\)[<>]\(\?,\?\)\)$/);
      }
    }
    assert.match(planOf(actorSql.entry, ['a']), /SEARCH actors USING INDEX sqlite_autoindex_actors_1/);
    assert.match(planOf(actorSql.actorCounts, []), /^SCAN actor_counts$/, 'some hundred rows, kept in order');
    assert.match(planOf(eventSql.list, [1, 9]), /SEARCH cluster_events USING INTEGER PRIMARY KEY \(rowid<\?\)/);
  } finally {
    connection.close();
  }
});

test.run();
