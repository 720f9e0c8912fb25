/**
 * The baseline of the writers benchmark: bare SQLite, configured as its manual recommends for several processes (WAL, a
 * busy timeout, its own checkpoint), with the same number of statements per transaction and no checks: `bare-writer
 * DATABASE NAME`.
 */
import Database from 'better-sqlite3';
import { commitLoop } from './commit-loop.ts';
import { ACTORS, ACTORS_PER_COMMIT, SNAPSHOT } from './commit-work.ts';

const [path = '', name = ''] = process.argv.slice(2);
const db = new Database(path, { timeout: 10_000 });
db.pragma('journal_mode=WAL');
db.pragma('synchronous=FULL');
db.exec('CREATE TABLE IF NOT EXISTS actors (id TEXT PRIMARY KEY, version INTEGER NOT NULL, snapshot TEXT NOT NULL)');
db.exec('CREATE TABLE IF NOT EXISTS rows (id TEXT PRIMARY KEY, body TEXT NOT NULL)');
const putActor = db.prepare(
  'INSERT INTO actors VALUES (?, 1, ?) ON CONFLICT (id) DO UPDATE SET version = version + 1, snapshot = excluded.snapshot',
);
const putRow = db.prepare('INSERT INTO rows VALUES (?, ?)');
let next = 0;

const commit = db.transaction((turn: number) => {
  for (let put = 0; put < ACTORS_PER_COMMIT; put++) {
    const at = next++ % ACTORS;
    putActor.run(`account:${name}-${at}`, SNAPSHOT);
    putRow.run(`${name}-${turn}-${at}`, `{"id":"${name}-${turn}-${at}"}`);
  }
});

const run = commitLoop(async (turn) => {
  commit.immediate(turn);
  // A server would read its socket here.
  await new Promise((resolve) => setImmediate(resolve));
});

process.on('message', (seconds: number) => void run(seconds).then((took) => process.send?.(took)));
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
