/** An installation of each store, for tests of what opens a store by its configuration. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Store } from '../../../actors/runtime/ports/store.ts';
import { openPostgresStore } from '../../../actors/runtime/stores/postgres/open-postgres-store.ts';
import { openSqliteStore } from '../../../actors/runtime/stores/sqlite/open-sqlite-store.ts';
import type { StoreChoice } from '../../../actors/runtime/stores/store-choice.ts';
import { systemClock, systemRandom } from '../../../actors/runtime/system/clock.ts';
import { testBounds } from '../../support/postgres/bounds.ts';
import { openDatabase } from '../../support/postgres/database.ts';
import { SHARDS } from './records.ts';

const ports = { shards: SHARDS, clock: systemClock, random: systemRandom };

/** One empty store that tools can open beside its nodes. */
export interface Installation {
  readonly choice: StoreChoice;
  open(): Promise<Store>;
  /** Writes directly to the database. */
  run(sql: string): Promise<void>;
  close(): Promise<void>;
}

/** By the name of the store. */
export const installations: Readonly<Record<string, () => Promise<Installation>>> = {
  async sqlite() {
    const folder = mkdtempSync(join(tmpdir(), 'troupe-reader-'));
    const path = join(folder, 'troupe.db');
    return {
      choice: { kind: 'sqlite', path, busyMs: 1_000, ballastBytes: 0 },
      open: () => openSqliteStore({ ...ports, path, busyBoundMs: 2_000 }),
      async run(sql) {
        const db = new Database(path);
        db.exec(sql);
        db.close();
      },
      close: async () => rmSync(folder, { recursive: true }),
    };
  },
  async postgres() {
    const { url, run, drop } = await openDatabase();
    return {
      choice: { kind: 'postgres', url, keys: { url: 'postgres://unused', unsetVariable: null }, bounds: testBounds },
      open: () => openPostgresStore({ ...ports, url, bounds: testBounds }),
      run: async (sql) => void (await run(sql)),
      close: drop,
    };
  },
};
