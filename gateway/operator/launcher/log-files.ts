/**
 * The files that processes of a cluster print to: opened for appending, kept below a bound. A file that grew beyond it is
 * copied to `<file>.1` and emptied under its writers; what they print in between is lost, the process is not disturbed.
 */
import { openSync } from 'node:fs';
import { copyFile, readdir, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';

export const LOG_BYTES_MAX = 64 * 1024 * 1024;

/** For a child's stdout and stderr; what cannot be opened (the disk is full) is not printed at all. */
export function openLog(file: string): number | 'ignore' {
  try {
    return openSync(file, 'a', 0o600);
  } catch {
    return 'ignore';
  }
}

/** Every `*.log` of the folder. Never fails: a log is no reason to stop. */
export async function trimLogs(folder: string, bytesMax = LOG_BYTES_MAX): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => one.endsWith('.log'))) await trim(join(folder, name), bytesMax);
}

async function trim(file: string, bytesMax: number): Promise<void> {
  try {
    if ((await stat(file)).size <= bytesMax) return;
    await copyFile(file, `${file}.1`);
    await truncate(file);
  } catch {}
}
