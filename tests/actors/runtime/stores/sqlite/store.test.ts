/** The SQLite store meets the contract of the Store port: two connections to one file, emptied between clauses. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import { connect } from '../../../../../actors/runtime/stores/sqlite/connect.ts';
import { openSqliteStore } from '../../../../../actors/runtime/stores/sqlite/open-sqlite-store.ts';
import { systemClock, systemRandom } from '../../../../../actors/runtime/system/clock.ts';
import { SHARDS } from '../../../../contracts/store/records.ts';
import { storeContract } from '../../../../contracts/store.contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'troupe-store-'));
const path = join(folder, 'data', 'troupe.db');
const options = { path, shards: SHARDS, clock: systemClock, random: systemRandom, busyBoundMs: 2_000 };
const [store, other] = await Promise.all([openSqliteStore(options), openSqliteStore(options)]);
const cleaner = connect(path, 'write');
// The stores' threads can be checkpointing now; only this connection uses SQLite's own wait.
cleaner.pragma('busy_timeout = 5000');

function clean(): void {
  cleaner.exec(`BEGIN IMMEDIATE;
    DELETE FROM actors; DELETE FROM rows; DELETE FROM timers; DELETE FROM nodes;
    DELETE FROM actor_counts; DELETE FROM cluster_events;
    DELETE FROM settings WHERE name <> 'shards';
    UPDATE shards SET owner = NULL, epoch = 0; UPDATE counters SET value = 1;
    COMMIT`);
}

storeContract('sqlite', async () => {
  clean();
  const nextEvent = async (n: number): Promise<void> =>
    void cleaner
      .prepare("INSERT INTO cluster_events (n, at, began_at, type, node, incarnation) VALUES (?, 0, 0, 'left', '', '')")
      .run(n - 1);
  return { store, reopen: async () => ({ ...other, close: async () => {} }), close: async () => {}, nextEvent };
});

test.after(async () => {
  cleaner.close();
  await Promise.all([store.close(), other.close()]);
  rmSync(folder, { recursive: true });
});

test.run();
