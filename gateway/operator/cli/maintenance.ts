/** `troupe migrate`, `backup` and `restore`: maintenance of the database outside of its nodes. */
import { join } from 'node:path';
import type { Command } from 'commander';
import { type Maintenance, maintenanceOf, systemClock, systemRandom } from '../../../actors/runtime/index.ts';
import type { ClusterConfig } from '../../terms/config.ts';
import { ConfigError } from '../config/config-error.ts';
import { loadConfig } from '../config/load.ts';
import { storeChoice } from '../config/store-choice.ts';
import { openDataFolder } from '../launcher/data-folder.ts';
import type { GlobalOptions } from './global-options.ts';
import { print } from './print.ts';

/** Heartbeats after which a running node is certain to have been seen. */
const BEATS = 3;

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
      print(
        options,
        { database: maintenance.database, jump },
        () => `${maintenance.database} is marked as restored; start the cluster`,
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
    print(
      options,
      { database: maintenance.database, jump, kept },
      () => `${maintenance.database} is restored from ${file}${also}`,
    );
  } finally {
    await folder.release();
  }
}

async function open(
  options: GlobalOptions,
): Promise<{ readonly maintenance: Maintenance; readonly config: ClusterConfig }> {
  const { config: file, data } = options;
  const loaded = await loadConfig({ file, data, cwd: process.cwd(), env: null });
  const { shards, heartbeatMs } = loaded.runtime;
  const parts = {
    ...{ shards, clock: systemClock, random: systemRandom, beatMs: heartbeatMs * BEATS },
    marks: join(loaded.data, 'marks'),
  };
  return { maintenance: await maintenanceOf(storeChoice(loaded, process.env), parts), config: loaded };
}
