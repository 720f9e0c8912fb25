/** Bulk writing of tables of a store that no node uses meanwhile: no journal, and indexes are created at the end. */
import { once } from 'node:events';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import Database from 'better-sqlite3';
import pg from 'pg';

export type Table = 'rows' | 'actors' | 'timers';
export type Value = string | number | boolean | null;

export interface CopySink {
  /** What a table has of an account, by column. */
  of(table: Table, account: string): Promise<readonly Readonly<Record<string, Value>>[]>;
  /** What it has at one address. */
  at(table: Table, address: string): Promise<readonly Readonly<Record<string, Value>>[]>;
  begin(): Promise<void>;
  fill(table: Table, columns: readonly string[], rows: Iterable<readonly Value[]>): Promise<void>;
  /** Counts the actors and creates the indexes. */
  end(): Promise<void>;
}

const CACHE_KIB = 1_000_000;
const COUNTED = 'SELECT kind, state, chart, count(*) FROM actors GROUP BY kind, state, chart';

/** Writes into the database of a cluster that is down. A crash discards it. */
export async function withSqlite<T>(data: string, work: (sink: CopySink) => Promise<T>): Promise<T> {
  const db = new Database(join(data, 'troupe.db'), { fileMustExist: true });
  try {
    return await work(sqliteSink(db));
  } finally {
    db.close();
  }
}

function localOf(account: string): string {
  return account.slice('account:'.length);
}

function sqliteSink(db: Database.Database): CopySink {
  const read = (sql: string, value: string): readonly Readonly<Record<string, Value>>[] =>
    (db.prepare(sql).all(value) as Record<string, Value>[]).map(({ n: _, ...row }) => row);
  let indexes: readonly { readonly name: string; readonly sql: string }[] = [];
  return {
    of: async (table, account) => read(`SELECT * FROM ${table} WHERE address LIKE ?`, `%${localOf(account)}%`),
    at: async (table, address) => read(`SELECT * FROM ${table} WHERE address = ?`, address),
    async begin() {
      db.pragma('journal_mode = DELETE');
      db.pragma('journal_mode = OFF');
      db.pragma('synchronous = OFF');
      db.pragma(`cache_size = -${CACHE_KIB}`);
      indexes = db
        .prepare("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
        .all() as typeof indexes;
      for (const { name } of indexes) db.exec(`DROP INDEX ${name}`);
    },
    async fill(table, columns, rows) {
      const marks = columns.map(() => '?').join(', ');
      const insert = db.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks})`);
      db.exec('BEGIN');
      for (const row of rows) insert.run(...row);
      db.exec('COMMIT');
    },
    async end() {
      db.exec(`DELETE FROM actor_counts; INSERT INTO actor_counts ${COUNTED}`);
      for (const { sql } of indexes) db.exec(sql);
      db.pragma('journal_mode = WAL');
    },
  };
}

/** The same of a PostgreSQL database, whose role may change its tables. */
export async function withPostgres<T>(url: string, work: (sink: CopySink) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // Versions are bigints, which the driver reads as texts.
  const types = { getTypeParser: (oid: number) => (oid === 20 ? Number : pg.types.getTypeParser(oid)) };
  try {
    return await work(postgresSink(client, types as unknown as pg.CustomTypesConfig));
  } finally {
    await client.end();
  }
}

interface Definition {
  readonly name: string;
  readonly tablename: string;
  readonly definition: string;
  readonly primary: boolean;
}

function postgresSink(client: pg.Client, types: pg.CustomTypesConfig): CopySink {
  const read = async (text: string, value: string) => (await client.query({ text, values: [value], types })).rows;
  let indexes: readonly Definition[] = [];
  return {
    of: (table, account) => read(`SELECT * FROM ${table} WHERE address LIKE $1`, `%${localOf(account)}%`),
    at: (table, address) => read(`SELECT * FROM ${table} WHERE address = $1`, address),
    async begin() {
      const found = await client.query<Definition>(`SELECT c.relname AS name, t.relname AS tablename,
          i.indisprimary AS primary, coalesce(pg_get_constraintdef(k.oid), pg_get_indexdef(c.oid)) AS definition
        FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid JOIN pg_class AS t ON t.oid = i.indrelid
        LEFT JOIN pg_constraint AS k ON k.conindid = c.oid
        WHERE t.relname IN ('rows', 'actors', 'timers') AND t.relnamespace = 'public'::regnamespace`);
      indexes = found.rows;
      for (const { name, tablename, primary } of indexes)
        await client.query(primary ? `ALTER TABLE ${tablename} DROP CONSTRAINT ${name}` : `DROP INDEX ${name}`);
    },
    fill: (table, columns, rows) => copyIn(client, `COPY ${table} (${columns.join(', ')}) FROM STDIN`, rows),
    async end() {
      await client.query(`DELETE FROM actor_counts; INSERT INTO actor_counts (kind, state, chart, count, shard)
        ${COUNTED.replace('count(*)', 'count(*), shard')}, shard`);
      await client.query("SET maintenance_work_mem = '1GB'");
      for (const { name, tablename, primary, definition } of indexes)
        await client.query(primary ? `ALTER TABLE ${tablename} ADD CONSTRAINT ${name} ${definition}` : definition);
      await client.query('VACUUM (ANALYZE) rows, actors, timers, actor_counts');
    },
  };
}

const CHUNK_CHARS = 256 * 1024;
const SPECIAL = /[\\\n\r\t]/g;
const ESCAPED: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function lineOf(row: readonly Value[]): string {
  const fields = row.map((value) => {
    if (value === null) return '\\N';
    return typeof value === 'string' ? value.replace(SPECIAL, (one) => ESCAPED[one] as string) : String(value);
  });
  return `${fields.join('\t')}\n`;
}

/** What the driver passes of its connection to a query of ours, for the protocol of COPY. */
interface CopyConnection {
  readonly stream: Writable;
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** Sends the rows as fast as the server takes them. */
function copyIn(client: pg.Client, text: string, rows: Iterable<readonly Value[]>): Promise<void> {
  return new Promise((resolve, reject) => {
    const send = async (connection: CopyConnection): Promise<void> => {
      const { stream } = connection;
      let chunk = '';
      const flush = async (): Promise<void> => {
        connection.sendCopyFromChunk(Buffer.from(chunk));
        chunk = '';
        if (stream.writableNeedDrain) await once(stream, 'drain');
      };
      for (const row of rows) {
        chunk += lineOf(row);
        if (chunk.length >= CHUNK_CHARS) await flush();
      }
      await flush();
      connection.endCopyFrom();
    };
    client.query({
      submit: (connection: CopyConnection) => connection.query(text),
      handleCopyInResponse: (connection: CopyConnection) => void send(connection).catch(reject),
      handleCommandComplete: () => {},
      handleReadyForQuery: () => resolve(),
      handleError: (error: Error) => reject(error),
    } as unknown as pg.Submittable);
  });
}
