/** SQL on `facts`: the first value written stays. */
export const settingSql = {
  writeIfAbsent: 'INSERT OR IGNORE INTO facts (name, value) VALUES (?, ?)',
  read: 'SELECT value FROM facts WHERE name = ?',
} as const;
