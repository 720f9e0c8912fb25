/** Maintenance of a PostgreSQL database: migrations, and marking a database after pg_restore. */
import type pg from 'pg';
import { RESTORED_SETTING } from '../boot-mark.ts';
import {
  jumpBy,
  type Maintenance,
  type MaintenanceParts,
  MaintenanceRefused,
  type Restored,
  requireStopped,
} from '../maintenance.ts';
import { UnfitDatabase } from '../migration.ts';
import type { PostgresChoice } from '../store-choice.ts';
import { connect, openingAdvice, withoutPassword } from './connect.ts';
import { migrate } from './migrate.ts';
import { restoreSql } from './statements.ts';

export function postgresMaintenance({ url, bounds }: PostgresChoice, parts: MaintenanceParts): Maintenance {
  const database = withoutPassword(url);

  async function on<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    try {
      const client = await connect({ url, bounds, applicationName: 'troupe maintenance' });
      try {
        return await work(client);
      } finally {
        await client.end().catch(() => {});
      }
    } catch (error) {
      if (error instanceof UnfitDatabase || error instanceof MaintenanceRefused) throw error;
      throw new MaintenanceRefused(openingAdvice(url, error), { cause: error });
    }
  }

  return {
    database,
    migrate: () => on((client) => migrate(client, { database, shards: parts.shards })),
    markRestored: () =>
      on(async (client): Promise<Restored> => {
        await migrate(client, { database, shards: null });
        await requireStopped(() => beatsIn(client), parts, database);
        const jump = await jumpBy(parts);
        await raise(client, jump, Buffer.from(parts.random.bytes(8)).toString('hex'));
        return { jump };
      }),
    setting: (name) => on((client) => settingIn(client, name)),
    replaceSetting: (name, value) =>
      on(async (client) => {
        await migrate(client, { database, shards: null });
        await requireStopped(() => beatsIn(client), parts, database);
        await client.query(restoreSql.mark, [name, value]);
      }),
    file: null,
  };
}

async function beatsIn(client: pg.Client): Promise<number> {
  return (await client.query<{ beats: number }>(restoreSql.beats)).rows[0]?.beats ?? 0;
}

async function settingIn(client: pg.Client, name: string): Promise<string | null> {
  const { rows: known } = await client.query<{ known: boolean }>("SELECT to_regclass('settings') IS NOT NULL AS known");
  if (!known[0]?.known) return null;
  const { rows } = await client.query<{ value: string }>('SELECT value FROM settings WHERE name = $1', [name]);
  return rows[0]?.value ?? null;
}

/** As for SQLite, in one transaction; a large database can exceed the bounds of a node's calls. */
async function raise(client: pg.Client, jump: number, mark: string): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query('SET LOCAL statement_timeout = 0');
    await client.query(restoreSql.raiseEpochs, [jump]);
    await client.query(restoreSql.raiseRevision, [jump]);
    await client.query(restoreSql.endNodes);
    const { rows } = await client.query<{ birth: number }>(restoreSql.raiseBirths, [jump]);
    const birth = rows[0]?.birth;
    await client.query(restoreSql.takeBirth, [birth, `restored-${mark}`]);
    await client.query(restoreSql.mark, [RESTORED_SETTING, String(birth)]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}
