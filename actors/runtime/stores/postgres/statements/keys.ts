/** SQL on `sealing_keys`. */
export const keySql = {
  find: { name: 'key-find', text: 'SELECT secret FROM sealing_keys WHERE hour = $1' },
  make: { name: 'key-make', text: 'INSERT INTO sealing_keys (hour, secret) VALUES ($1, $2) ON CONFLICT DO NOTHING' },
  destroy: { name: 'key-destroy', text: 'DELETE FROM sealing_keys WHERE hour <= $1' },
  count: { name: 'key-count', text: 'SELECT count(*)::integer AS kept FROM sealing_keys' },
  rewrite: { name: 'key-rewrite', text: 'VACUUM (FULL) sealing_keys' },
  switchLog: { name: 'key-switch-log', text: 'SELECT pg_switch_wal()' },
  checkpoint: { name: 'key-checkpoint', text: 'CHECKPOINT' },
} as const;
