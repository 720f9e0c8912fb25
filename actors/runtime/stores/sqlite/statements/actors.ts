/** SQL on `actors`. An update names the state only when it changed, so that its index is left alone otherwise. */
export const actorSql = {
  judge: 'SELECT n, version, state FROM actors WHERE address = ?',
  insert: `INSERT INTO actors (address, kind, hash, shard, version, chart, state, snapshot, trail)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  update: 'UPDATE actors SET version = ?, chart = ?, snapshot = ?, trail = ? WHERE n = ?',
  updateWithState: 'UPDATE actors SET version = ?, chart = ?, snapshot = ?, trail = ?, state = ? WHERE n = ?',
  remove: 'DELETE FROM actors WHERE address = ?',
  load: 'SELECT kind, hash, shard, version, chart, snapshot, trail FROM actors WHERE address = ?',
  ofKind: 'SELECT address FROM actors WHERE kind = ? AND shard = ? ORDER BY address',
  census: 'SELECT kind, state, count(*) AS count FROM actors GROUP BY kind, state ORDER BY kind, state',
} as const;
