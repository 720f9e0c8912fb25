/**
 * The Store port over PostgreSQL, for nodes on any number of hosts. A commit is one call on its shards' connection.
 * Membership and reads have connections of their own. Every wait and lock is bounded.
 */

import type { Clock, Random } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import { UnfitDatabase } from '../migration.ts';
import type { PostgresBounds } from '../store-choice.ts';
import { committer } from './committer.ts';
import { connect, openingAdvice, withoutPassword } from './connect.ts';
import { ConnectionLane } from './connection-lane.ts';
import { membership } from './membership.ts';
import { migrate } from './migrate.ts';
import { reader } from './reader.ts';
import { rowSql } from './statements.ts';

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  /** Shard count; fixed permanently by the first opening. */
  readonly shards: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly bounds: PostgresBounds;
  /** Shown by the server for each connection. */
  readonly applicationName?: string;
}

/** Rejects with a one-line message with the database and the remedy when it cannot be opened, changed or understood. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { bounds } = options;
  await prepare(options);
  const lanes = (count: number): ConnectionLane[] => Array.from({ length: count }, () => laneOf(options));
  const writers = lanes(bounds.writers);
  const readers = lanes(bounds.readers);
  const [members, sweeper] = lanes(2) as [ConnectionLane, ConnectionLane];
  return {
    parts: writers.length,
    commit: committer(writers),
    ...reader(readers),
    ...membership(members),
    async sweepRows(now, limit) {
      const { rowCount } = await sweeper.call({ ...rowSql.sweep, values: [now, limit] }, 'change');
      return rowCount ?? 0;
    },
    async removeRows(rows) {
      const columns = (['collection', 'id', 'address', 'body'] as const).map((name) => rows.map((row) => row[name]));
      const { rowCount } = await sweeper.call({ ...rowSql.removeUnchanged, values: columns }, 'change');
      return rowCount ?? 0;
    },
    async close() {
      await Promise.all([...writers, ...readers, members, sweeper].map((lane) => lane.close()));
    },
  };
}

/** Verifies that the server meets the requirements, migrates the schema and compares the shard count. */
async function prepare({ url, shards, bounds, applicationName = 'troupe' }: PostgresStoreOptions): Promise<void> {
  try {
    const client = await connect({ url, bounds, applicationName });
    try {
      await migrate(client, { database: withoutPassword(url), shards });
    } finally {
      await client.end().catch(() => {});
    }
  } catch (error) {
    if (error instanceof UnfitDatabase) throw error;
    throw new Error(openingAdvice(url, error), { cause: error });
  }
}

function laneOf({ url, clock, random, bounds, applicationName = 'troupe' }: PostgresStoreOptions): ConnectionLane {
  return new ConnectionLane({
    clock,
    random,
    bounds,
    connect: (ended) => connect({ url, bounds, applicationName, ended }),
  });
}
