const COLUMNS = 'birth, incarnation, name, address, operator_url, pid, host, beat, hears, state, why';
const ALIVE = "state IN ('up', 'draining')";

/** SQL on `nodes`. Rows are never deleted: births keep counting, and dead incarnations stay recorded as dead. */
export const nodeSql = {
  replace: `UPDATE nodes SET state = 'dead', why = 'replaced' WHERE name = ? AND ${ALIVE}`,
  insert: `INSERT INTO nodes (incarnation, name, address, operator_url, pid, host) VALUES (?, ?, ?, ?, ?, ?)
    RETURNING birth`,
  beat: `UPDATE nodes SET beat = beat + 1, hears = ?, state = ? WHERE incarnation = ? AND ${ALIVE}`,
  alive: `SELECT ${COLUMNS} FROM nodes WHERE ${ALIVE} ORDER BY birth`,
  ended: `SELECT ${COLUMNS} FROM nodes WHERE state IN ('dead', 'left') ORDER BY birth DESC LIMIT ?`,
  markDead: `UPDATE nodes SET state = 'dead', why = ? WHERE incarnation = ? AND beat = ? AND ${ALIVE}`,
  leave: `UPDATE nodes SET state = 'left', why = 'left' WHERE incarnation = ? AND ${ALIVE}`,
  state: 'SELECT state FROM nodes WHERE incarnation = ?',
} as const;
