import { statSync } from 'node:fs';
import { otherShardCount, UnfitDatabase } from '../migration.ts';
import { connect, openingAdvice, requireFullSync, type SqliteConnection } from './connect.ts';
import { type LockWaitOptions, transactions, waitForLock } from './lock.ts';
import { settings } from './membership.ts';
import { migrate } from './migrate.ts';
import type { WriterStart } from './writer-protocol.ts';

/**
 * Opens the writer's connection: checks that the database is intact, migrates it and compares the shard count. Throws
 * an Error with a one-line message for the operator: the file and the remedy (rule N21).
 */
export function openDatabase(start: WriterStart, wait: LockWaitOptions): SqliteConnection {
  try {
    const connection = waitForLock(() => connect(start.path, 'write'), wait);
    try {
      prepare(connection, start, wait);
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  } catch (error) {
    if (error instanceof UnfitDatabase) throw error;
    throw new Error(openingAdvice(start.path, error), { cause: error });
  }
}

function prepare(
  connection: SqliteConnection,
  { path, shards, checkBytesMax }: WriterStart,
  wait: LockWaitOptions,
): void {
  const transact = transactions(connection, wait);
  if (statSync(path).size <= checkBytesMax) requireSound(connection, wait);
  migrate(connection, transact, path);
  const settled = transact(() => settings(connection).settleShardCount(shards));
  if (settled !== shards) throw otherShardCount(path, settled, shards);
  requireFullSync(connection);
}

function requireSound(connection: SqliteConnection, wait: LockWaitOptions): void {
  const verdict = waitForLock(() => connection.pragma('quick_check(1)', { simple: true }), wait);
  if (verdict === 'ok') return;
  throw Object.assign(new Error(String(verdict).replaceAll('\n', ' ')), { code: 'SQLITE_CORRUPT' });
}
