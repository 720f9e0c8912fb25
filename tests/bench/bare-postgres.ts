import pg from 'pg';
import { serveBarePurses } from './bare-purses.ts';

/**
 * The baseline of the durable ask on PostgreSQL: bare purses over one connection, one statement for the debits queued
 * during the previous one. `bare-postgres URL` prints `{"port":N}`.
 */
const db = new pg.Client({ connectionString: process.argv[2] ?? '' });
await db.connect();
await db.query('CREATE TABLE purses (id text COLLATE "C" PRIMARY KEY, snapshot text NOT NULL) WITH (fillfactor = 60)');
const WRITE = {
  name: 'write',
  text: `INSERT INTO purses SELECT * FROM unnest($1::text[], $2::text[])
    ON CONFLICT (id) DO UPDATE SET snapshot = excluded.snapshot`,
};

serveBarePurses(async (ids, snapshots) => {
  await db.query({ ...WRITE, values: [ids, snapshots] });
});
