import type { IndexColumn, RowQuery } from '../../ports/store.ts';
import type { Look, Stream } from '../actor-list.ts';
import { endOfPrefix } from '../prefix.ts';

const ROW_COLUMNS = 'address, collection, id, sort, index0, index1, index2, index3, open, expires_at, body';

/** SQL on `rows`. Updates set only changed columns, so that the indexes of all others stay untouched. */
export const rowSql = {
  find: `SELECT n, sort, index0, index1, index2, index3, open, expires_at FROM rows
    WHERE collection = ? AND id = ? AND address = ?`,
  insertIfAbsent: `INSERT INTO rows (${ROW_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (collection, id, address) DO NOTHING`,
  updateBody: 'UPDATE rows SET body = ? WHERE n = ?',
  updateOpen: 'UPDATE rows SET body = ?, open = ?, index0 = ?, expires_at = ? WHERE n = ?',
  updateAll: `UPDATE rows SET body = ?, open = ?, index0 = ?, expires_at = ?, sort = ?, index1 = ?, index2 = ?, index3 = ?
    WHERE n = ?`,
  close: `UPDATE rows SET body = ?, open = 0, index0 = ?, expires_at = ? WHERE collection = ? AND id = ? AND address = ?
    AND open = 1 AND sort = ? AND index1 IS ? AND index2 IS ? AND index3 IS ?`,
  remove: 'DELETE FROM rows WHERE collection = ? AND id = ? AND address = ?',
  /** The address and the collection are bound twice. */
  trim: `DELETE FROM rows WHERE address = ? AND collection = ? AND (sort, id) <=
    (SELECT sort, id FROM rows INDEXED BY rows_by_address WHERE address = ? AND collection = ?
      ORDER BY sort DESC, id DESC LIMIT 1 OFFSET ?)`,
  sweep: `DELETE FROM rows WHERE n IN
    (SELECT n FROM rows WHERE expires_at IS NOT NULL AND expires_at < ? ORDER BY expires_at LIMIT ?)`,
  expired: `SELECT ${ROW_COLUMNS} FROM rows WHERE expires_at IS NOT NULL AND expires_at < ? ORDER BY expires_at LIMIT ?`,
  removeUnchanged: 'DELETE FROM rows WHERE collection = ? AND id = ? AND address = ? AND body = ?',
  byKey: `SELECT ${ROW_COLUMNS} FROM rows WHERE collection = ? AND id = ? AND address = ?`,
  byId: `SELECT ${ROW_COLUMNS} FROM rows WHERE collection = ? AND id = ? ORDER BY address LIMIT 1`,
  openOf: `SELECT ${ROW_COLUMNS} FROM rows WHERE address = ? AND open = 1 ORDER BY collection, sort, id`,
} as const;

/**
 * SQL of a list for the shape of the query; `rowQueryValues` binds its values in the same order. The index is named
 * instead of left to the planner: open rows are few, a look-up column is next, then the actor's own order. A list over
 * a whole collection with none of these sorts the collection.
 */
export function rowQuerySql(query: RowQuery): string {
  if (query.startsWith) return prefixSql(query.startsWith, query.after !== undefined);
  const descending = query.order === 'descending';
  const direction = descending ? 'DESC' : 'ASC';
  const conditions = ['collection = ?'];
  if (query.address !== undefined) conditions.push('address = ?');
  if (query.where) conditions.push(`index${query.where.column} = ?`);
  if (query.openOnly) conditions.push('open = 1');
  if (ofRuntime(query)) conditions.push("collection >= '$' AND collection < '%'");
  if (query.after) conditions.push(`(sort, id) ${descending ? '<' : '>'} (?, ?)`);
  return `SELECT ${ROW_COLUMNS} FROM rows INDEXED BY ${indexFor(query)}
    WHERE ${conditions.join(' AND ')} ORDER BY sort ${direction}, id ${direction} LIMIT ?`;
}

/** The index has the column first, so that a page begins at the cursor however many rows have the same value. */
function prefixSql({ column }: NonNullable<RowQuery['startsWith']>, isContinued: boolean): string {
  const name = `index${column}`;
  const begins = isContinued ? `(${name}, sort, id) > (?, ?, ?)` : `${name} >= ?`;
  return `SELECT ${ROW_COLUMNS} FROM rows INDEXED BY rows_by_${name}
    WHERE collection = ? AND ${begins} AND ${name} < ? ORDER BY ${name}, sort, id LIMIT ?`;
}

/**
 * Returns the values of a JSON list that occur in one of the columns: one look-up each, however many rows contain it.
 */
export function referredSql(columns: readonly IndexColumn[]): string {
  const found = columns.map(
    ({ column }) => `EXISTS (SELECT 1 FROM rows INDEXED BY rows_by_index${column}
      WHERE collection = ? AND index${column} = given.value)`,
  );
  return `SELECT given.value FROM json_each(?) AS given WHERE ${found.join(' OR ')}`;
}

