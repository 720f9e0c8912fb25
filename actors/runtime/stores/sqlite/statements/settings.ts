/** SQL on the settings, stored in the table `facts`: the first written value stays. */
export const settingSql = {
  writeIfAbsent: 'INSERT OR IGNORE INTO facts (name, value) VALUES (?, ?)',
  read: 'SELECT value FROM facts WHERE name = ?',
} as const;
