/**
 * The read operations of the store on a connection of the node's thread, tens of microseconds per look-up. A read sees
 * every commit acknowledged before it, and takes no lock that a writer waits for.
 */
import type {
  ActorCountRow,
  ActorEntry,
  ActorPage,
  ActorQuery,
  ActorRecord,
  IndexColumn,
  RowKey,
  RowQuery,
  RowRecord,
  ShardRow,
  StoredState,
  TimerRecord,
} from '../../ports/store.ts';
import { checkedLimit, type KnownState, type Listed, listing, pageOf, type Stream } from '../actor-list.ts';
import { UnfitDatabase } from '../migration.ts';
import type { StoreReader } from '../store-choice.ts';
import { eventLister } from './cluster-events.ts';
import { connect, openingAdvice, type SqliteConnection } from './connect.ts';
import { refuseNewer } from './migrate.ts';
import {
  actorSql,
  referredSql,
  rowQuerySql,
  rowQueryValues,
  rowSql,
  shardSql,
  streamSql,
  streamValues,
  timerSql,
} from './statements.ts';

type Text = string | null;
type StoredRow = [string, string, string, number, Text, Text, Text, Text, number, number | null, string];
type StoredActor = Omit<ActorRecord, 'address'>;
type StoredTimer = [string, string, number, string];

export type Reader = ReturnType<typeof reader>;

/** Prepares the statements once. Every function is synchronous and throws the driver's errors. */
export function reader(connection: SqliteConnection) {
  const load = connection.prepare<[string], StoredActor>(actorSql.load);
  const openOf = connection.prepare<[string], StoredRow>(rowSql.openOf).raw();
  const counts = connection.prepare<[], ActorCountRow>(actorSql.actorCounts);
  const states = connection.prepare<[], StoredState>(actorSql.states);
  const byKey = connection.prepare<[string, string, string], StoredRow>(rowSql.byKey).raw();
  const byId = connection.prepare<[string, string], StoredRow>(rowSql.byId).raw();
  const expired = connection.prepare<[number, number], StoredRow>(rowSql.expired).raw();
  const due = connection.prepare<[number, string, number], StoredTimer>(timerSql.due).raw();
  const timersOf = connection.prepare<[string], StoredTimer>(timerSql.of).raw();
  const shards = connection.prepare<[], ShardRow>(shardSql.all);
  /** List queries have few shapes (their SQL contains no values), so this map needs no bound. */
  const lists = new Map<string, ReturnType<typeof prepareList>>();
  const lookUps = new Map<string, ReturnType<typeof prepareLookUp>>();
  const prepareLookUp = (sql: string) => connection.prepare<string[], string>(sql).pluck();
  const prepareList = (sql: string) => connection.prepare<(string | number)[], StoredRow>(sql).raw();
  const loadBoth = connection.transaction((address: string) => {
    const stored = load.get(address);
    return stored ? { actor: { address, ...stored }, openRows: openOf.all(address).map(rowOf) } : null;
  });

  return {
    /** Both parts from one snapshot of the database. */
    loadActor: (address: string) => loadBoth(address),
    listActors: actorLister(connection),
    actorCounts: () => counts.all(),
    states: () => states.all(),
    row: ({ address, collection, id }: RowKey) => rowOrNull(byKey.get(collection, id, address)),
    rowById: (collection: string, id: string) => rowOrNull(byId.get(collection, id)),
    rows(query: RowQuery): RowRecord[] {
      checkedLimit(query.limit);
      const sql = rowQuerySql(query);
      const list = lists.get(sql) ?? prepareList(sql);
      lists.set(sql, list);
      return list.all(...rowQueryValues(query)).map(rowOf);
    },
    expiredRows: (now: number, limit: number) => expired.all(now, limit).map(rowOf),
    referred(columns: readonly IndexColumn[], values: readonly string[]): string[] {
      const sql = referredSql(columns);
      const lookUp = lookUps.get(sql) ?? prepareLookUp(sql);
      lookUps.set(sql, lookUp);
      return lookUp.all(JSON.stringify(values), ...columns.map(({ collection }) => collection));
    },
    timersDue: (of: readonly number[], until: number, limit: number) =>
      due.all(until, JSON.stringify(of), limit).map(timerOf),
    timersOf: (address: string) => timersOf.all(address).map(timerOf),
    shards: () => shards.all(),
    clusterEvents: eventLister(connection),
  };
}

/** Pages of actors, each from one snapshot of the database. */
function actorLister(connection: SqliteConnection): (query: ActorQuery) => ActorPage {
  const known = connection.prepare<[], KnownState>(actorSql.known);
  const entry = connection.prepare<[string], ActorEntry>(actorSql.entry);
  /** One statement for each kind of stream and direction. */
  const statements = new Map<string, ReturnType<typeof prepare>>();
  const prepare = (sql: string) => connection.prepare<(string | number)[], [string, number, number]>(sql).raw();
  const statementOf = (stream: Stream, newestFirst: boolean) => {
    const sql = streamSql(stream, newestFirst);
    const statement = statements.get(sql) ?? prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  return connection.transaction((query: ActorQuery) => {
    const pages = listing(query, known.all());
    let step = pages.next();
    while (!step.done) {
      const look = step.value;
      const found = look.streams.map((stream) =>
        statementOf(stream, look.newestFirst)
          .all(...streamValues(stream, look))
          .map(([address, since, shard]): Listed => ({ address, since, shard })),
      );
      step = pages.next(found);
    }
    return pageOf(query, step.value, (address) => entry.get(address));
  });
}

function rowOf([address, collection, id, sort, i0, i1, i2, i3, open, expiresAt, body]: StoredRow): RowRecord {
  return { address, collection, id, sort, index: [i0, i1, i2, i3], open: open === 1, body, expiresAt };
}

function rowOrNull(stored: StoredRow | undefined): RowRecord | null {
  return stored ? rowOf(stored) : null;
}

function timerOf([address, name, dueAt, event]: StoredTimer): TimerRecord {
  return { address, name, dueAt, event };
}

/**
 * The read operations of the store, for tools. It changes nothing in the file, not even the schema, and can run beside
 * the nodes that use it. Throws one line that names the file when it is missing or cannot be read.
 */
export function openSqliteReader(path: string): StoreReader {
  try {
    const connection = connect(path, 'read');
    try {
      if (holdsCluster(connection)) refuseNewer(connection, path);
      const from = reader(connection);
      return {
        actorCounts: async () => from.actorCounts(),
        states: async () => from.states(),
        loadActor: async (address) => from.loadActor(address),
        listActors: async (query) => from.listActors(query),
        rows: async (query) => from.rows(query),
        rowById: async (collection, id) => from.rowById(collection, id),
        close: async () => void connection.close(),
      };
    } catch (error) {
      connection.close();
      throw error;
    }
  } catch (error) {
    if (error instanceof UnfitDatabase) throw error;
    throw new Error(openingAdvice(path, error), { cause: error });
  }
}

function holdsCluster(connection: SqliteConnection): boolean {
  return connection.prepare("SELECT 1 FROM sqlite_master WHERE name = 'migrations'").get() !== undefined;
}
