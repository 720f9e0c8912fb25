import { Command } from 'commander';
import { COMMANDS } from '../../../../gateway/operator/cli/commands.ts';

/** Runs a command of `troupe` within this process, which costs no start, and returns what it printed. */
export async function told(args: readonly string[]): Promise<string> {
  const program = new Command('troupe')
    .option('--config <file>')
    .option('--data <folder>')
    .option('--json')
    .exitOverride();
  const module = COMMANDS.find(({ names }) => names.includes(args[0] as string));
  if (module === undefined) throw new Error(`there is no command ${args[0]}`);
  (await module.load())(program, { entry: '', ports: {} });
  const { write } = process.stdout;
  let printed = '';
  process.stdout.write = ((text: string) => {
    printed += text;
    return true;
  }) as typeof write;
  try {
    await program.parseAsync([...args], { from: 'user' });
  } finally {
    process.stdout.write = write;
  }
  return printed;
}
