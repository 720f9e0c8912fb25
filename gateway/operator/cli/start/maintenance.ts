/** `troupe migrate`, `backup` and `restore`: maintenance of the database outside of its nodes. */
import type { Maintenance } from '../../../../actors/runtime/index.ts';
import type { ClusterConfig } from '../../../terms/config/config.ts';
import { ConfigError } from '../../config/config-error.ts';
import { openMaintenance } from '../../config/open-maintenance.ts';
import { type PepperFit, pepperFit } from '../../config/pepper.ts';
import { secretsFolder } from '../../config/secrets.ts';
import { openDataFolder } from '../../launcher/data-folder.ts';
import { type GlobalOptions, local } from '../frame/command.ts';
import { configOf } from '../frame/find-cluster.ts';

export const commands = [
  local('migrate', 'migrate the database to the schema of this version (nodes also do so at start)', {
    run: async (options) => {
      const { maintenance } = await open(options);
      return { database: maintenance.database, applied: await maintenance.migrate() };
    },
    print: ({ database, applied }) =>
      `${database}: ${applied.length > 0 ? `applied step ${applied.join(', ')}` : 'nothing to do'}`,
  }),
  local('backup', 'copy the database while the cluster runs (PostgreSQL: prints the command to use)', {
    arguments: { '<file>': 'the copy; keep the folder `secrets` of the data folder with it' },
    run: async ({ file, ...options }) => {
      const { maintenance } = await open(options);
      if (!maintenance.file)
        throw new ConfigError(`use the tool of PostgreSQL: pg_dump --format=custom --file=${file} DATABASE-URL`);
      await maintenance.file.backup(file);
      return { database: maintenance.database, file };
    },
    print: ({ database, file }) => `${database} is copied to ${file}`,
  }),
  local('restore', 'restore a copy, so that no epoch or birth number issued since is used twice', {
    arguments: {
      '[file]': 'a copy that `troupe backup` wrote; without it, the database is marked as restored by other means',
    },
    options: { '--force': 'replace an existing database; the old one is kept next to it' },
    run: async ({ file, force, ...options }) => {
      const { maintenance, config } = await open(options);
      const { database } = maintenance;
      // Locks out a launcher that would start in the middle of the restore.
      const folder = await openDataFolder(config.data);
      try {
        const restored = file === undefined ? await maintenance.markRestored() : await copied(maintenance, file, force);
        const pepper = await pepperFit(config.data, maintenance);
        return { answer: { database, ...restored, pepper }, next: nextStep(pepper, config.data) };
      } finally {
        await folder.release();
      }
    },
    json: ({ answer }) => answer,
    print: ({ answer: { database, ...restored }, next }, { file }) => {
      const also =
        'kept' in restored && restored.kept !== null ? `; the previous database is now ${restored.kept}` : '';
      const done = file === undefined ? 'is marked as restored' : `is restored from ${file}${also}`;
      return `${database} ${done}\n${next}`;
    },
  }),
];

/** @throws ConfigError on PostgreSQL, which has its own tool */
function copied({ file: copies }: Maintenance, file: string, force = false) {
  if (copies) return copies.restore(file, force);
  throw new ConfigError(
    `use the tool of PostgreSQL: pg_restore --dbname=DATABASE-URL ${file}, then \`troupe restore\` without a file`,
  );
}

/** Without the pepper of its time a restored database knows no customer's key. */
function nextStep(pepper: PepperFit, data: string): string {
  const secrets = secretsFolder(data);
  switch (pepper) {
    case 'matches':
      return 'Its keys are valid with the pepper of this data folder; start the cluster.';
    case 'missing':
      return `Before you start: copy the folder secrets of the same backup to ${secrets}. Without its pepper no key is valid.`;
    case 'differs':
      return `Before you start: ${secrets} holds another pepper than the keys were made with; copy the folder secrets of the same backup there.`;
    case 'unknown':
      return `Start the cluster. If ${secrets} is not of the same backup, replace it first: the keys need its pepper.`;
    default:
      throw new Error(`unknown pepper ${JSON.stringify(pepper satisfies never)}`);
  }
}

async function open(
  options: GlobalOptions,
): Promise<{ readonly maintenance: Maintenance; readonly config: ClusterConfig }> {
  const config = await configOf(options);
  return { maintenance: await openMaintenance(config, process.env), config };
}
