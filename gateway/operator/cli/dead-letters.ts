/** `troupe retry|skip`: what to do with a dead letter, an input that failed for good. `ps` and `inspect` show them. */
import type { Command } from 'commander';
import { ConfigError } from '../config/config-error.ts';
import type { GlobalOptions } from './global-options.ts';
import { addressFrom } from './names.ts';
import { print } from './print.ts';
import { withSession } from './session.ts';

export function addDeadLetters(program: Command): void {
  const verbs = [
    ['retry', 'have an actor take an input that was set aside once more', 'was taken'],
    ['skip', 'drop an input that was set aside, for good', 'was dropped'],
  ] as const;
  for (const [verb, description, done] of verbs) {
    program
      .command(verb)
      .argument('<address>', 'kind:owner or kind:owner/local')
      .argument('<id>', 'the id of the input, as `troupe ps` and `troupe inspect` show it')
      .description(description)
      .action(async (text: string, id: string, _: unknown, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions>();
        const address = addressFrom(text);
        const found = await withSession(options, ({ operator }) => operator[verb](address, id));
        if (!found)
          throw new ConfigError(`${address} has no input ${id} set aside; \`troupe inspect ${address}\` shows them`);
        print(options, { address, id, [verb]: true }, () => `${id} ${done}`);
      });
  }
}
