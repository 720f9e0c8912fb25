const COLUMNS = 'birth, incarnation, name, address, operator_url, pid, host, beat, reaches, state, why';
const ALIVE = "state IN ('joining', 'up', 'draining')";

const OLD = `state IN ('dead', 'left') AND birth <=
    (SELECT birth FROM nodes WHERE state IN ('dead', 'left') ORDER BY birth DESC LIMIT 1 OFFSET ?)`;

/** SQL on `nodes`. The row of the latest birth is never deleted, so births keep counting. */
export const nodeSql = {
  replace: `UPDATE nodes SET state = 'dead', why = 'replaced' WHERE name = ? AND ${ALIVE}`,
  insert: `INSERT INTO nodes (incarnation, name, address, operator_url, pid, host) VALUES (?, ?, ?, ?, ?, ?)
    RETURNING birth`,
  forgetDeaths: `DELETE FROM settings WHERE name IN (SELECT ? || incarnation FROM nodes WHERE ${OLD})`,
  forget: `DELETE FROM nodes WHERE ${OLD}`,
  beat: `UPDATE nodes SET beat = beat + 1, reaches = ?, state = ? WHERE incarnation = ? AND ${ALIVE}`,
  alive: `SELECT ${COLUMNS} FROM nodes WHERE ${ALIVE} ORDER BY birth`,
  ended: `SELECT ${COLUMNS} FROM nodes WHERE state IN ('dead', 'left') ORDER BY birth DESC LIMIT ?`,
  markDead: `UPDATE nodes SET state = 'dead', why = ? WHERE incarnation = ? AND beat = ? AND ${ALIVE}`,
  leave: `UPDATE nodes SET state = 'left', why = 'left' WHERE incarnation = ? AND ${ALIVE}`,
  state: 'SELECT state FROM nodes WHERE incarnation = ?',
} as const;
