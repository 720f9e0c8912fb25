import type { IndexColumn, RowQuery } from '../../ports/store.ts';
import type { Look, Stream } from '../actor-list.ts';
import { endOfPrefix } from '../prefix.ts';

const ROW_COLUMNS = 'address, collection, id, sort, index0, index1, index2, index3, open, expires_at, body';

/** Queries on `rows`, by name: each is prepared once per connection. */
export const rowSql = {
  byKey: {
    name: 'row_by_key',
    text: `SELECT ${ROW_COLUMNS} FROM rows WHERE collection = $1 AND id = $2 AND address = $3`,
  },
  byId: {
    name: 'row_by_id',
    text: `SELECT ${ROW_COLUMNS} FROM rows WHERE collection = $1 AND id = $2 ORDER BY address LIMIT 1`,
  },
  /** Rows locked by a commit are left for the next sweep. */
  sweep: {
    name: 'row_sweep',
    text: `DELETE FROM rows AS r USING (SELECT collection, id, address FROM rows
        WHERE expires_at IS NOT NULL AND expires_at < $1 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED) AS old
      WHERE r.collection = old.collection AND r.id = old.id AND r.address = old.address`,
  },
  expired: {
    name: 'row_expired',
    text: `SELECT ${ROW_COLUMNS} FROM rows WHERE expires_at IS NOT NULL AND expires_at < $1 ORDER BY expires_at LIMIT $2`,
  },
  removeUnchanged: {
    name: 'row_remove_unchanged',
    text: `DELETE FROM rows AS r USING unnest($1::text[], $2::text[], $3::text[], $4::text[])
        AS old (collection, id, address, body)
      WHERE r.collection = old.collection AND r.id = old.id AND r.address = old.address AND r.body = old.body`,
  },
} as const;

/**
 * Returns the texts of $1 that occur in one of the columns, with one index look-up each. LIMIT prevents joins of whole
 * collections and stops at the first of the thousands of rows that can contain the same value.
 */
export function referredQuery(columns: readonly IndexColumn[]): { readonly name: string; readonly text: string } {
  const lookUps = columns.map(
    ({ column }, at) => `SELECT given.value FROM unnest($1::text[]) AS given (value)
      CROSS JOIN LATERAL (SELECT 1 FROM rows WHERE collection = $${at + 2} AND index${column} = given.value LIMIT 1) AS found`,
  );
  const name = `row_referred_${columns.map(({ column }) => column).join('')}`;
  return { name, text: lookUps.join(' UNION ') };
}

interface RowList {
  readonly name: string;
  readonly text: string;
  readonly values: readonly (string | number)[];
}

/**
 * A list query. Its text and name depend only on the shape of the query, so there are few of them. Unlike in SQLite the
 * index is not named; every shape has an index in its order.
 */
export function rowList(query: RowQuery): RowList {
  if (query.startsWith) return prefixList(query, query.startsWith);
  const { collection, address, where, openOnly, after, limit } = query;
  const descending = query.order === 'descending';
  const values: (string | number)[] = [];
  const bound = (value: string | number): string => `$${values.push(value)}`;
  const conditions = [`collection = ${bound(collection)}`];
  let shape = descending ? 'd' : 'a';
  const add = (letter: string, condition: string): void => {
    shape += letter;
    conditions.push(condition);
  };
  if (address !== undefined) add('A', `address = ${bound(address)}`);
  if (where) add(`W${where.column}`, `index${where.column} = ${bound(where.equals)}`);
  if (openOnly) add('O', 'open');
  if (openOnly && collection.startsWith('$')) add('R', "collection >= '$' AND collection < '%'");
  if (after) add('C', `(sort, id) ${descending ? '<' : '>'} (${bound(after.sort)}, ${bound(after.id)})`);
  const direction = descending ? 'DESC' : 'ASC';
  const order = `ORDER BY sort ${direction}, id ${direction} LIMIT ${bound(limit)}`;
  return {
    name: `row_list_${shape}`,
    text: `SELECT ${ROW_COLUMNS} FROM rows WHERE ${conditions.join(' AND ')} ${order}`,
    values,
  };
}

/** The index has the column first, so that a page begins at the cursor however many rows have the same value. */
function prefixList({ collection, after, limit }: RowQuery, prefix: NonNullable<RowQuery['startsWith']>): RowList {
  const { column, text } = prefix;
  const name = `index${column}`;
  const begins = after === undefined ? `${name} >= $4` : `(${name}, sort, id) > ($4, $5, $6)`;
  return {
    name: `row_prefix_${column}${after === undefined ? '' : '_after'}`,
    text: `SELECT ${ROW_COLUMNS} FROM rows WHERE collection = $1 AND ${begins} AND ${name} < $2
      ORDER BY ${name}, sort, id LIMIT $3`,
    values: [
      collection,
      endOfPrefix(text),
      limit,
      ...(after === undefined ? [text] : [after.value ?? text, after.sort, after.id]),
    ],
  };
}

