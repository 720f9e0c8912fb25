/**
 * SQL on `actors`. Updates set state and chart only when one changed, so that their index stays untouched otherwise.
 */
export const actorSql = {
  judge: 'SELECT n, version, state, chart FROM actors WHERE address = ?',
  insert: `INSERT INTO actors (address, kind, hash, shard, version, chart, state, snapshot, transitions)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  updateIfSame: `UPDATE actors SET version = ?, snapshot = ?, transitions = ?
    WHERE address = ? AND version = ? AND state = ? AND chart = ?`,
  update: 'UPDATE actors SET version = ?, snapshot = ?, transitions = ? WHERE n = ?',
  updateWithState: 'UPDATE actors SET version = ?, chart = ?, snapshot = ?, transitions = ?, state = ? WHERE n = ?',
  remove: 'DELETE FROM actors WHERE address = ?',
  load: 'SELECT kind, hash, shard, version, chart, snapshot, transitions FROM actors WHERE address = ?',
  ofKind: 'SELECT address FROM actors WHERE kind = ? AND shard = ? ORDER BY address',
  actorCounts: `SELECT kind, state, chart, count(*) AS count FROM actors INDEXED BY actors_by_state
    GROUP BY kind, state, chart ORDER BY kind, state, chart`,
  states: `SELECT kind, chart, CASE WHEN json_valid(snapshot) THEN snapshot -> '$.value' END AS value,
    count(*) AS count, min(address) AS example
    FROM actors GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
} as const;
