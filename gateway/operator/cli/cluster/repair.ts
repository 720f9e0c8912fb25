/**
 * `troupe retry|skip|reload`: retries or drops a dead letter, an input that failed too often, and loads a quarantined
 * actor again. `ps` and `inspect` show them.
 */
import type { Reloaded } from '../../../../actors/runtime/index.ts';
import { ConfigError } from '../../config/config-error.ts';
import { absentWords } from '../frame/absent.ts';
import { command } from '../frame/asking.ts';
import { addressIn, NAMED } from '../frame/names.ts';

const deadLetter = (verb: 'retry' | 'skip', description: string, done: string) =>
  command(verb, description, {
    arguments: {
      '<address>': NAMED,
      '<id>': 'the id of the dead letter, as `troupe ps` and `troupe inspect` show it',
    },
    ask: async ({ address: name, id }, session) => {
      const address = await addressIn(session, name);
      if (await session.operator[verb](address, id)) return { address, id, [verb]: true };
      throw new ConfigError(
        `${address} has no dead letter ${id}; \`troupe inspect ${address}\` shows its dead letters`,
      );
    },
    print: ({ id }) => `${id} ${done}`,
  });

export const commands = [
  deadLetter('retry', 'deliver a dead letter to its actor again', 'was delivered'),
  deadLetter('skip', 'drop a dead letter for good', 'was dropped'),
  command('reload', 'reload a quarantined actor after its stored state was repaired', {
    arguments: { '<address>': NAMED },
    ask: async ({ address: name }, session) => {
      const address = await addressIn(session, name);
      const reloaded = await session.operator.reload(address);
      return { answer: { address, ...reloaded }, line: words(address, reloaded) };
    },
    json: ({ answer }) => answer,
    print: ({ line }) => line,
  }),
];

/** Throws ConfigError if the actor still does not serve. */
function words(address: string, reloaded: Reloaded): string {
  switch (reloaded.outcome) {
    case 'loaded':
      return `${address} is loaded; its deferred inputs run now`;
    case 'was-not-quarantined':
      return `${address} is not quarantined`;
    case 'quarantined':
      throw new ConfigError(`${address} is still quarantined: ${reloaded.fault}`);
    case 'absent':
      throw new ConfigError(absentWords(address));
    case 'not-served':
      throw new ConfigError(`${address} has no owner at the moment; try again`);
    default:
      throw new Error(`unknown outcome ${JSON.stringify(reloaded satisfies never)}`);
  }
}
