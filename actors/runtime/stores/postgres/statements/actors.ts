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
  ofKind: {
    name: 'actor_of_kind',
    text: 'SELECT address FROM actors WHERE kind = $1 AND shard = $2 ORDER BY address',
  },
  actorCounts: {
    name: 'actor_counts',
    text: `SELECT kind, state, chart, count(*) AS count FROM actors GROUP BY kind, state, chart
      ORDER BY kind, state, chart`,
  },
  states: {
    name: 'actor_states',
    text: `SELECT kind, chart, state_value_1(snapshot) COLLATE "C" AS value, count(*) AS count, min(address) AS example
      FROM actors GROUP BY 1, 2, 3 ORDER BY 1, 2, 3 NULLS FIRST`,
  },
} as const;
