/**
 * The log files of a cluster's processes: opened for appending, kept below a bound. A file beyond the bound is copied
 * to `<file>.1` and truncated while its writers keep it open; output between the two steps is lost, and the process is
 * not disturbed.
 */
import { openSync } from 'node:fs';
import { copyFile, readdir, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';

const LOG_BYTES_MAX = 64 * 1024 * 1024;

/** For a child's stdout and stderr; a file that cannot be opened (full disk) discards the output. */
export function openLog(file: string): number | 'ignore' {
  try {
    return openSync(file, 'a', 0o600);
  } catch {
    return 'ignore';
  }
}

/** Trims every `*.log` of the folder. Never throws: a log must not stop the cluster. */
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
