/** Histories on PostgreSQL: the same rebuild as on SQLite. */
import { test } from 'uvu';
import { openPostgresStore } from '../../../../../actors/runtime/stores/postgres/open-postgres-store.ts';
import { systemClock, systemRandom } from '../../../../../actors/runtime/system/clock.ts';
import { bounded } from '../../../../support/bounded.ts';
import { testBounds } from '../../../../support/postgres/bounds.ts';
import { openDatabase } from '../../../../support/postgres/database.ts';
import { SHARDS } from '../stage.ts';
import { rebuildsTo, runDiary } from './diary-run.ts';

const it = bounded(test, 600_000);
const STEPS = Number(process.env.HISTORY_STEPS ?? 2_000);

it(`every state of ${STEPS} steps is rebuilt from PostgreSQL, across takeovers (rule N44)`, async () => {
  const database = await openDatabase();
  const options = { url: database.url, shards: SHARDS, clock: systemClock, random: systemRandom, bounds: testBounds };
  const store = await openPostgresStore(options);
  try {
    await rebuildsTo(store, await runDiary(store, { steps: STEPS, owners: 3, seed: 11 }));
  } finally {
    await store.close();
    await database.drop();
  }
});

test.run();
