const ALIVE = "state IN ('joining', 'up', 'draining')";

/** Operations on nodes, shards and settings, by name: each is prepared once per connection. */
export const membershipSql = {
  register: { name: 'node_register', text: 'SELECT register_node_1($1, $2, $3, $4, $5, $6, $7, $8) AS birth' },
  heartbeat: { name: 'node_heartbeat', text: 'SELECT now, revision, nodes FROM heartbeat_1($1, $2, $3, $4)' },
  markDead: {
    name: 'node_mark_dead',
    text: `UPDATE nodes SET state = 'dead', why = $1 WHERE incarnation = $2 AND beat = $3 AND ${ALIVE}`,
  },
  leave: {
    name: 'node_leave',
    text: `UPDATE nodes SET state = 'left', why = 'left' WHERE incarnation = $1 AND ${ALIVE}`,
  },
  shards: { name: 'shard_all', text: 'SELECT shard, owner, epoch FROM shards ORDER BY shard' },
  claim: {
    name: 'shard_claim',
    text: 'SELECT shard, owner, epoch FROM claim_shards_1($1, $2::integer[], $3::text[], $4::bigint[])',
  },
  give: { name: 'shard_give', text: 'SELECT give_shard_1($1, $2, $3, $4) AS epoch' },
  setting: { name: 'setting_settle', text: 'SELECT setting_1($1, $2) AS value' },
} as const;