/** Open rows of the runtime's own collections (`$...`) have a separate index by their first column. */
function ofRuntime({ collection, openOnly, address, where }: RowQuery): boolean {
  return openOnly === true && address === undefined && where?.column === 0 && collection.startsWith('$');
}

function indexFor(query: RowQuery): string {
  if (ofRuntime(query)) return 'rows_open_of_runtime';
  if (query.openOnly) return 'rows_open';
  if (query.where) return `rows_by_index${query.where.column}`;
  return query.address === undefined ? 'rows_by_id' : 'rows_by_address';
}

export function rowQueryValues(query: RowQuery): (string | number)[] {
  if (query.startsWith) return prefixValues(query, query.startsWith.text);
  const values: (string | number)[] = [query.collection];
  if (query.address !== undefined) values.push(query.address);
  if (query.where) values.push(query.where.equals);
  if (query.after) values.push(query.after.sort, query.after.id);
  values.push(query.limit);
  return values;
}

function prefixValues({ collection, after, limit }: RowQuery, text: string): (string | number)[] {
  const begin = after === undefined ? [text] : [after.value ?? text, after.sort, after.id];
  return [collection, ...begin, endOfPrefix(text), limit];
}

/**
 * SQL on `actors`. Updates set state and chart only when one changed, so that their indexes stay untouched otherwise.
 * Every change of either also changes `actor_counts`.
 */
export const actorSql = {
  judge: 'SELECT n, version, state, chart, since FROM actors WHERE address = ?',
  insert: `INSERT INTO actors
    (address, kind, hash, shard, version, chart, owner, state, since, snapshot, transitions)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  updateIfSame: `UPDATE actors SET version = ?, snapshot = ?, transitions = ?
    WHERE address = ? AND version = ? AND state = ? AND chart = ?`,
  update: 'UPDATE actors SET version = ?, snapshot = ?, transitions = ? WHERE n = ?',
  updateWithState: `UPDATE actors SET version = ?, chart = ?, snapshot = ?, transitions = ?, state = ?, since = ?
    WHERE n = ?`,
  remove: 'DELETE FROM actors WHERE address = ? RETURNING kind, state, chart',
  count: `INSERT INTO actor_counts (kind, state, chart, count) VALUES (?, ?, ?, ?)
    ON CONFLICT (kind, state, chart) DO UPDATE SET count = count + excluded.count`,
  load: 'SELECT kind, hash, shard, version, chart, snapshot, transitions FROM actors WHERE address = ?',
  entry: 'SELECT address, kind, shard, version, chart, state, since FROM actors WHERE address = ?',
  known: 'SELECT DISTINCT kind, state FROM actor_counts',
  actorCounts: `SELECT kind, state, chart, count FROM actor_counts WHERE count > 0 ORDER BY kind, state, chart`,
  states: `SELECT kind, chart, CASE WHEN json_valid(snapshot) THEN snapshot -> '$.value' END AS value,
    count(*) AS count, min(address) AS example
    FROM actors GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
} as const;

/** SQL of one stream of a list; `streamValues` binds its values in the same order. */
export function streamSql({ by }: Stream, newestFirst: boolean): string {
  if (by === 'address') {
    return `SELECT address, since, shard FROM actors INDEXED BY sqlite_autoindex_actors_1
      WHERE address >= ? AND address < ? ORDER BY address LIMIT ?`;
  }
  if (by === 'shard') {
    return `SELECT address, 0, shard FROM actors INDEXED BY actors_by_kind
      WHERE kind = ? AND shard = ? AND address >= ? ORDER BY address LIMIT ?`;
  }
  const [comes, direction] = newestFirst ? ['<', 'DESC'] : ['>', 'ASC'];
  return `SELECT address, since, shard FROM actors INDEXED BY actors_by_${by}
    WHERE ${by === 'owner' ? 'owner = ? AND ' : ''}kind = ? AND state = ? AND (since, address) ${comes} (?, ?)
    ORDER BY since ${direction}, address ${direction} LIMIT ?`;
}

export function streamValues(stream: Stream, { after, each }: Look): readonly (string | number)[] {
  if (stream.by === 'address') return [stream.from, stream.to, each];
  if (stream.by === 'shard') return [stream.kind, stream.shard, stream.from, each];
  const owner = stream.by === 'owner' ? [stream.owner] : [];
  return [...owner, stream.kind, stream.state, after.since, after.address, each];
}

/** SQL on `timers`. Due timers are read in time order; the shards are passed as one JSON list. */
export const timerSql = {
  set: `INSERT INTO timers (address, name, shard, due_at, event) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (address, name) DO UPDATE SET due_at = excluded.due_at, event = excluded.event`,
  cancel: 'DELETE FROM timers WHERE address = ? AND name = ?',
  cancelAll: 'DELETE FROM timers WHERE address = ?',
  due: `SELECT address, name, due_at, event FROM timers
    WHERE due_at <= ? AND shard IN (SELECT value FROM json_each(?)) ORDER BY due_at, address, name LIMIT ?`,
  of: 'SELECT address, name, due_at, event FROM timers WHERE address = ? ORDER BY due_at, name',
} as const;

