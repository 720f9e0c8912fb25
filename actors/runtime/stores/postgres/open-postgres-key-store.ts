/**
 * The KeyStore port over a PostgreSQL database that is separate from the store's and in no backup. A key is destroyed
 * by deleting it, rewriting the table and switching to a new log. No copy remains in the database's files when the
 * server keeps no old log (`wal_recycle = off`, no archive, no replica) and the user has the required rights
 * (`pg_checkpoint`, execution of `pg_switch_wal`).
 */
import { createSecretKey } from 'node:crypto';
import type { Clock, Random } from '../../ports/clock.ts';
import {
  KeyDestroyed,
  type KeyStore,
  KeyStoreUnreachable,
  type KeySweep,
  keyHour,
  type SealingKey,
  UnfitKeyStore,
} from '../../ports/key-store.ts';
import { UnfitDatabase } from '../migration.ts';
import type { ConnectionBounds, ConnectionLaneBounds } from '../store-choice.ts';
import { connect, openingAdvice, withoutPassword } from './connect.ts';
import { type CallKind, ConnectionLane } from './connection-lane.ts';
import { sqlState } from './failure.ts';
import { migrate } from './migrate.ts';
import { keySql } from './statements.ts';

export interface PostgresKeyStoreOptions {
  /** `postgres://user:password@host:port/database`: a database used for keys only. */
  readonly url: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly bounds: ConnectionBounds & ConnectionLaneBounds;
}

const KEY_BYTES = 32;
const NAME = 'troupe keys';
const FORBIDDEN = '42501';

/** Destroys expired keys, then serves. Rejects with UnfitKeyStore or with a one-line message for the operator. */
export async function openPostgresKeyStore(options: PostgresKeyStoreOptions): Promise<KeyStore> {
  await prepare(options);
  const keys = new PostgresKeyStore(options);
  try {
    await keys.sweep();
    return keys;
  } catch (error) {
    await keys.close();
    throw error;
  }
}

async function prepare({ url, bounds }: PostgresKeyStoreOptions): Promise<void> {
  const database = withoutPassword(url);
  try {
    const client = await connect({ url, bounds, applicationName: NAME });
    try {
      const { rows } = await client.query<{ store: boolean; archive: string; replicas: number }>(
        `SELECT to_regclass('actors') IS NOT NULL AS store, current_setting('archive_mode') AS archive,
          (SELECT count(*) FROM pg_replication_slots) + (SELECT count(*) FROM pg_stat_replication) AS replicas`,
      );
      if (rows[0]?.store) throw new UnfitKeyStore(`${database} is the store's: give the keys a database of their own`);
      if (rows[0]?.archive !== 'off')
        throw new UnfitKeyStore(
          `${database} is on a server that archives its log, and keys must not be backed up: set archive_mode = off there`,
        );
      if (rows[0].replicas > 0) {
        throw new UnfitKeyStore(
          `${database} is on a server with a replica or a replication slot: keys must not be copied`,
        );
      }
      await migrate(client, { database, shards: null, steps: [keyTables] });
    } finally {
      await client.end().catch(() => {});
    }
  } catch (error) {
    if (error instanceof UnfitDatabase || error instanceof UnfitKeyStore) throw error;
    throw new KeyStoreUnreachable(openingAdvice(url, error), { cause: error });
  }
}

class PostgresKeyStore implements KeyStore {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #lane: ConnectionLane;
  /** True while deleted keys can still be in the files: at the start, and until a rewrite succeeds. */
  #remains = true;

  constructor({ url, clock, random, bounds }: PostgresKeyStoreOptions) {
    this.#clock = clock;
    this.#random = random;
    const open = (ended: () => void) => connect({ url, bounds, applicationName: NAME, ended });
    this.#lane = new ConnectionLane({ clock, random, bounds, connect: open });
  }

  async current(): Promise<SealingKey> {
    const hour = keyHour.at(this.#clock.now());
    const found = await this.#find(hour);
    if (found) return found;
    const bytes = this.#random.bytes(KEY_BYTES);
    await this.#call(keySql.make, [hour, bytes], 'change');
    bytes.fill(0);
    const made = await this.#find(hour);
    if (made) return made;
    throw new KeyStoreUnreachable(`the key of hour ${hour} was created but is missing`);
  }

  async key(hour: number): Promise<SealingKey> {
    if (keyHour.isOver(hour, this.#clock.now())) throw new KeyDestroyed(hour);
    const found = await this.#find(hour);
    if (!found) throw new KeyDestroyed(hour);
    return found;
  }

  async sweep(): Promise<KeySweep> {
    const { rowCount } = await this.#call(keySql.destroy, [keyHour.lastOver(this.#clock.now())], 'change');
    const destroyed = rowCount ?? 0;
    if (destroyed > 0) this.#remains = true;
    if (this.#remains) await this.#wipe();
    const { rows } = await this.#call<{ kept: number }>(keySql.count, [], 'read');
    return { destroyed, kept: rows[0]?.kept ?? 0 };
  }

  close(): Promise<void> {
    return this.#lane.close();
  }

  async #wipe(): Promise<void> {
    await this.#call(keySql.rewrite, [], 'change');
    for (const statement of [keySql.switchLog, keySql.checkpoint]) {
      await this.#call(statement, [], 'change').catch((error: KeyStoreUnreachable) => {
        if (sqlState((error.cause as Error | undefined)?.cause) !== FORBIDDEN) throw error;
      });
    }
    this.#remains = false;
  }

  async #find(hour: number): Promise<SealingKey | null> {
    const { rows } = await this.#call<{ secret: Buffer }>(keySql.find, [hour], 'read');
    const bytes = rows[0]?.secret;
    if (bytes === undefined) return null;
    if (bytes.length !== KEY_BYTES) throw new KeyStoreUnreachable(`the key of hour ${hour} is damaged`);
    const secret = createSecretKey(bytes);
    bytes.fill(0);
    return { hour, secret };
  }

  async #call<Row extends object>(statement: Statement, values: readonly unknown[], callKind: CallKind) {
    try {
      return await this.#lane.call<Row>({ ...statement, values }, callKind);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new KeyStoreUnreachable(`the key database did not answer: ${why}`, { cause: error });
    }
  }
}

type Statement = (typeof keySql)[keyof typeof keySql];

/** The first schema of the key database, which is separate from the store's. */
export const keyTables = `-- compatible: the table of sealing keys
CREATE TABLE sealing_keys (
  hour bigint PRIMARY KEY,
  secret bytea NOT NULL
);
`;
