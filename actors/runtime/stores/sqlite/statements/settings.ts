/** SQL on the settings: the first written value stays. */
export const settingSql = {
  writeIfAbsent: 'INSERT OR IGNORE INTO settings (name, value) VALUES (?, ?)',
  read: 'SELECT value FROM settings WHERE name = ?',
} as const;
