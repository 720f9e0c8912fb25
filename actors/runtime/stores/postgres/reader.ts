/**
 * The read operations of the store over a few connections of its own; each call goes to the connection with the
 * shortest queue.
 */
import type pg from 'pg';
import type { ActorEntry, ActorRecord, RowKey, RowQuery, RowRecord, Store, TimerRecord } from '../../ports/store.ts';
import { checkedLimit, type KnownState, type Listed, type Look, listing, pageOf } from '../actor-list.ts';
import { newerSchema, UnfitDatabase } from '../migration.ts';
import type { PostgresChoice, StoreReader } from '../store-choice.ts';
import { connect, openingAdvice, withoutPassword } from './connect.ts';
import type { CallKind, LaneCall } from './connection-lane.ts';
import { messageOf, sqlState } from './failure.ts';
import { migrations } from './migrate.ts';
import { actorSql, eventSql, referredQuery, rowList, rowSql, streamsQuery, timerSql } from './statements.ts';

interface StoredRow extends Omit<RowRecord, 'index' | 'expiresAt'> {
  readonly index0: string | null;
  readonly index1: string | null;
  readonly index2: string | null;
  readonly index3: string | null;
  readonly expires_at: number | null;
}

/** An open row as returned with its actor. */
type OpenRow = [
  address: string,
  collection: string,
  id: string,
  sort: number,
  index0: string | null,
  index1: string | null,
  index2: string | null,
  index3: string | null,
  open: boolean,
  expiresAt: number | null,
  body: string,
];

interface StoredActor extends Omit<ActorRecord, 'address'> {
  readonly open_rows: readonly OpenRow[];
}

interface StoredTimer extends Omit<TimerRecord, 'dueAt'> {
  readonly due_at: number;
}

export type StoreReading = Pick<
  Store,
  | 'loadActor'
  | 'listActors'
  | 'actorCounts'
  | 'states'
  | 'row'
  | 'rowById'
  | 'rows'
  | 'referred'
  | 'expiredRows'
  | 'timersDue'
  | 'timersOf'
  | 'clusterEvents'
>;

/** Executes one call at a time: a lane, or a tool's single connection. */
export interface RowsReading {
  readonly waiting: number;
  call<Row extends pg.QueryResultRow>(call: LaneCall, callKind: CallKind): Promise<pg.QueryResult<Row>>;
}

export function reader(lanes: readonly RowsReading[]): StoreReading {
  async function ask<Row extends pg.QueryResultRow>(
    statement: { readonly name: string; readonly text: string },
    ...values: readonly unknown[]
  ): Promise<Row[]> {
    const lane = lanes.reduce((least, each) => (each.waiting < least.waiting ? each : least));
    const call: LaneCall = { name: statement.name, text: statement.text, values };
    return (await lane.call<Row>(call, 'read')).rows;
  }

  return {
    async loadActor(address) {
      const [stored] = await ask<StoredActor>(actorSql.load, address);
      if (!stored) return null;
      const { open_rows: openRows, ...actor } = stored;
      return { actor: { address, ...actor }, openRows: openRows.map(openRowOf) };
    },
    async listActors(query) {
      const pages = listing(query, await ask<KnownState>(actorSql.known));
      let step = pages.next();
      while (!step.done) {
        const list = streamsQuery(step.value);
        step = pages.next(byStream(await ask<StreamEntry>(list, ...list.values), step.value));
      }
      const { value } = step;
      const stored = await ask<ActorEntry>(
        actorSql.entries,
        value.places.map(({ address }) => address),
      );
      const entries = new Map(stored.map((entry) => [entry.address, entry]));
      return pageOf(query, value, (address) => entries.get(address));
    },
    actorCounts: () => ask(actorSql.actorCounts),
    states: () => ask(actorSql.states),
    async row({ collection, id, address }: RowKey) {
      const [stored] = await ask<StoredRow>(rowSql.byKey, collection, id, address);
      return stored ? rowOf(stored) : null;
    },
    async rowById(collection, id) {
      const [stored] = await ask<StoredRow>(rowSql.byId, collection, id);
      return stored ? rowOf(stored) : null;
    },
    async rows(query: RowQuery) {
      checkedLimit(query.limit);
      const list = rowList(query);
      return (await ask<StoredRow>(list, ...list.values)).map(rowOf);
    },
    async referred(columns, values) {
      const names = columns.map(({ collection }) => collection);
      const found = await ask<{ value: string }>(referredQuery(columns), [...values], ...names);
      return found.map(({ value }) => value);
    },
    async expiredRows(now, limit) {
      return (await ask<StoredRow>(rowSql.expired, now, limit)).map(rowOf);
    },
    async timersDue(shards, until, limit) {
      return (await ask<StoredTimer>(timerSql.due, until, [...shards], limit)).map(timerOf);
    },
    async timersOf(address) {
      return (await ask<StoredTimer>(timerSql.of, address)).map(timerOf);
    },
    clusterEvents: async ({ after = Number.MAX_SAFE_INTEGER, limit }) => ask(eventSql.list, after, checkedLimit(limit)),
  };
}

interface StreamEntry extends Listed {
  readonly place: number;
}

function byStream(entries: readonly StreamEntry[], { streams }: Look): readonly (readonly Listed[])[] {
  const found: Listed[][] = streams.map(() => []);
  for (const { place, ...entry } of entries) found[place - 1]?.push(entry);
  return found;
}

function rowOf({ index0, index1, index2, index3, expires_at, ...row }: StoredRow): RowRecord {
  const { address, collection, id, sort, open, body } = row;
  return { address, collection, id, sort, index: [index0, index1, index2, index3], open, body, expiresAt: expires_at };
}

function openRowOf([address, collection, id, sort, i0, i1, i2, i3, open, expiresAt, body]: OpenRow): RowRecord {
  return { address, collection, id, sort, index: [i0, i1, i2, i3], open, body, expiresAt };
}

function timerOf({ address, name, due_at, event }: StoredTimer): TimerRecord {
  return { address, name, dueAt: due_at, event };
}

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
    const { actorCounts, states, loadActor, listActors, rows, rowById } = reader([callingWith(client, database)]);
    const reads = { actorCounts, states, loadActor, listActors, rows, rowById };
    return { ...reads, close: async () => void (await client.end().catch(() => {})) };
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
