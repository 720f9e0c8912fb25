/** Backup and restore: no epoch or birth given out since the copy is given out again. Both stores. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import pg from 'pg';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { MaintenanceRefused } from '../../../../actors/runtime/stores/maintenance.ts';
import { maintenanceOf } from '../../../../actors/runtime/stores/open/maintenance.ts';
import { type OpenedStore, openStore } from '../../../../actors/runtime/stores/open/store.ts';
import type { StoreChoice } from '../../../../actors/runtime/stores/store-choice.ts';
import { systemClock, systemRandom } from '../../../../actors/runtime/system/clock.ts';
import { actor, node, SHARDS, write } from '../../../contracts/store/records.ts';
import { bounded } from '../../../support/bounded.ts';
import { refusalLine } from '../../../support/failure-of.ts';
import { testBounds } from '../../../support/postgres/bounds.ts';
import { openDatabase } from '../../../support/postgres/database.ts';

const it = bounded(test);

/** One kind of store, and how an operator without our tools copies and restores it. */
interface Installation {
  readonly choice: StoreChoice;
  readonly folder: string;
  copyByHand(): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

const kinds: Readonly<Record<string, () => Promise<Installation>>> = {
  async sqlite() {
    const folder = mkdtempSync(join(tmpdir(), 'troupe-maintenance-'));
    const path = join(folder, 'troupe.db');
    return {
      choice: { kind: 'sqlite', path, busyMs: 1_000, ballastBytes: 0 },
      folder,
      async copyByHand() {
        const copy = join(folder, 'by-hand.db');
        const db = new Database(path);
        await db.backup(copy);
        db.close();
        return async () => {
          const from = new Database(copy);
          for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
          await from.backup(path);
          from.close();
        };
      },
      close: async () => rmSync(folder, { recursive: true }),
    };
  },
  async postgres() {
    const folder = mkdtempSync(join(tmpdir(), 'troupe-maintenance-'));
    const database = await openDatabase();
    return {
      choice: {
        kind: 'postgres',
        url: database.url,
        keys: { url: 'postgres://unused', unsetVariable: null },
        bounds: testBounds,
      },
      folder,
      async copyByHand() {
        const tables = [
          ...['actors', 'actor_counts', 'rows', 'timers', 'nodes', 'shards', 'cluster_events'],
          ...['settings', 'counters'],
        ];
        for (const table of tables) await database.run(`CREATE TABLE copy_of_${table} AS TABLE ${table}`);
        return async () => {
          const client = new pg.Client({ connectionString: database.url });
          await client.connect();
          await client.query(
            tables.map((each) => `TRUNCATE ${each}; INSERT INTO ${each} TABLE copy_of_${each}`).join(';'),
          );
          await client.end();
        };
      },
      async close() {
        await database.drop();
        rmSync(folder, { recursive: true });
      },
    };
  },
};

const upkeepIn = ({ choice, folder }: Installation) =>
  maintenanceOf(choice, {
    ...{ shards: SHARDS, clock: systemClock, random: systemRandom },
    beatMs: 50,
    marks: join(folder, 'marks'),
  });

const open = ({ choice, folder }: Installation): Promise<OpenedStore> =>
  openStore({
    ...{
      choice,
      shards: SHARDS,
      clock: systemClock,
      random: systemRandom,
      onFatal: () => {},
      onFull: () => {},
      onUnmarked: () => {},
    },
    marks: { folder: join(folder, 'marks'), node: 'n1' },
  });

/** One incarnation of node n1: claims shard 7 and writes the account's next versions. */
async function live(store: OpenedStore, incarnation: string, steps: number) {
  const { birth } = await store.register(node('n1', incarnation));
  await store.heartbeat({ incarnation, reaches: [], state: 'up' });
  const [seen] = (await store.shards()).filter(({ shard }) => shard === 7);
  const [taken] = seen ? await store.claim(incarnation, [seen]) : [];
  if (!taken) throw new Error(`${incarnation} did not get its shard`);
  for (let step = 0; step < steps; step++) {
    const expected = (await store.loadActor('account:a'))?.actor.version ?? 0;
    const record = actor('account:a', expected + 1);
    const [verdict] = await store.commit([
      write({ owner: incarnation, epoch: taken.epoch }, { actors: [{ record, expected }] }),
    ]);
    assert.is(verdict?.committed, true);
  }
  const version = (await store.loadActor('account:a'))?.actor.version ?? 0;
  return { birth, epoch: taken.epoch, version };
}

for (const [name, make] of Object.entries(kinds)) {
  const within = (title: string, run: (installation: Installation) => Promise<void>): void =>
    it(`${name}: ${title}`, async () => {
      const installation = await make();
      try {
        await run(installation);
      } finally {
        await installation.close();
      }
    });

  within('a copy restored by hand is refused at boot, with a one-line remedy', async (installation) => {
    const before = await open(installation);
    await live(before, 'i1', 3);
    const putBack = await installation.copyByHand();
    const later = await live(before, 'i2', 5);
    await before.close();
    await putBack();
    assert.match(await refusalLine(open(installation)), /older than this data folder.*`troupe restore`/);
    await (await upkeepIn(installation)).markRestored();
    const after = await open(installation);
    const again = await live(after, 'i3', 1);
    assert.ok(again.birth > later.birth && again.epoch > later.epoch);
    await after.close();
  });

  within('restoring the same copy twice repeats no epoch or birth of the time between', async (installation) => {
    const before = await open(installation);
    await live(before, 'i1', 2);
    const putBack = await installation.copyByHand();
    await before.close();
    let last = { birth: 0, epoch: 0 };
    for (const incarnation of ['i2', 'i3', 'i4']) {
      await putBack();
      await (await upkeepIn(installation)).markRestored();
      const store = await open(installation);
      const now = await live(store, incarnation, 2);
      await store.close();
      assert.ok(now.birth > last.birth && now.epoch > last.epoch, incarnation);
      last = now;
    }
  });

  within('a node that is still running when its database is restored writes nothing more', async (installation) => {
    const store = await open(installation);
    const { epoch, version } = await live(store, 'i1', 2);
    await (await upkeepIn(installation)).markRestored();
    const record = actor('account:a', version + 1);
    const late = await store.commit([write({ owner: 'i1', epoch }, { actors: [{ record, expected: version }] })]);
    assert.equal(late, [{ shard: 7, committed: false, reason: 'fence' }]);
    await store.close();
  });

  within('a database with a live node is not changed', async (installation) => {
    const store = await open(installation);
    await live(store, 'i1', 1);
    let running = true;
    const beating = (async () => {
      while (running) {
        await store.heartbeat({ incarnation: 'i1', reaches: [], state: 'up' });
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    })();
    const error = await (await upkeepIn(installation)).markRestored().catch((reason: unknown) => reason);
    running = false;
    await beating;
    assert.instance(error, MaintenanceRefused);
    assert.match((error as Error).message, /nodes run on the database .*stop the cluster first/);
    await store.close();
  });

  within('migrate returns the applied steps, and then none', async (installation) => {
    const maintenance = await upkeepIn(installation);
    if (installation.choice.kind === 'sqlite') {
      assert.match(
        await refusalLine(maintenance.migrate()),
        /^there is no file .*troupe\.db: there is nothing to migrate$/,
      );
      assert.not(existsSync(installation.choice.path), 'a mistyped folder stays without a database');
      writeFileSync(installation.choice.path, '');
    }
    assert.ok((await maintenance.migrate()).length > 0);
    assert.equal(await maintenance.migrate(), []);
    await (await open(installation)).close();
  });
}

it('sqlite: a backup is taken while nodes write, whole, and put back over the database only by force', async () => {
  const installation = await (kinds.sqlite as () => Promise<Installation>)();
  const maintenance = await upkeepIn(installation);
  const copy = join(installation.folder, 'copies', 'one.db');
  mkdirSync(dirname(copy));
  const elsewhere = join(installation.folder, 'copeis', 'one.db');
  const store = await open(installation);
  const then = await live(store, 'i1', 3);
  await maintenance.file?.backup(copy);
  assert.match(
    await refusalLine(maintenance.file?.backup(elsewhere) as Promise<unknown>),
    /there is no folder .*copeis: make/,
  );
  assert.not(existsSync(dirname(elsewhere)));
  assert.match(await refusalLine(maintenance.file?.backup(copy) as Promise<unknown>), /one\.db exists/);
  const later = await live(store, 'i2', 4);
  await store.close();
  assert.match(await refusalLine(maintenance.file?.restore(copy, false) as Promise<unknown>), /exists.*--force/);
  const restored = await maintenance.file?.restore(copy, true);
  assert.ok(restored && restored.jump > 1_000_000 && existsSync(restored.kept as string));
  const again = await open(installation);
  assert.is((await again.loadActor('account:a'))?.actor.version, then.version);
  const now = await live(again, 'i3', 1);
  assert.ok(now.birth > later.birth && now.epoch > later.epoch);
  await again.close();
  writeFileSync(join(installation.folder, 'text'), 'no database');
  assert.match(
    await refusalLine(maintenance.file?.restore(join(installation.folder, 'text'), true) as Promise<unknown>),
    /no intact database/,
  );
  assert.match(
    await refusalLine(maintenance.file?.restore(join(installation.folder, 'none'), true) as Promise<unknown>),
    /there is no file/,
  );
  await installation.close();
});

test.run();
