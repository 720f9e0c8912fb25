/** SQL on `shards` and the counter of their changes. */
export const shardSql = {
  fence: 'SELECT 1 FROM shards WHERE shard = ? AND owner = ? AND epoch = ?',
  create: 'INSERT OR IGNORE INTO shards (shard, owner, epoch) VALUES (?, NULL, 0)',
  all: 'SELECT shard, owner, epoch FROM shards ORDER BY shard',
  move: 'UPDATE shards SET owner = ?, epoch = epoch + 1 WHERE shard = ? AND owner IS ? AND epoch = ?',
  revision: "SELECT value FROM counters WHERE name = 'shards_revision'",
  raiseRevision: "UPDATE counters SET value = value + 1 WHERE name = 'shards_revision'",
} as const;
