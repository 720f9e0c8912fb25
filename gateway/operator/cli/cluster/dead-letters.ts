/**
 * `troupe retry|skip`: retries or drops a dead letter, an input that failed too often. `ps` and `inspect` show them.
 */
import type { Command } from 'commander';
import { ConfigError } from '../../config/config-error.ts';
import type { GlobalOptions } from '../frame/global-options.ts';
import { addressFrom, NAMED } from '../frame/names.ts';
import { print } from '../frame/print.ts';
import { withSession } from '../frame/session.ts';

export function addDeadLetters(program: Command): void {
  const verbs = [
    ['retry', 'deliver a dead letter to its actor again', 'was delivered'],
    ['skip', 'drop a dead letter for good', 'was dropped'],
  ] as const;
  for (const [verb, description, done] of verbs) {
    program
      .command(verb)
      .argument('<address>', NAMED)
      .argument('<id>', 'the id of the dead letter, as `troupe ps` and `troupe inspect` show it')
      .description(description)
      .action(async (text: string, id: string, _: unknown, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions>();
        const address = await addressFrom(text, options);
        const found = await withSession(options, ({ operator }) => operator[verb](address, id));
        if (!found)
          throw new ConfigError(
            `${address} has no dead letter ${id}; \`troupe inspect ${address}\` shows its dead letters`,
          );
        print(options, { address, id, [verb]: true }, () => `${id} ${done}`);
      });
  }
}
