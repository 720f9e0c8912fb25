import { readFileSync } from 'node:fs';

const PAGE_BYTES = 4_096;

/** Resident bytes of a process, from the kernel. */
export function rssOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES;
}
