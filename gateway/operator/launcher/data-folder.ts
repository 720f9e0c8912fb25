/**
 * The data folder: created if missing, checked for write access, and locked by one launcher at a time. A launcher that
 * was killed leaves its lock file; the next launcher detects that its process has ended.
 */
import { open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../../actors/runtime/index.ts';
import { ConfigError, lineOf } from '../config/config-error.ts';
import { makePrivate } from './private-files.ts';
import { isAlive, processState } from './process-state.ts';

export interface DataFolder {
  readonly path: string;
  readonly logs: string;
  /** Unlocks the folder for another launcher. */
  release(): Promise<void>;
}

const TRIES_MAX = 3;

/**
 * Creates the folder, private to its owner, and makes existing files private. Throws ConfigError if it is not writable.
 */
export function prepareDataFolder(path: string): void {
  try {
    makeFolder(path);
    makePrivate(path);
    // Every node needs it, and an existing folder can refuse new names (/proc).
    makeFolder(join(path, 'marks'));
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** Throws ConfigError if the folder is not writable, or another launcher runs on it. */
export async function openDataFolder(path: string): Promise<DataFolder> {
  const logs = join(path, 'logs');
  const lock = join(path, 'launcher.lock');
  prepareDataFolder(path);
  try {
    makeFolder(logs);
    await take(lock, path);
  } catch (error) {
    throw error instanceof ConfigError ? error : unwritable(path, error);
  }
  return { path, logs, release: () => unlink(lock).catch(() => {}) };
}

function unwritable(path: string, error: unknown): ConfigError {
  return new ConfigError(
    `data folder ${path} cannot be written (${lineOf(error)}); choose another with --data DIR, or give yourself the right to write there`,
  );
}

async function take(lock: string, path: string, tries = 0): Promise<void> {
  const own = `${process.pid} ${processState(process.pid)?.startedAt ?? ''}\n`;
  try {
    const handle = await open(lock, 'wx', 0o600);
    await handle.writeFile(own);
    await handle.close();
    return;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || tries >= TRIES_MAX) throw error;
  }
  const pid = await holder(lock);
  if (pid !== null) {
    throw new ConfigError(
      `data folder ${path} is in use by a running cluster (pid ${pid}); stop it, or choose another with --data DIR`,
    );
  }
  await unlink(lock).catch(() => {});
  await take(lock, path, tries + 1);
}

/** Pid of the launcher that runs on the folder; null without one. */
export function launcherOf(path: string): Promise<number | null> {
  return holder(join(path, 'launcher.lock'));
}

/** Pid of the living process that wrote the lock; null if it has ended (its pid may have been reused since). */
async function holder(lock: string): Promise<number | null> {
  const [pidText = '', startedAt = ''] = (await readFile(lock, 'utf8').catch(() => '')).trim().split(' ');
  const pid = Number(pidText);
  if (!Number.isInteger(pid) || pid <= 0) return null;
  const state = processState(pid);
  if (state) return state.startedAt === startedAt ? pid : null;
  // Without a process table in /proc the pid alone has to do.
  return !startedAt && isAlive(pid) ? pid : null;
}
