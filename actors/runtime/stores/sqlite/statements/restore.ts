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
