/**
 * Brings a database to the schema of this build: one transaction under a lock of its own, so that any number of nodes
 * may start at once and whoever dies in the middle leaves nothing. Refuses a database that a newer build changed in a
 * breaking way.
 */
import type pg from 'pg';
import { effectOf, newerSchema, otherShardCount } from '../migration.ts';
import { tables } from './migrations/0001-tables.ts';
import { commit } from './migrations/0002-commit.ts';
import { membership } from './migrations/0003-membership.ts';
import { states } from './migrations/0004-states.ts';
import { blobs } from './migrations/0005-blobs.ts';

/** In order of their numbers, from 1. The first line of each says `-- breaking: why` or `-- compatible: why`. */
export const migrations: readonly string[] = [tables, commit, membership, states, blobs];

/** Any constant: who migrates a database of ours takes the advisory lock of this number. */
const LOCK = 7_209_553_161;
/** Others may be at a long step. */
const WAIT_MS_MAX = 120_000;

export interface MigrateOptions {
  /** Names the database in messages. */
  readonly database: string;
  /** Settled for ever by whoever comes first; null leaves it as it is. */
  readonly shards: number | null;
  readonly steps?: readonly string[];
}

/** Answers the numbers of the steps that were applied now. */
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

/** Makes the shard rows on first use. */
async function settleShards(client: pg.Client, database: string, shards: number): Promise<void> {
  const { rows } = await client.query<{ value: string }>("SELECT settle_fact_1('shards', $1) AS value", [`${shards}`]);
  const settled = Number(rows[0]?.value);
  if (settled !== shards) throw otherShardCount(database, settled, shards);
  await client.query(
    'INSERT INTO shards (shard, owner, epoch) SELECT n, NULL, 0 FROM generate_series(0, $1::integer - 1) AS n ON CONFLICT (shard) DO NOTHING',
    [shards],
  );
}
