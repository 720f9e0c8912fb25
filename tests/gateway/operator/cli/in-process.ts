import { COMMANDS } from '../../../../gateway/operator/cli/commands.ts';
import { runCommand } from '../../../support/in-process-command.ts';

/** What a command of `troupe` prints, run within this process. */
export async function told(args: readonly string[]): Promise<string> {
  const module = COMMANDS.find(({ names }) => names.includes(args[0] as string));
  if (module === undefined) throw new Error(`there is no command ${args[0]}`);
  const add = await module.load();
  return (await runCommand((program) => add(program, { entry: '', ports: {} }), args)).out;
}
