import { fstatSync } from 'node:fs';

const PARENT_CHECK_MS = 1_000;

/** Detects the end of the parent in three ways: its channel closes, its pipe ends, or the parent pid changes. */
export function endWithParent(end: () => void): void {
  process.on('disconnect', end);
  process.stdout.on('error', end);
  const input = fstatSync(0);
  if (input.isFIFO() || input.isSocket()) process.stdin.on('close', end).on('end', end).resume();
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) end();
  }, PARENT_CHECK_MS).unref();
}
