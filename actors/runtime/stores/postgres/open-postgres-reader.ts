import type pg from 'pg';
import { newerSchema, UnfitDatabase } from '../migration.ts';
import type { PostgresChoice } from '../open-store.ts';
import type { StoreReader } from '../store-reader.ts';
import { connect, openingAdvice, withoutPassword } from './connect.ts';
import { messageOf, sqlState } from './failure.ts';
import { migrations } from './migrate.ts';
import { type RowsReading, reader } from './reader.ts';

/** Tools read whole tables: the bounds of a node are too short. */
const ANSWER_MS_MAX = 30 * 60_000;
const NO_SUCH_TABLE = '42P01';
/** Server codes: no such table, column, function. */
const OLDER_SCHEMA = new Set([NO_SUCH_TABLE, '42703', '42883']);

/**
 * The read operations of the store over one connection that the server itself keeps read-only. Rejects with one line
 * that names the database when it cannot be reached, contains no cluster, or was changed by a newer build.
 */
export async function openPostgresReader({ url, bounds }: PostgresChoice): Promise<StoreReader> {
  const database = withoutPassword(url);
  try {
    const client = await connect({ url, bounds, applicationName: 'troupe reader' });
    try {
      await allowFullScans(client);
      await refuseNewer(client, database);
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
    const { actorCounts, states, loadActor } = reader([callingWith(client, database)]);
    return { actorCounts, states, loadActor, close: async () => void (await client.end().catch(() => {})) };
  } catch (error) {
    if (error instanceof UnfitDatabase) throw error;
    throw new Error(openingAdvice(url, error), { cause: error });
  }
}

/** A node's settings disable plans that scan whole tables, which tools need. */
async function allowFullScans(client: pg.Client): Promise<void> {
  await client.query(`SET default_transaction_read_only = on; SET statement_timeout = ${ANSWER_MS_MAX};
    SET enable_seqscan = on; SET enable_hashjoin = on; SET plan_cache_mode = auto`);
}

/** An older schema is accepted: queries that it lacks fail with their own message. */
async function refuseNewer(client: pg.Client, database: string): Promise<void> {
  const { rows } = await client
    .query<{ number: number | null }>(
      "SELECT max(number) AS number FROM migrations WHERE number > $1 AND effect = 'breaking'",
      [migrations.length],
    )
    .catch((error: unknown) => {
      if (sqlState(error) !== NO_SUCH_TABLE) throw error;
      throw new UnfitDatabase(`the database ${database} holds no cluster yet: is it the right one?`);
    });
  const newer = rows[0]?.number ?? null;
  if (newer !== null) throw newerSchema(database, newer, migrations.length);
}

function callingWith(client: pg.Client, database: string): RowsReading {
  return {
    waiting: 0,
    async call({ name, text, values }) {
      try {
        return await client.query({ name, text, values: [...values] });
      } catch (error) {
        const detail = messageOf(error);
        throw OLDER_SCHEMA.has(sqlState(error) ?? '')
          ? new UnfitDatabase(
              `the database ${database} has an older schema (${detail}): run \`troupe migrate\` of this version first`,
            )
          : new Error(`the database ${database} did not answer: ${detail}`, { cause: error });
      }
    },
  };
}
