/**
 * Takes recorded steps again with another build, which runs in a process of its own and reads the steps from a file. What
 * the operator port runs gets neither secrets nor the store, and is ended at its bounds.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExportedStep, Replayed } from '../../actors/runtime/inspect/replay.ts';

const OUTPUT_CHARS_MAX = 16 * 1024 * 1024;
const OWNER_ONLY = 0o600;

/** What a process of another build may have. */
export interface Bounds {
  readonly ms: number;
  readonly heapMiB: number;
  /** All of its environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** There is no such build, or it replays nothing; the message names its folder. */
export class BuildUnfit extends Error {
  override readonly name = 'BuildUnfit';
}

/** Runs the `replay` of the build in a folder on a file of steps; without bounds, for as long as it takes. */
export async function replayElsewhere(build: string, file: string, bounds?: Bounds): Promise<Replayed> {
  const entry = join(build, 'bin', 'troupe.mjs');
  if (!existsSync(entry)) throw new BuildUnfit(`there is no build in ${build}: ${entry} is missing`);
  const heap = bounds === undefined ? [] : [`--max-old-space-size=${bounds.heapMiB}`];
  const child = spawn(process.execPath, [...heap, entry, 'replay', '--file', file, '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(bounds === undefined ? {} : alone(bounds)),
  });
  // What it started itself ends with it, and lets go of its output.
  if (bounds !== undefined) child.once('exit', () => endGroup(child.pid));
  let [out, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    if (out.length < OUTPUT_CHARS_MAX) out += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    if (errors.length < OUTPUT_CHARS_MAX) errors += chunk;
  });
  await once(child, 'close');
  try {
    return JSON.parse(out) as Replayed;
  } catch {
    throw new BuildUnfit(`the build in ${build} replays nothing: ${errors.trim().split('\n')[0] || 'no answer'}`);
  }
}

/** A process group of its own, which ends after its time. */
function alone({ ms, env }: Bounds) {
  return { detached: true, env, timeout: ms, killSignal: 'SIGKILL' } as const;
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}

/** One step, within bounds of time and memory. */
export async function stepElsewhere(build: string, step: ExportedStep, bounds: Bounds): Promise<Replayed> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-replay-'));
  try {
    const file = join(folder, 'step.jsonl');
    writeFileSync(file, `${JSON.stringify(step)}\n`, { mode: OWNER_ONLY });
    return await replayElsewhere(build, file, bounds);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
