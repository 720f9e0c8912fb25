import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { answered } from './answered.ts';

/**
 * Runs a file of this folder in its own process, with the given Node flags, which sends one message and ends.
 * Rejects if it ends before.
 */
export async function answerOf<T>(
  file: string,
  args: readonly (string | number)[],
  flags: readonly string[] = [],
): Promise<T> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = fork(path, args.map(String), { execArgv: [...flags, '--expose-gc'] });
  const answer = await answered<T>(child);
  if (child.exitCode === null) await once(child, 'exit');
  return answer;
}
