/**
 * `troupe preflight`: checks whether this build loads the stored state. Reads only, with or without a running cluster.
 */
import { existsSync } from 'node:fs';
import type { Preflight } from '../../../../actors/runtime/index.ts';
import { ConfigError } from '../../config/config-error.ts';
import { storeChoice } from '../../config/store-choice.ts';
import { local } from '../frame/command.ts';
import { configOf } from '../frame/find-cluster.ts';
import { table } from '../frame/print.ts';
import { rendered } from '../history/replay.ts';

export const commands = [
  local('preflight', 'check every stored state against the charts of this build; exit code 1 if one does not load', {
    options: { '--replay': 'also take recorded steps of the actors that changed last again' },
    run: async (options) => {
      const choice = storeChoice(await configOf(options), process.env);
      if (choice.kind === 'sqlite' && !existsSync(choice.path)) {
        throw new ConfigError(`there is no database ${choice.path}; give its folder with --data`);
      }
      const [{ kinds }, { preflightStore }, { replayStore }] = await Promise.all([
        import('../../../../actors/kinds.ts'),
        import('../../../../actors/runtime/inspect/preflight.ts'),
        import('../../../../actors/runtime/inspect/replay.ts'),
      ]);
      const found = await preflightStore(choice, kinds);
      const replayed = options.replay ? await replayStore(choice, kinds) : null;
      if (found.unfit.length > 0 || (replayed !== null && replayed.first !== null)) process.exitCode = 1;
      return { ...found, replayed };
    },
    print: ({ replayed, ...found }) => [render(found), ...(replayed === null ? [] : [rendered(replayed)])].join('\n'),
  }),
];

function render({ tried, actors, unfit }: Preflight): string {
  if (unfit.length === 0) return `all ${tried} stored states of ${actors} actors load with this build`;
  const rows = unfit.map(({ kind, chart, value, count, why }) => [kind, chart, value ?? '-', count, why]);
  return [
    table(['KIND', 'CHART', 'STATE', 'ACTORS', 'WHY'], rows),
    '',
    `${unfit.length} of ${tried} stored states do not load with this build: do not start it on this data`,
  ].join('\n');
}
