import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { makeFolder } from '../directory/folders.ts';
import { sqliteCode } from './failure.ts';

export type SqliteConnection = Database.Database;

const FULL = 2;
/**
 * Cached pages of a writing connection: 4 MiB. SQLite walks through all of them after a commit that split an index
 * page, as nearly every commit does: 4,000 pages, the driver's default, took 8 us of the writer per chat completion;
 * 1,000 take 2 us, and reads beyond the cache are served by the operating system (a four-hundredth of the writer's
 * time).
 */
const CACHE_PAGES = 1_000;
/** Pages that one transaction can change before SQLite writes them out early: a batch at its bounds fits. */
const SPILL_PAGES = 4_000;

/**
 * Opens one connection. The driver's own busy wait is off (0 ms): code that needs the lock waits in short steps of its
 * own. Throws the driver's errors, including SQLITE_BUSY while another process changes the journal mode.
 */
export function connect(path: string, use: 'read' | 'write'): SqliteConnection {
  if (use === 'write') makeFolder(dirname(path));
  const connection = new Database(path, { timeout: 0, fileMustExist: use === 'read' });
  try {
    if (use === 'write') prepareToWrite(connection);
    else connection.pragma('query_only = ON');
    connection.pragma('temp_store = MEMORY');
    requireFullSync(connection);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function prepareToWrite(connection: SqliteConnection): void {
  connection.pragma('journal_mode = WAL');
  connection.pragma(`cache_size = ${CACHE_PAGES}`);
  connection.pragma(`cache_spill = ${SPILL_PAGES}`);
}

/**
 * Makes every commit durable before it is acknowledged. Set explicitly because the driver's build falls back to NORMAL
 * at the first write of a WAL file; called again after that write (rule N19).
 */
export function requireFullSync(connection: SqliteConnection): void {
  connection.pragma('synchronous = FULL');
  connection.pragma('fullfsync = ON');
  const level = connection.pragma('synchronous', { simple: true });
  if (level !== FULL) throw new Error(`synchronous is ${String(level)}, expected FULL`);
}

/** A one-line message for the operator: the problem with the file at `path` and the remedy. */
export function openingAdvice(path: string, error: unknown): string {
  const detail = error instanceof Error ? error.message : String(error);
  const code = sqliteCode(error) ?? (error as { code?: string } | null)?.code ?? '';
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(code)) {
    return `the database ${path} is damaged (${detail}): restore a copy of it, or move it away to start empty`;
  }
  if (/^(SQLITE_(READONLY|CANTOPEN|PERM)|EACCES|EPERM|EROFS|ENOTDIR|EEXIST|ENOENT)/.test(code)) {
    return `cannot write the database ${path} (${detail}): make its folder writable, or choose another data folder`;
  }
  if (/^(SQLITE_FULL|ENOSPC)/.test(code)) {
    return `no space left for the database ${path} (${detail}): free some, or choose another data folder`;
  }
  if (code.startsWith('SQLITE_BUSY')) {
    return `the database ${path} stays locked (${detail}): end the process that holds it, it may be stopped`;
  }
  return `cannot open the database ${path}: ${detail}`;
}
