/**
 * Migrates a database to the schema of this build, in one transaction under an advisory lock. Any number of nodes can
 * start at once, and a crash leaves no partial migration. Refuses a database with a breaking change of a newer build.
 */
import type pg from 'pg';
import { effectOf, newerSchema, otherShardCount } from '../migration.ts';
import { firstSchema } from './migrations/0001-first-schema.ts';

/** Ordered by number, from 1. The first line of each is `-- breaking: why` or `-- compatible: why`. */
export const migrations: readonly string[] = [firstSchema];

/** Number of the advisory lock that every migration of our databases takes; any constant. */
const LOCK = 7_209_553_161;
/** Another node can be running a long migration. */
const WAIT_MS_MAX = 120_000;

interface MigrateOptions {
  /** Name of the database in messages. */
  readonly database: string;
  /** Fixed permanently by the first opening; null leaves it unchanged. */
  readonly shards: number | null;
  readonly steps?: readonly string[];
}

/** Returns the numbers of the applied steps. */
export async function migrate(client: pg.Client, options: MigrateOptions): Promise<readonly number[]> {
  const { database, shards, steps = migrations } = options;
  steps.forEach(effectOf);
  await client.query('BEGIN');
  try {
    await client.query(`SET LOCAL lock_timeout = ${WAIT_MS_MAX}; SET LOCAL statement_timeout = 0`);
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    await client.query('CREATE TABLE IF NOT EXISTS migrations (number integer PRIMARY KEY, effect text NOT NULL)');
    const applied = await apply(client, database, steps);
    if (shards !== null) await settleShards(client, database, shards);
    await client.query('COMMIT');
    return applied;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

async function apply(client: pg.Client, database: string, steps: readonly string[]): Promise<readonly number[]> {
  const { rows } = await client.query<{ number: number; effect: string }>('SELECT number, effect FROM migrations');
  const newer = rows.filter(({ number, effect }) => number > steps.length && effect === 'breaking');
  const newest = Math.max(...newer.map(({ number }) => number));
  if (newer.length > 0) throw newerSchema(database, newest, steps.length);
  const applied: number[] = [];
  for (const [at, sql] of steps.entries()) {
    const number = at + 1;
    if (rows.some((row) => row.number === number)) continue;
    await client.query(sql);
    await client.query('INSERT INTO migrations (number, effect) VALUES ($1, $2)', [number, effectOf(sql)]);
    applied.push(number);
  }
  return applied;
}

/** Creates the shard rows on first use. */
async function settleShards(client: pg.Client, database: string, shards: number): Promise<void> {
  const { rows } = await client.query<{ value: string }>("SELECT setting_1('shards', $1) AS value", [`${shards}`]);
  const settled = Number(rows[0]?.value);
  if (settled !== shards) throw otherShardCount(database, settled, shards);
  await client.query(
    'INSERT INTO shards (shard, owner, epoch) SELECT n, NULL, 0 FROM generate_series(0, $1::integer - 1) AS n ON CONFLICT (shard) DO NOTHING',
    [shards],
  );
}
