/** Runs the `troupe` command as users do: from the build, as a process of its own. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
// Quick if nothing changed; lets this file run alone, and never against an old build.
execFileSync(process.execPath, [`${ROOT}scripts/build.mjs`], { stdio: ['ignore', 'ignore', 'inherit'] });

export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly out: string;
  readonly err: string;
}

export interface Command {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  readonly out: () => string;
  readonly err: () => string;
  /** Resolves when stdout matches, or when the process has ended. */
  until(shown: RegExp): Promise<void>;
}

export function troupe(args: readonly string[], options: { readonly cwd?: string } = {}): Command {
  const child = spawn(process.execPath, [`${ROOT}bin/troupe.mjs`, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
  });
  let out = '';
  let err = '';
  let look: () => void = () => {};
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    out += chunk;
    look();
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    err += chunk;
  });
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, out, err }));
  });
  const until = (shown: RegExp): Promise<void> =>
    new Promise((resolve) => {
      look = () => {
        if (shown.test(out)) resolve();
      };
      look();
      void ended.then(() => resolve());
    });
  return { child, ended, out: () => out, err: () => err, until };
}

/** Runs to the end and returns the printed JSON. Throws the command's stderr if it failed. */
export async function answer<T>(args: readonly string[]): Promise<T> {
  const { code, out, err } = await troupe([...args, '--json']).ended;
  if (code !== 0) throw new Error(`troupe ${args.join(' ')}: ${err}`);
  return JSON.parse(out) as T;
}
