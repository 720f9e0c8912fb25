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