/** Queries on `actors`, by name: each is prepared once per connection. */
export const actorSql = {
  /** The actor and its open rows from one snapshot of the database. */
  load: {
    name: 'actor_load',
    text: `SELECT a.kind, a.hash, a.shard, a.version, a.chart, a.snapshot, a.transitions,
      (SELECT coalesce(json_agg(json_build_array(r.address, r.collection, r.id, r.sort, r.index0, r.index1, r.index2,
        r.index3, r.open, r.expires_at, r.body) ORDER BY r.collection, r.sort, r.id), '[]'::json)
        FROM rows AS r WHERE r.address = a.address AND r.open) AS open_rows
      FROM actors AS a WHERE a.address = $1`,
  },
  entries: {
    name: 'actor_entries',
    text: 'SELECT address, kind, shard, version, chart, state, since FROM actors WHERE address = ANY ($1::text[])',
  },
  /** One index look-up for each pair: their rows by shard and chart are many. */
  known: {
    name: 'actor_known_states',
    text: `WITH RECURSIVE known AS (
      (SELECT kind, state FROM actor_counts ORDER BY kind, state LIMIT 1)
      UNION ALL
      SELECT following.kind, following.state FROM known AS k CROSS JOIN LATERAL (
        SELECT c.kind, c.state FROM actor_counts AS c WHERE (c.kind, c.state) > (k.kind, k.state)
        ORDER BY c.kind, c.state LIMIT 1) AS following)
      SELECT kind, state FROM known`,
  },
  actorCounts: {
    name: 'actor_counts',
    text: `SELECT kind, state, chart, sum(count) AS count FROM actor_counts GROUP BY kind, state, chart
      HAVING sum(count) > 0 ORDER BY kind, state, chart`,
  },
  states: {
    name: 'actor_states',
    text: `SELECT kind, chart, state_value_1(snapshot) COLLATE "C" AS value, count(*) AS count, min(address) AS example
      FROM actors GROUP BY 1, 2, 3 ORDER BY 1, 2, 3 NULLS FIRST`,
  },
} as const;