const NODE_COLUMNS = 'birth, incarnation, name, address, operator_url, pid, host, beat, beat_at, reaches, state, why';
const ALIVE = "state IN ('joining', 'up', 'draining')";

const OLD = `state IN ('dead', 'left') AND birth <=
    (SELECT birth FROM nodes WHERE state IN ('dead', 'left') ORDER BY birth DESC LIMIT 1 OFFSET ?)`;

/** SQL on `nodes`. The row of the latest birth is never deleted, so births keep counting. */
export const nodeSql = {
  replace: `UPDATE nodes SET state = 'dead', why = 'replaced', ended_at = ? WHERE name = ? AND ${ALIVE}
    RETURNING name, incarnation, beat_at`,
  insert: `INSERT INTO nodes (incarnation, name, address, operator_url, pid, host) VALUES (?, ?, ?, ?, ?, ?)
    RETURNING birth`,
  forgetDeaths: `DELETE FROM settings WHERE name IN (SELECT ? || incarnation FROM nodes WHERE ${OLD})`,
  forget: `DELETE FROM nodes WHERE ${OLD}`,
  beat: `UPDATE nodes SET beat = beat + 1, beat_at = ?, reaches = ?, state = ? WHERE incarnation = ? AND ${ALIVE}`,
  alive: `SELECT ${NODE_COLUMNS} FROM nodes WHERE ${ALIVE} ORDER BY birth`,
  ended: `SELECT ${NODE_COLUMNS} FROM nodes WHERE state IN ('dead', 'left') ORDER BY birth DESC LIMIT ?`,
  markDead: `UPDATE nodes SET state = 'dead', why = ?, ended_at = ? WHERE incarnation = ? AND beat = ? AND ${ALIVE}
    RETURNING name, incarnation, beat_at`,
  leave: `UPDATE nodes SET state = 'left', why = 'left', ended_at = ? WHERE incarnation = ? AND ${ALIVE}
    RETURNING name, incarnation`,
  find: 'SELECT name, incarnation, state, ended_at FROM nodes WHERE incarnation = ?',
} as const;

/** SQL on `shards` and the counter of their changes. */
export const shardSql = {
  fence: 'SELECT 1 FROM shards WHERE shard = ? AND owner = ? AND epoch = ?',
  create: 'INSERT OR IGNORE INTO shards (shard, owner, epoch) VALUES (?, NULL, 0)',
  all: 'SELECT shard, owner, epoch FROM shards ORDER BY shard',
  move: 'UPDATE shards SET owner = ?, epoch = epoch + 1 WHERE shard = ? AND owner IS ? AND epoch = ?',
  revision: "SELECT value FROM counters WHERE name = 'shards_revision'",
  raiseRevision: "UPDATE counters SET value = value + 1 WHERE name = 'shards_revision'",
} as const;

const EVENT_COLUMNS =
  'at, began_at, type, node, incarnation, moves, from_node, from_incarnation, took_ms, why, last_beat_at, suspected_at';

/** SQL on `cluster_events`. */
export const eventSql = {
  insert: `INSERT INTO cluster_events (${EVENT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING n`,
  /** Adds to the event that a move belongs to: one JSON list to the end of another. */
  grow: `UPDATE cluster_events SET at = ?, moves = rtrim(moves, ']') || '],' || substr(?, 2), took_ms = ? WHERE n =
    (SELECT n FROM cluster_events WHERE n > (SELECT max(n) FROM cluster_events) - ? AND type = ? AND incarnation = ?
      AND from_incarnation IS ? AND began_at >= ? ORDER BY n DESC LIMIT 1)`,
  forget: 'DELETE FROM cluster_events WHERE n <= ?',
  list: `SELECT n, ${EVENT_COLUMNS} FROM cluster_events WHERE n < ? ORDER BY n DESC LIMIT ?`,
} as const;

/** SQL on the settings: the first written value stays. */
export const settingSql = {
  writeIfAbsent: 'INSERT OR IGNORE INTO settings (name, value) VALUES (?, ?)',
  read: 'SELECT value FROM settings WHERE name = ?',
} as const;

/** SQL that makes a restored database safe to use. The birth that it reserves is given to no node. */
export const restoreSql = {
  beats: "SELECT coalesce(sum(beat), 0) FROM nodes WHERE state IN ('joining', 'up', 'draining')",
  raiseEpochs: 'UPDATE shards SET owner = NULL, epoch = epoch + ?',
  raiseRevision: "UPDATE counters SET value = value + ? WHERE name = 'shards_revision'",
  endNodes: "UPDATE nodes SET state = 'dead', why = 'restored' WHERE state IN ('joining', 'up', 'draining')",
  takeBirth: `INSERT INTO nodes (birth, incarnation, name, address, operator_url, pid, host, state, why)
    SELECT coalesce(max(birth), 0) + ?, ?, '(restored)', '', '', 0, '', 'left', 'restored' FROM nodes RETURNING birth`,
  mark: 'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
} as const;
