/** `troupe migrate`, `backup` and `restore`: what is done to the database beside its nodes. */
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

/** How many heartbeats a running node has had by then. */
const BEATS = 3;

export function addMaintenance(program: Command): void {
  program
    .command('migrate')
    .description('bring the database to the schema of this version (nodes do it by themselves when they start)')
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const { maintenance } = await open(options);
      const applied = await maintenance.migrate();
      const done = applied.length > 0 ? `applied step ${applied.join(', ')}` : 'there was nothing to do';
      print(options, { database: maintenance.database, applied }, () => `${maintenance.database}: ${done}`);
    });
  program
    .command('backup')
    .argument('<file>', 'where the copy goes; keep the folder `secrets` of the data folder with it')
    .description('copy the database while the cluster runs (PostgreSQL: says how)')
    .action(async (file: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const { maintenance } = await open(options);
      if (!maintenance.file)
        throw new ConfigError(`PostgreSQL copies itself: pg_dump --format=custom --file=${file} DATABASE-URL`);
      await maintenance.file.backup(file);
      print(options, { database: maintenance.database, file }, () => `${maintenance.database} is copied to ${file}`);
    });
  program
    .command('restore')
    .argument('[file]', 'a copy that `troupe backup` wrote; without it, the database is marked as put back by hand')
    .option('--force', 'replace an existing database; it is kept beside the new one')
    .description('put a copy back, so that no epoch or birth of the time since is used twice')
    .action(async (file: string | undefined, _: unknown, command: Command) => {
      await restore(file, command.optsWithGlobals<GlobalOptions & { force?: boolean }>());
    });
}

async function restore(file: string | undefined, options: GlobalOptions & { force?: boolean }): Promise<void> {
  const { maintenance, config } = await open(options);
  // Held against a launcher that would start in the middle of it.
  const folder = await openDataFolder(config.data);
  try {
    if (file === undefined) {
      const { jump } = await maintenance.markRestored();
      print(
        options,
        { database: maintenance.database, jump },
        () => `${maintenance.database} is marked as put back: start the cluster`,
      );
      return;
    }
    if (!maintenance.file) {
      throw new ConfigError(
        `PostgreSQL puts itself back: pg_restore --dbname=DATABASE-URL ${file}, then \`troupe restore\` without a file`,
      );
    }
    const { jump, kept } = await maintenance.file.restore(file, options.force === true);
    const also = kept === null ? '' : `; the database that was there is now ${kept}`;
    print(
      options,
      { database: maintenance.database, jump, kept },
      () => `${maintenance.database} is put back from ${file}${also}`,
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
