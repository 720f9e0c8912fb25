import type { SqliteConnection } from './connect.ts';
import { type LockWaitOptions, waitForLock } from './lock-wait.ts';

/** Runs synchronous work as one write transaction: durable when it returns, rolled back when it throws. */
export type Transact = <T>(work: () => T) => T;

/** Prepares the transaction statements of a connection. Waits for the write lock at the start, and only there. */
export function transactions(connection: SqliteConnection, wait: LockWaitOptions): Transact {
  const begin = connection.prepare('BEGIN IMMEDIATE');
  const commit = connection.prepare('COMMIT');
  const rollback = connection.prepare('ROLLBACK');
  const start = () => begin.run();
  return (work) => {
    waitForLock(start, wait);
    try {
      const result = work();
      commit.run();
      return result;
    } catch (error) {
      // SQLite rolls back by itself on some failures (disk full, i/o), and then there is nothing to end.
      if (connection.inTransaction) rollback.run();
      throw error;
    }
  };
}
