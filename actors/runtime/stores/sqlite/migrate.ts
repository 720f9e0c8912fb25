/**
 * Migrates a database to the schema of this build, each step in its own transaction under the write lock, so that any
 * number of processes can open one file at once. Refuses a file with a breaking change of a newer build.
 */
import { effectOf, newerSchema } from '../migration.ts';
import type { SqliteConnection } from './connect.ts';
import type { Transact } from './lock.ts';
import { firstSchema } from './migrations/0001-first-schema.ts';

/** Ordered by number, from 1. The first line of each is `-- breaking: why` or `-- compatible: why`. */
export const migrations: readonly string[] = [firstSchema];

/** Returns the numbers of the applied steps. */
export function migrate(
  connection: SqliteConnection,
  transact: Transact,
  path: string,
  steps = migrations,
): readonly number[] {
  steps.forEach(effectOf);
  if (!connection.prepare("SELECT 1 FROM sqlite_master WHERE name = 'migrations'").get()) {
    transact(() => connection.exec('CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, effect TEXT)'));
  }
  refuseNewer(connection, path, steps.length);
  const applied = connection.prepare('SELECT 1 FROM migrations WHERE number = ?');
  const record = connection.prepare('INSERT INTO migrations (number, effect) VALUES (?, ?)');
  const now: number[] = [];
  steps.forEach((sql, index) => {
    const number = index + 1;
    if (applied.get(number)) return;
    transact(() => {
      if (applied.get(number)) return;
      connection.exec(sql);
      record.run(number, effectOf(sql));
      now.push(number);
    });
  });
  return now;
}

/** Refuses a file with a breaking change of a newer build. @throws UnfitDatabase */
export function refuseNewer(connection: SqliteConnection, path: string, known = migrations.length): void {
  const newer = connection
    .prepare("SELECT max(number) AS number FROM migrations WHERE number > ? AND effect = 'breaking'")
    .get(known) as { number: number | null };
  if (newer.number !== null) throw newerSchema(path, newer.number, known);
}
