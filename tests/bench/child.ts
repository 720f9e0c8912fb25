import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Load, LoadResult } from './load.ts';

/** A helper process of a benchmark that printed its port. */
export interface Listening {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

const TICKS_PER_SECOND = 100;

/** Starts a TypeScript file of this folder's neighbourhood and waits for its `{"port":N}` line. */
export async function listening(file: string, args: readonly string[]): Promise<Listening> {
  const child = spawn(process.execPath, [pathOf(file), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { port } = JSON.parse(line.toString()) as { port: number };
  child.stdout.resume();
  return { port, pid: child.pid ?? 0, stop: () => stop(child, () => child.stdin.end()) };
}

/** The load generator: `run` may be called repeatedly, one load at a time. */
export class LoadProcess {
  readonly #child = fork(pathOf('./load.ts'));

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async run(load: Load): Promise<LoadResult> {
    this.#child.send(load);
    const [result] = (await once(this.#child, 'message')) as [LoadResult];
    return result;
  }

  stop(): Promise<void> {
    return stop(this.#child, () => this.#child.disconnect());
  }
}

/** CPU time of a process with all its threads in seconds, from the kernel (steps of 10 ms). */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

async function stop(child: ChildProcess, ask: () => void): Promise<void> {
  if (child.exitCode !== null) return;
  const gone = once(child, 'exit');
  ask();
  await gone;
}

function pathOf(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}
