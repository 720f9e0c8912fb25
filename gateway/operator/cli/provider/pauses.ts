/** `pause` and `resume` of endpoints and of providers. */
import type { Command } from 'commander';
import { changePause, PAUSE_REASON_MAX } from '../../../../actors/terms/pause.ts';
import { ConfigError } from '../../config/config-error.ts';
import { COMMAND_LINE } from '../frame/command-line.ts';
import type { GlobalOptions } from '../frame/global-options.ts';
import { print, timeOf } from '../frame/print.ts';
import { ASK_MS, withSession } from '../frame/session.ts';

export function addPauses(
  group: Command,
  [name, meaning]: readonly [string, string],
  addressOf: (text: string) => string,
): void {
  group
    .command('pause')
    .argument(name, meaning)
    .requiredOption('--reason <text>', 'why, for the record')
    .description('send no new call there until it is resumed; calls under way end')
    .action((text: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { readonly reason: string }>();
      const reason = options.reason.trim();
      if (reason === '' || reason.length > PAUSE_REASON_MAX)
        throw new ConfigError(`--reason must have 1 to ${PAUSE_REASON_MAX} characters`);
      return change(addressOf(text), reason, options);
    });
  group
    .command('resume')
    .argument(name, meaning)
    .description('send calls there again')
    .action((text: string, _: unknown, command: Command) => change(addressOf(text), null, command.optsWithGlobals()));
}

async function change(address: string, reason: string | null, options: GlobalOptions): Promise<void> {
  const answer = await withSession(options, ({ cluster }) =>
    changePause(cluster, address, reason, { by: COMMAND_LINE, withinMs: ASK_MS }),
  );
  print(options, { address, ...answer }, () => {
    const state =
      answer.paused === null ? 'not paused' : `paused since ${timeOf(answer.paused.since)}: ${answer.paused.reason}`;
    return `${address} is ${state}${answer.changed ? '' : ' (as before)'}`;
  });
}
