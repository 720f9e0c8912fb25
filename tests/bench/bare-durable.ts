import Database from 'better-sqlite3';
import { serveBarePurses } from './bare-purses.ts';

/**
 * The baseline of the durable ask: bare purses over SQLite, one transaction per turn of the event loop
 * (`synchronous=FULL`). `bare-durable DATABASE` prints `{"port":N}`.
 */
const db = new Database(process.argv[2] ?? '');
db.pragma('journal_mode=WAL');
db.pragma('synchronous=FULL');
db.exec('CREATE TABLE purses (id TEXT PRIMARY KEY, snapshot TEXT NOT NULL) WITHOUT ROWID');
const write = db.prepare(
  'INSERT INTO purses VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET snapshot = excluded.snapshot',
);

serveBarePurses(
  db.transaction((ids: readonly string[], snapshots: readonly string[]) => {
    ids.forEach((id, i) => {
      write.run(id, snapshots[i]);
    });
  }),
);
