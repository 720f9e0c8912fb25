/** Maintenance of a SQLite file: migrations, complete copies with VACUUM INTO, and restoring one. */
import { chmodSync, copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { RESTORED_SETTING } from '../boot-mark.ts';
import { makeFolder } from '../directory/folders.ts';
import {
  jumpBy,
  type Maintenance,
  type MaintenanceParts,
  MaintenanceRefused,
  type Restored,
  requireStopped,
} from '../maintenance.ts';
import type { SqliteChoice } from '../store-choice.ts';
import { connect, openingAdvice, type SqliteConnection } from './connect.ts';
import type { LockWaitOptions } from './lock.ts';
import { transactions } from './lock.ts';
import { migrate } from './migrate.ts';
import { restoreSql, settingSql } from './statements.ts';

/** The database, its log and the log's index, log first: a database is never combined with another's log. */
const FILES = ['-wal', '-shm', ''];

export function sqliteMaintenance({ path, busyMs }: SqliteChoice, parts: MaintenanceParts): Maintenance {
  const { clock, random } = parts;
  const wait: LockWaitOptions = { clock, random, boundMs: busyMs, waited: () => {} };

  async function markRestored(file: string): Promise<Restored> {
    return on(file, async (connection) => {
      const transact = transactions(connection, wait);
      migrate(connection, transact, file);
      await requireNoNodes(connection, parts, file);
      const jump = await jumpBy(parts);
      transact(() => raise(connection, jump, Buffer.from(random.bytes(8)).toString('hex')));
      return { jump };
    });
  }

  /**
   * Copies the backup to a temporary file beside the database, verifies and marks it there, and only then moves it into
   * place.
   */
  async function restore(from: string, force: boolean): Promise<Restored & { readonly kept: string | null }> {
    requireFile(from, 'name a file that `troupe backup` wrote');
    const replaces = existsSync(path);
    if (replaces && !force) {
      throw new MaintenanceRefused(
        `the database ${path} exists: move it away, or add --force, which keeps it next to the new one`,
      );
    }
    if (replaces) await on(path, (connection) => requireNoNodes(connection, parts, path));
    makeFolder(dirname(path));
    const temporary = `${path}.restoring`;
    for (const suffix of FILES) rmSync(`${temporary}${suffix}`, { force: true });
    copyFileSync(from, temporary);
    // The copy has the mode of the backup, which others may be allowed to read.
    chmodSync(temporary, 0o600);
    await requireOurs(temporary, from);
    const restored = await markRestored(temporary);
    await sync(temporary);
    const kept = replaces ? `${path}.replaced` : null;
    for (const suffix of FILES) if (kept !== null) moveOver(`${path}${suffix}`, `${kept}${suffix}`);
    renameSync(temporary, path);
    await sync(dirname(path));
    return { ...restored, kept };
  }

  return {
    database: path,
    migrate: async () => {
      requireFile(path, 'there is nothing to migrate');
      return on(path, (connection) => migrate(connection, transactions(connection, wait), path));
    },
    async markRestored() {
      requireFile(path, 'there is nothing to mark');
      return markRestored(path);
    },
    setting: async (name) => (existsSync(path) ? on(path, (connection) => settingIn(connection, name), 'read') : null),
    replaceSetting: (name, value) =>
      on(path, async (connection) => {
        const transact = transactions(connection, wait);
        migrate(connection, transact, path);
        await requireNoNodes(connection, parts, path);
        transact(() => connection.prepare(restoreSql.mark).run(name, value));
      }),
    file: { backup: (to) => backup(path, to), restore },
  };
}

async function on<T>(
  file: string,
  work: (connection: SqliteConnection) => T | Promise<T>,
  use: 'read' | 'write' = 'write',
): Promise<T> {
  let connection: SqliteConnection;
  try {
    connection = connect(file, use);
  } catch (error) {
    throw new MaintenanceRefused(openingAdvice(file, error), { cause: error });
  }
  try {
    return await work(connection);
  } finally {
    connection.close();
  }
}

/** Written to a temporary file and renamed when complete, so a file with the final name is never a partial copy. */
async function backup(path: string, to: string): Promise<void> {
  requireFile(path, 'there is nothing to copy');
  if (existsSync(to)) throw new MaintenanceRefused(`${to} exists: name a new file`);
  const temporary = `${to}.partial`;
  const folder = dirname(resolve(to));
  if (!existsSync(folder)) throw new MaintenanceRefused(`there is no folder ${folder}: make it, or name another`);
  rmSync(temporary, { force: true });
  await on(path, (connection) => connection.prepare('VACUUM INTO ?').run(temporary));
  await sync(temporary);
  renameSync(temporary, to);
  await sync(folder);
}

function settingIn(connection: SqliteConnection, name: string): string | null {
  const known = connection.prepare("SELECT 1 FROM sqlite_master WHERE name = 'settings'").get();
  if (!known) return null;
  return connection.prepare<[string], string>(settingSql.read).pluck().get(name) ?? null;
}

async function requireNoNodes(connection: SqliteConnection, parts: MaintenanceParts, path: string): Promise<void> {
  const known = connection.prepare("SELECT 1 FROM sqlite_master WHERE name = 'nodes'").get();
  if (!known) return;
  const beats = connection.prepare<[], number>(restoreSql.beats).pluck();
  await requireStopped(async () => beats.get() ?? 0, parts, path);
}

/** Verifies that the temporary copy is an intact database of this product; removes it otherwise. */
async function requireOurs(temporary: string, from: string): Promise<void> {
  const names = "SELECT count(*) FROM sqlite_master WHERE name IN ('migrations', 'shards')";
  const isOurs = (connection: SqliteConnection): boolean =>
    connection.pragma('quick_check(1)', { simple: true }) === 'ok' && connection.prepare(names).pluck().get() === 2;
  if (await on(temporary, isOurs).catch(() => false)) return;
  for (const suffix of FILES) rmSync(`${temporary}${suffix}`, { force: true });
  throw new MaintenanceRefused(
    `${from} is no intact database of this product: name a file that \`troupe backup\` wrote`,
  );
}

/** Frees all shards, raises epochs, revision and births beyond every value in use, and marks the nodes dead. */
function raise(connection: SqliteConnection, jump: number, mark: string): void {
  connection.prepare(restoreSql.raiseEpochs).run(jump);
  connection.prepare(restoreSql.raiseRevision).run(jump);
  connection.prepare(restoreSql.endNodes).run();
  const { birth } = connection.prepare(restoreSql.takeBirth).get(jump, `restored-${mark}`) as { birth: number };
  connection.prepare(restoreSql.mark).run(RESTORED_SETTING, String(birth));
}

function requireFile(path: string, otherwise: string): void {
  if (!existsSync(path)) throw new MaintenanceRefused(`there is no file ${path}: ${otherwise}`);
}

function moveOver(from: string, to: string): void {
  rmSync(to, { force: true });
  if (existsSync(from)) renameSync(from, to);
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
