import { COMMANDS } from '../../../../gateway/operator/cli/commands.ts';
import { linesOf } from '../../../../gateway/operator/config/config-error.ts';
import { runCommand } from '../../../support/in-process-command.ts';

/** What a command of `troupe` prints, run within this process. */
export async function told(args: readonly string[]): Promise<string> {
  const module = COMMANDS.find(({ names }) => names.includes(args[0] as string));
  if (module === undefined) throw new Error(`there is no command ${args[0]}`);
  const add = await module.load();
  return (await runCommand((program) => add(program, { entry: '', ports: {} }), args)).out;
}

/** The JSON that a command prints. */
export async function toldJson<T>(args: readonly string[]): Promise<T> {
  return JSON.parse(await told([...args, '--json'])) as T;
}

/** What the process of a command that fails would print to stderr. */
export async function failureOf(args: readonly string[]): Promise<string> {
  try {
    await told(args);
  } catch (error) {
    return linesOf(error)
      .map((line) => `troupe: ${line}\n`)
      .join('');
  }
  throw new Error(`troupe ${args.join(' ')} did not fail`);
}
