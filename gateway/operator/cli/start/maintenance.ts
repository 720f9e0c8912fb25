/** `troupe migrate`, `backup` and `restore`: maintenance of the database outside of its nodes. */
import type { Command } from 'commander';
import type { Maintenance } from '../../../../actors/runtime/index.ts';
import type { ClusterConfig } from '../../../terms/config/config.ts';
import { ConfigError } from '../../config/config-error.ts';
import { loadConfig } from '../../config/load.ts';
import { openMaintenance } from '../../config/open-maintenance.ts';
import { type PepperFit, pepperFit } from '../../config/pepper.ts';
import { secretsFolder } from '../../config/secrets.ts';
import { openDataFolder } from '../../launcher/data-folder.ts';
import type { GlobalOptions } from '../frame/global-options.ts';
import { print } from '../frame/print.ts';

export function addMaintenance(program: Command): void {
  program
    .command('migrate')
    .description('migrate the database to the schema of this version (nodes also do so at start)')
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const { maintenance } = await open(options);
      const applied = await maintenance.migrate();
      const done = applied.length > 0 ? `applied step ${applied.join(', ')}` : 'nothing to do';
      print(options, { database: maintenance.database, applied }, () => `${maintenance.database}: ${done}`);
    });
  program
    .command('backup')
    .argument('<file>', 'the copy; keep the folder `secrets` of the data folder with it')
    .description('copy the database while the cluster runs (PostgreSQL: prints the command to use)')
    .action(async (file: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const { maintenance } = await open(options);
      if (!maintenance.file)
        throw new ConfigError(`use the tool of PostgreSQL: pg_dump --format=custom --file=${file} DATABASE-URL`);
      await maintenance.file.backup(file);
      print(options, { database: maintenance.database, file }, () => `${maintenance.database} is copied to ${file}`);
    });
  program
    .command('restore')
    .argument(
      '[file]',
      'a copy that `troupe backup` wrote; without it, the database is marked as restored by other means',
    )
    .option('--force', 'replace an existing database; the old one is kept next to it')
    .description('restore a copy, so that no epoch or birth number issued since is used twice')
    .action(async (file: string | undefined, _: unknown, command: Command) => {
      await restore(file, command.optsWithGlobals<GlobalOptions & { force?: boolean }>());
    });
}

async function restore(file: string | undefined, options: GlobalOptions & { force?: boolean }): Promise<void> {
  const { maintenance, config } = await open(options);
  // Locks out a launcher that would start in the middle of the restore.
  const folder = await openDataFolder(config.data);
  try {
    if (file === undefined) {
      const { jump } = await maintenance.markRestored();
      const pepper = await pepperFit(config.data, maintenance);
      print(options, { database: maintenance.database, jump, pepper }, () =>
        [`${maintenance.database} is marked as restored`, ...nextStep(pepper, config.data)].join('\n'),
      );
      return;
    }
    if (!maintenance.file) {
      throw new ConfigError(
        `use the tool of PostgreSQL: pg_restore --dbname=DATABASE-URL ${file}, then \`troupe restore\` without a file`,
      );
    }
    const { jump, kept } = await maintenance.file.restore(file, options.force === true);
    const also = kept === null ? '' : `; the previous database is now ${kept}`;
    const pepper = await pepperFit(config.data, maintenance);
    print(options, { database: maintenance.database, jump, kept, pepper }, () =>
      [`${maintenance.database} is restored from ${file}${also}`, ...nextStep(pepper, config.data)].join('\n'),
    );
  } finally {
    await folder.release();
  }
}

/** Without the pepper of its time a restored database knows no customer's key. */
function nextStep(pepper: PepperFit, data: string): readonly string[] {
  const secrets = secretsFolder(data);
  switch (pepper) {
    case 'matches':
      return ['Its keys are valid with the pepper of this data folder; start the cluster.'];
    case 'missing':
      return [
        `Before you start: copy the folder secrets of the same backup to ${secrets}. Without its pepper no key is valid.`,
      ];
    case 'differs':
      return [
        `Before you start: ${secrets} holds another pepper than the keys were made with; copy the folder secrets of the same backup there.`,
      ];
    case 'unknown':
      return [
        `Start the cluster. If ${secrets} is not of the same backup, replace it first: the keys need its pepper.`,
      ];
    default:
      throw new Error(`unknown pepper ${JSON.stringify(pepper satisfies never)}`);
  }
}

async function open(
  options: GlobalOptions,
): Promise<{ readonly maintenance: Maintenance; readonly config: ClusterConfig }> {
  const { config: file, data } = options;
  const loaded = await loadConfig({ file, data, cwd: process.cwd(), env: null });
  return { maintenance: await openMaintenance(loaded, process.env), config: loaded };
}
