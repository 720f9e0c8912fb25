/** `troupe reload`: loads a quarantined actor again on the operator's request. */
import type { Command } from 'commander';
import type { Reloaded } from '../../../../actors/runtime/index.ts';
import { ConfigError } from '../../config/config-error.ts';
import { absentWords } from '../frame/absent.ts';
import type { GlobalOptions } from '../frame/global-options.ts';
import { addressFrom, NAMED } from '../frame/names.ts';
import { print } from '../frame/print.ts';
import { withSession } from '../frame/session.ts';

export function addReload(program: Command): void {
  program
    .command('reload')
    .argument('<address>', NAMED)
    .description('reload a quarantined actor after its stored state was repaired')
    .action(async (text: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const address = await addressFrom(text, options);
      const reloaded = await withSession(options, ({ operator }) => operator.reload(address));
      const line = words(address, reloaded);
      print(options, { address, ...reloaded }, () => line);
    });
}

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
