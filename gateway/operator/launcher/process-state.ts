import { readFileSync } from 'node:fs';

interface ProcessState {
  /** Stopped by a signal or by a debugger. */
  readonly stopped: boolean;
  /** Start time in clock ticks since boot: with the pid, the identity of the process. */
  readonly startedAt: string;
}

/** True while the process exists, also under another user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The kernel's state of a process, from `/proc/<pid>/stat`. Null if the file or the process does not exist. */
export function processState(pid: number): ProcessState | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The command name, in brackets, may itself contain spaces and brackets.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const state = fields[0] ?? '';
  return { stopped: state === 'T' || state === 't', startedAt: fields[19] ?? '' };
}
