import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { postgresServer } from './server.ts';

/** An empty database for one test. */
export interface TestDatabase {
  readonly url: string;
  /** Runs one or several statements over their own connection. */
  run(sql: string): Promise<readonly Record<string, unknown>[]>;
  /** Creates the database of the sealing keys that nodes expect beside this one. Resolves with itself. */
  withKeys(): Promise<TestDatabase>;
  drop(): Promise<void>;
}

/** Creates a database on the server of this process, or on the one at `url`. */
export async function openDatabase(url?: string): Promise<TestDatabase> {
  const server = url ?? (await postgresServer()).url;
  const name = `troupe_${randomBytes(8).toString('hex')}`;
  await execute(server, `CREATE DATABASE ${name}`);
  const own = new URL(server);
  own.pathname = `/${name}`;
  const database: TestDatabase = {
    url: own.href,
    run: (sql) => execute(own.href, sql),
    withKeys: async () => {
      await execute(server, `CREATE DATABASE ${name}_keys`);
      return database;
    },
    drop: async () => {
      for (const each of [name, `${name}_keys`]) await execute(server, `DROP DATABASE IF EXISTS ${each} WITH (FORCE)`);
    },
  };
  return database;
}

async function execute(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    const result: pg.QueryResult | pg.QueryResult[] = await client.query(sql);
    return [result].flat().at(-1)?.rows ?? [];
  } finally {
    await client.end().catch(() => {});
  }
}
