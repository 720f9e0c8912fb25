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
