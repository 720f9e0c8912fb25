import type { Command } from 'commander';
import { Command as Program } from 'commander';

/**
 * Runs a command of `troupe` within this process, which costs no start; returns what it printed and its exit code.
 * `add` adds the command, as its module does.
 */
export async function runCommand(
  add: (program: Command) => void,
  args: readonly string[],
): Promise<{ readonly out: string; readonly code: unknown }> {
  const program = new Program('troupe').option('--config <file>').option('--data <folder>').option('--json');
  add(program.exitOverride());
  const { write } = process.stdout;
  const { exitCode } = process;
  let out = '';
  process.stdout.write = ((piece: string | Uint8Array) => {
    out += typeof piece === 'string' ? piece : Buffer.from(piece).toString();
    return true;
  }) as typeof write;
  try {
    await program.parseAsync([...args], { from: 'user' });
    return { out, code: process.exitCode };
  } finally {
    process.stdout.write = write;
    process.exitCode = exitCode;
  }
}