interface StreamsQuery {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The first entries of each stream, with the stream's place from 1. The streams of one look use one index. */
export function streamsQuery({ streams, each, after, newestFirst }: Look): StreamsQuery {
  const by = streams[0]?.by ?? 'address';
  const columns = COLUMNS[by];
  const values = columns.map((column) => streams.map((stream) => (stream as Record<string, unknown>)[column.name]));
  const given = columns.map(({ type }, at) => `$${at + 1}::${type}[]`).join(', ');
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  const conditions = columns.map(({ name, condition }) => condition ?? `a.${name} = s.${name}`);
  const next = columns.length + 1;
  const byTime = by === 'state' || by === 'owner';
  const [comes, direction] = newestFirst ? ['<', 'DESC'] : ['>', 'ASC'];
  if (byTime) conditions.push(`(a.since, a.address) ${comes} ($${next}, $${next + 1})`);
  const order = byTime ? `a.since ${direction}, a.address ${direction}` : 'a.address';
  return {
    name: `actor_list_${by}${newestFirst ? '_newest' : ''}`,
    text: `SELECT s.place, f.address, f.since, f.shard
      FROM unnest(${given}) WITH ORDINALITY AS s (${names}, place)
      CROSS JOIN LATERAL (SELECT a.address, ${by === 'shard' ? '0::double precision AS since' : 'a.since'}, a.shard
        FROM actors AS a WHERE ${conditions.join(' AND ')} ORDER BY ${order}
        LIMIT $${byTime ? next + 2 : next}) AS f`,
    values: [...values, ...(byTime ? [after.since, after.address] : []), each],
  };
}

interface StreamColumn {
  readonly name: string;
  readonly type: 'text' | 'integer';
  /** Absent: the actor's column of this name equals it. */
  readonly condition?: string;
}

const FROM: StreamColumn = { name: 'from', type: 'text', condition: 'a.address >= s."from"' };
const [OWNER, KIND, STATE] = (['owner', 'kind', 'state'] as const).map((name) => ({ name, type: 'text' })) as [
  StreamColumn,
  StreamColumn,
  StreamColumn,
];
const COLUMNS: Readonly<Record<Stream['by'], readonly StreamColumn[]>> = {
  address: [FROM, { name: 'to', type: 'text', condition: 'a.address < s."to"' }],
  shard: [KIND, { name: 'shard', type: 'integer' }, FROM],
  state: [KIND, STATE],
  owner: [OWNER, KIND, STATE],
};

/** Queries on `timers`, by name: each is prepared once per connection. */
export const timerSql = {
  due: {
    name: 'timer_due',
    text: `SELECT address, name, due_at, event FROM timers WHERE due_at <= $1 AND shard = ANY ($2::integer[])
      ORDER BY due_at, address, name LIMIT $3`,
  },
  of: {
    name: 'timer_of',
    text: 'SELECT address, name, due_at, event FROM timers WHERE address = $1 ORDER BY due_at, name',
  },
} as const;

/** Operations on nodes, shards and settings, by name: each is prepared once per connection. */
export const membershipSql = {
  register: { name: 'node_register', text: 'SELECT register_node_1($1, $2, $3, $4, $5, $6, $7, $8) AS birth' },
  heartbeat: { name: 'node_heartbeat', text: 'SELECT now, revision, nodes FROM heartbeat_1($1, $2, $3, $4)' },
  markDead: { name: 'node_mark_dead', text: 'SELECT mark_dead_1($1, $2, $3, $4) AS marked' },
  leave: { name: 'node_leave', text: 'SELECT leave_1($1)' },
  shards: { name: 'shard_all', text: 'SELECT shard, owner, epoch FROM shards ORDER BY shard' },
  claim: {
    name: 'shard_claim',
    text: 'SELECT shard, owner, epoch FROM claim_shards_1($1, $2::integer[], $3::text[], $4::bigint[])',
  },
  give: { name: 'shard_give', text: 'SELECT give_shard_1($1, $2, $3, $4) AS epoch' },
  setting: { name: 'setting_settle', text: 'SELECT setting_1($1, $2) AS value' },
} as const;

export const eventSql = {
  list: {
    name: 'cluster_event_list',
    text: `SELECT n, at, began_at AS "beganAt", type, node, incarnation, moves, from_node AS "from",
      from_incarnation AS "fromIncarnation", took_ms AS "tookMs", why, last_beat_at AS "lastBeatAt",
      suspected_at AS "suspectedAt" FROM cluster_events WHERE n < $1 ORDER BY n DESC LIMIT $2`,
  },
} as const;

/** SQL on `blobs` and `blob_pieces`. Only finished blobs are visible. The column `pieces` is no longer used. */
export const blobSql = {
  begin: { name: 'blob-begin', text: 'INSERT INTO blobs (id) VALUES ($1)' },
  append: { name: 'blob-append', text: 'INSERT INTO blob_pieces (blob, n, body) VALUES ($1, $2, $3)' },
  finish: { name: 'blob-finish', text: 'UPDATE blobs SET finished = true WHERE id = $1 AND NOT finished' },
  discard: { name: 'blob-discard', text: 'DELETE FROM blobs WHERE id = $1' },
  /** Computes the length without reading the values. */
  find: {
    name: 'blob-find',
    text: `SELECT (SELECT coalesce(sum(octet_length(body)), 0) FROM blob_pieces WHERE blob = $1)::double precision AS bytes
      FROM blobs WHERE id = $1 AND finished`,
  },
  /** Pieces are stored uncompressed (STORAGE EXTERNAL), so only the requested part of a large one is read. */
  part: {
    name: 'blob-part',
    text: 'SELECT substring(body FROM $3::integer FOR $4::integer) AS body FROM blob_pieces WHERE blob = $1 AND n = $2',
  },
  remove: { name: 'blob-remove', text: 'DELETE FROM blobs WHERE id = $1 AND finished' },
  list: {
    name: 'blob-list',
    text: 'SELECT id FROM blobs WHERE finished AND id > $1 AND id < $2 ORDER BY id LIMIT $3',
  },
  sweepUnfinished: {
    name: 'blob-sweep',
    text: `DELETE FROM blobs WHERE id IN
      (SELECT id FROM blobs WHERE NOT finished AND id < $1 ORDER BY id LIMIT $2)`,
  },
} as const;

/** SQL on `sealing_keys`. */
export const keySql = {
  find: { name: 'key-find', text: 'SELECT secret FROM sealing_keys WHERE hour = $1' },
  make: { name: 'key-make', text: 'INSERT INTO sealing_keys (hour, secret) VALUES ($1, $2) ON CONFLICT DO NOTHING' },
  destroy: { name: 'key-destroy', text: 'DELETE FROM sealing_keys WHERE hour <= $1' },
  count: { name: 'key-count', text: 'SELECT count(*)::integer AS kept FROM sealing_keys' },
  rewrite: { name: 'key-rewrite', text: 'VACUUM (FULL) sealing_keys' },
  switchLog: { name: 'key-switch-log', text: 'SELECT pg_switch_wal()' },
  checkpoint: { name: 'key-checkpoint', text: 'CHECKPOINT' },
} as const;

/** SQL that makes a restored database safe to use. The birth that it reserves is given to no node. */
export const restoreSql = {
  beats: "SELECT coalesce(sum(beat), 0)::bigint AS beats FROM nodes WHERE state IN ('joining', 'up', 'draining')",
  raiseEpochs: 'UPDATE shards SET owner = NULL, epoch = epoch + $1',
  raiseRevision: "UPDATE counters SET value = value + $1 WHERE name = 'shards_revision'",
  endNodes: "UPDATE nodes SET state = 'dead', why = 'restored' WHERE state IN ('joining', 'up', 'draining')",
  raiseBirths: "UPDATE counters SET value = value + $1 WHERE name = 'births' RETURNING value AS birth",
  takeBirth: `INSERT INTO nodes (birth, incarnation, name, address, operator_url, pid, host, state, why)
    VALUES ($1, $2, '(restored)', '', '', 0, '', 'left', 'restored')`,
  mark: 'INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
} as const;
