import type { SqliteConnection } from './connect.ts';
import { type LockWaitOptions, waitForLock } from './lock-wait.ts';

/** Runs synchronous work as one write transaction: durable when it returns, rolled back when it throws. */
export type Transact = <T>(work: () => T) => T;

/** Prepares the transaction statements of a connection. Waits for the write lock at the start of a transaction only. */
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
      // SQLite rolls back itself on some failures (disk full, i/o); then no transaction is open.
      if (connection.inTransaction) rollback.run();
      throw error;
    }
  };
}
