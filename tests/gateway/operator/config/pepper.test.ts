/** The pepper of a data folder and the fingerprint in the database. Both stores. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type Clock,
  type Maintenance,
  maintenanceOf,
  type StoreChoice,
  systemClock,
  systemRandom,
} from '../../../../actors/runtime/index.ts';
import { type OpenedStore, openStore } from '../../../../actors/runtime/stores/open/store.ts';
import { acceptPepper, fingerprintOf, openSecretsFor, pepperFit } from '../../../../gateway/operator/config/pepper.ts';
import { bounded } from '../../../support/bounded.ts';
import { testBounds } from '../../../support/postgres/bounds.ts';
import { openDatabase } from '../../../support/postgres/database.ts';

const it = bounded(test, 60_000);
const SHARDS = 8;
const ports = { shards: SHARDS, clock: systemClock, random: systemRandom };

interface Place {
  readonly data: string;
  readonly store: OpenedStore;
  readonly maintenance: Maintenance;
  readonly choice: StoreChoice;
}

const open = async (folder: string, choice: StoreChoice): Promise<Place> => ({
  data: folder,
  choice,
  store: await openStore({
    ...{ choice, ...ports, onFatal: () => {}, onFull: () => {}, onUnmarked: () => {} },
    marks: { folder: join(folder, 'marks'), node: 'n1' },
  }),
  maintenance: await maintenanceOf(choice, { ...ports, beatMs: 20, marks: join(folder, 'marks') }),
});

const start = ({ data, store, maintenance }: Place) =>
  openSecretsFor(store, { data, maintenance: async () => maintenance, random: systemRandom });

const refusal = (place: Place): Promise<string> =>
  start(place).then(
    () => 'started',
    (error: Error) => error.message,
  );

async function inPlaces(kind: string, run: (place: Place) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-pepper-'));
  const database = kind === 'postgres' ? await openDatabase() : null;
  const choice: StoreChoice = database
    ? {
        kind: 'postgres',
        url: database.url,
        keys: { url: 'postgres://unused', unsetVariable: null },
        bounds: testBounds,
      }
    : { kind: 'sqlite', path: join(folder, 'troupe.db'), busyMs: 1_000, ballastBytes: 0 };
  const place = await open(folder, choice);
  try {
    await run(place);
  } finally {
    await place.store.close();
    await database?.drop();
    rmSync(folder, { recursive: true });
  }
}

for (const kind of ['sqlite', 'postgres']) {
  it(`${kind}: nodes that start at once on a new folder agree on one pepper, which the database remembers`, () =>
    inPlaces(kind, async (place) => {
      assert.is(await place.maintenance.setting('pepper'), null);
      const all = await Promise.all(Array.from({ length: 4 }, () => start(place)));
      for (const one of all) assert.equal(one, all[0]);
      assert.is(await place.maintenance.setting('pepper'), fingerprintOf(all[0]?.pepper ?? new Uint8Array()));
      assert.is(await pepperFit(place.data, place.maintenance), 'matches');
      assert.equal(await start(place), all[0]);
    }));

  it(`${kind}: without the pepper, or with another, no node starts and none is made, until all keys are void`, () =>
    inPlaces(kind, async (place) => {
      const { pepper } = await start(place);
      const file = join(place.data, 'secrets', 'pepper');
      const kept = readFileSync(file);
      rmSync(file);
      assert.is(await pepperFit(place.data, place.maintenance), 'missing');
      assert.match(await refusal(place), /secrets\/pepper is missing, .*copy the folder .*--new-pepper, which voids/);
      assert.is(existsSync(file), false);
      writeFileSync(file, `${'ab'.repeat(32)}\n`);
      assert.is(await pepperFit(place.data, place.maintenance), 'differs');
      assert.match(await refusal(place), /secrets\/pepper is not the pepper .*copy the folder .*--new-pepper/);
      writeFileSync(file, kept);
      assert.equal((await start(place)).pepper, pepper);
      assert.is(await acceptPepper(place.data, place.maintenance, systemRandom), false);
      rmSync(file);
      assert.is(await acceptPepper(place.data, place.maintenance, systemRandom), true);
      assert.is.not(Buffer.compare((await start(place)).pepper, pepper), 0);
    }));

  it(`${kind}: keys are voided only while no node runs`, () =>
    inPlaces(kind, async (place) => {
      const { data, store, maintenance } = place;
      await start(place);
      const node = { name: 'n1', incarnation: 'i1', address: '', operatorUrl: '', pid: 1, host: 'h' };
      await store.register(node);
      rmSync(join(data, 'secrets', 'pepper'));
      const refused = await acceptPepper(data, await beside(place), systemRandom).catch(
        (error: Error) => error.message,
      );
      assert.match(String(refused), /nodes run on the database .*: stop the cluster first/);
      assert.is(await pepperFit(data, maintenance), 'differs');
    }));
}

/** Maintenance whose waiting time ends with a heartbeat of the running node. */
function beside({ choice, data, store }: Place): Promise<Place['maintenance']> {
  const after: Clock['after'] = (_, run) => {
    void store.heartbeat({ incarnation: 'i1', reaches: [], state: 'up' }).then(run);
    return () => {};
  };
  const clock = { ...systemClock, after };
  return maintenanceOf(choice, { ...ports, clock, beatMs: 20, marks: join(data, 'marks') });
}

function _writeSecrets(data: string): void {
  mkdirSync(join(data, 'secrets'));
  for (const name of ['pepper', 'operator-token', 'cluster-secret']) {
    writeFileSync(join(data, 'secrets', name), `${'cd'.repeat(32)}\n`, { mode: 0o600 });
  }
}

test.run();
