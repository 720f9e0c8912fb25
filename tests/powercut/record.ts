/**
 * Runs the writer and records its disk operations: at the database driver, which needs only Node, or as system calls
 * under strace.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { nodeArguments } from '../support/node-arguments.ts';
import type { Recording } from './disk-event.ts';
import { readTrace } from './read-trace.ts';
import { readWatch } from './read-watch.ts';

interface RecordOptions {
  /** Numbers of small commits, and of large ones between them. */
  readonly commits: number;
  readonly large: number;
  /** The effective setting of the connection; the product requests FULL. */
  readonly level: 'FULL' | 'NORMAL';
  readonly by: 'door' | 'strace';
}

const WRITER = fileURLToPath(new URL('./writer.ts', import.meta.url));
const WATCH = fileURLToPath(new URL('./watch-disk.cjs', import.meta.url));
const CALLS = 'trace=pwrite64,write,fsync,fdatasync,ftruncate,unlink';
const LOUD_BYTES_MAX = 1024 * 1024;

export async function record({ commits, large, level, by }: RecordOptions): Promise<Recording> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-powercut-'));
  const out = join(folder, 'trace');
  const database = join(folder, 't.db');
  const watched = join(folder, 'watched');
  // Both threads append to one file, which keeps the order of acknowledgements and writes.
  const book = by === 'door' ? watched : join(folder, 'book');
  const args = [...nodeArguments(WRITER), database, `${commits}`, `${large}`, book];
  const preload = [process.env.NODE_OPTIONS, `--require ${WATCH}`].filter(Boolean).join(' ');
  const env = { ...process.env, NODE_OPTIONS: preload, WATCH_DISK_FILE: watched, WATCH_DISK_LEVEL: level };
  const [command, ...rest] =
    by === 'door'
      ? [process.execPath, ...args]
      : ['strace', '-f', '-y', '-xx', '-s', '8192', '-e', CALLS, '-o', out, process.execPath, ...args];
  try {
    await promisify(execFile)(command as string, rest, { env, maxBuffer: LOUD_BYTES_MAX });
    return by === 'door' ? await readWatch(watched) : await readTrace(out, { database, book });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
