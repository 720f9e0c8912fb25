/**
 * `troupe preflight`: checks whether this build loads the stored state. Reads only, with or without a running cluster.
 */
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import type { Preflight } from '../../../../actors/runtime/index.ts';
import { ConfigError } from '../../config/config-error.ts';
import { loadConfig } from '../../config/load.ts';
import { storeChoice } from '../../config/store-choice.ts';
import type { GlobalOptions } from '../frame/global-options.ts';
import { print, table } from '../frame/print.ts';

export function addPreflight(program: Command): void {
  program
    .command('preflight')
    .description('check every stored state against the charts of this build; exit code 1 if one does not load')
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const { config: file, data } = options;
      const choice = storeChoice(await loadConfig({ file, data, cwd: process.cwd(), env: null }), process.env);
      if (choice.kind === 'sqlite' && !existsSync(choice.path)) {
        throw new ConfigError(`there is no database ${choice.path}; give its folder with --data`);
      }
      const [{ kinds }, { preflightStore }] = await Promise.all([
        import('../../../../actors/kinds.ts'),
        import('../../../../actors/runtime/inspect/preflight.ts'),
      ]);
      const found = await preflightStore(choice, kinds);
      print(options, found, () => render(found));
      if (found.unfit.length > 0) process.exitCode = 1;
    });
}

function render({ tried, actors, unfit }: Preflight): string {
  if (unfit.length === 0) return `all ${tried} stored states of ${actors} actors load with this build`;
  const rows = unfit.map(({ kind, chart, value, count, why }) => [
    kind,
    String(chart),
    value ?? '-',
    String(count),
    why,
  ]);
  return [
    table(['KIND', 'CHART', 'STATE', 'ACTORS', 'WHY'], rows),
    '',
    `${unfit.length} of ${tried} stored states do not load with this build: do not start it on this data`,
  ].join('\n');
}
