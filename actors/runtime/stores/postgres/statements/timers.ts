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
