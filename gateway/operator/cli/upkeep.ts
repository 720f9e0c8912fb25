/** `troupe migrate`, `backup` and `restore`: what is done to the database beside its nodes. */
import { join } from 'node:path';
import type { Command } from 'commander';
import { systemClock, systemRandom, type Upkeep, upkeepOf } from '../../../actors/runtime/index.ts';
import type { ClusterConfig } from '../../terms/config.ts';
import { Fault } from '../config/fault.ts';
import { loadConfig } from '../config/load.ts';
import { storeChoice } from '../config/store-choice.ts';
import { openDataFolder } from '../launcher/data-folder.ts';
import type { GlobalOptions } from './global-options.ts';
import { print } from './print.ts';

/** How many heartbeats a running node has had by then. */
const BEATS = 3;

export function addUpkeep(program: Command): void {
  program
    .command('migrate')
    .description('bring the database to the schema of this version (nodes do it by themselves when they start)')
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const { upkeep } = await open(options);
      const applied = await upkeep.migrate();
      const done = applied.length > 0 ? `applied step ${applied.join(', ')}` : 'there was nothing to do';
      print(options, { database: upkeep.database, applied }, () => `${upkeep.database}: ${done}`);
    });
  program
    .command('backup')
    .argument('<file>', 'where the copy goes; keep the folder `secrets` of the data folder with it')
    .description('copy the database while the cluster runs (PostgreSQL: says how)')
    .action(async (file: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const { upkeep } = await open(options);
      if (!upkeep.file)
        throw new Fault(`PostgreSQL copies itself: pg_dump --format=custom --file=${file} DATABASE-URL`);
      await upkeep.file.backup(file);
      print(options, { database: upkeep.database, file }, () => `${upkeep.database} is copied to ${file}`);
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
  const { upkeep, config } = await open(options);
  // Held against a launcher that would start in the middle of it.
  const folder = await openDataFolder(config.data);
  try {
    if (file === undefined) {
      const { jump } = await upkeep.markRestored();
      print(
        options,
        { database: upkeep.database, jump },
        () => `${upkeep.database} is marked as put back: start the cluster`,
      );
      return;
    }
    if (!upkeep.file) {
      throw new Fault(
        `PostgreSQL puts itself back: pg_restore --dbname=DATABASE-URL ${file}, then \`troupe restore\` without a file`,
      );
    }
    const { jump, kept } = await upkeep.file.restore(file, options.force === true);
    const also = kept === null ? '' : `; the database that was there is now ${kept}`;
    print(
      options,
      { database: upkeep.database, jump, kept },
      () => `${upkeep.database} is put back from ${file}${also}`,
    );
  } finally {
    await folder.release();
  }
}

async function open(options: GlobalOptions): Promise<{ readonly upkeep: Upkeep; readonly config: ClusterConfig }> {
  const { config: file, data } = options;
  const loaded = await loadConfig({ file, data, cwd: process.cwd(), env: null });
  const { shards, heartbeatMs } = loaded.runtime;
  const parts = {
    ...{ shards, clock: systemClock, random: systemRandom, beatMs: heartbeatMs * BEATS },
    marks: join(loaded.data, 'marks'),
  };
  return { upkeep: await upkeepOf(storeChoice(loaded, process.env), parts), config: loaded };
}
