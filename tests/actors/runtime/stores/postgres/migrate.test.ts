import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { UnfitDatabase } from '../../../../../actors/runtime/stores/migration.ts';
import { connect } from '../../../../../actors/runtime/stores/postgres/connect.ts';
import { migrate, migrations } from '../../../../../actors/runtime/stores/postgres/migrate.ts';
import { openPostgresStore } from '../../../../../actors/runtime/stores/postgres/open-postgres-store.ts';
import { systemClock, systemRandom } from '../../../../../actors/runtime/system/clock.ts';
import { SHARDS } from '../../../../contracts/store/records.ts';
import { bounded } from '../../../../support/bounded.ts';
import { refusalLine } from '../../../../support/failure-of.ts';
import { testBounds } from '../../../../support/postgres/bounds.ts';
import { openDatabase, type TestDatabase } from '../../../../support/postgres/database.ts';

const it = bounded(test);
const FIRST = '-- compatible: one\nCREATE TABLE one (n INTEGER);';
const SECOND = '-- breaking: two\nCREATE TABLE two (n INTEGER); INSERT INTO one VALUES (2);';

type Apply = (steps: string[]) => Promise<readonly number[]>;

async function withDatabase(run: (database: TestDatabase, apply: Apply) => Promise<void>): Promise<void> {
  const database = await openDatabase();
  const client = await connect({ url: database.url, bounds: testBounds, applicationName: 'test' });
  try {
    await run(database, (steps) => migrate(client, { database: 'the-database', shards: null, steps }));
  } finally {
    await client.end();
    await database.drop();
  }
}

const optionsFor = (url: string, shards = SHARDS) => ({
  ...{ url, shards, clock: systemClock, random: systemRandom, bounds: testBounds },
});

it('every migration of this build declares whether it is breaking or compatible', () => {
  for (const sql of migrations) assert.match(sql.split('\n')[0] ?? '', /^-- (breaking|compatible): \S/);
});

it('steps are applied once, in order, and only the missing ones', () =>
  withDatabase(async (database, apply) => {
    assert.equal(await apply([FIRST]), [1]);
    assert.equal(await apply([FIRST]), []);
    assert.equal(await apply([FIRST, SECOND]), [2]);
    assert.equal(await apply([FIRST, SECOND]), []);
    assert.equal(await database.run('SELECT n FROM one'), [{ n: 2 }]);
    assert.equal(await database.run('SELECT number, effect FROM migrations ORDER BY number'), [
      { number: 1, effect: 'compatible' },
      { number: 2, effect: 'breaking' },
    ]);
  }));

it('a build without a breaking step refuses in one line, one without a compatible step continues', () =>
  withDatabase(async (_, apply) => {
    await apply([FIRST, SECOND]);
    const error = await apply([FIRST]).catch((reason: unknown) => reason);
    assert.instance(error, UnfitDatabase);
    assert.match(
      (error as Error).message,
      /^the database the-database was changed by a newer version \(step 2, this version has 1\)/,
    );
    await apply([FIRST, SECOND, '-- compatible: three\nCREATE TABLE three (n INTEGER);']);
    assert.equal(await apply([FIRST, SECOND]), []);
  }));

it('a failing step leaves no change, nor do the steps before it in that run', () =>
  withDatabase(async (database, apply) => {
    const broken = '-- compatible: broken\nCREATE TABLE half (n INTEGER); INSERT INTO missing VALUES (1);';
    assert.match(await refusalLine(apply([FIRST, broken])), /missing/);
    assert.equal(await database.run("SELECT relname FROM pg_class WHERE relname IN ('one', 'half', 'migrations')"), []);
    assert.equal(await apply([FIRST, SECOND]), [1, 2]);
  }));

it('any number of nodes can start at once on an empty database', async () => {
  const database = await openDatabase();
  try {
    const stores = await Promise.all(Array.from({ length: 6 }, () => openPostgresStore(optionsFor(database.url))));
    for (const store of stores) assert.is((await store.shards()).length, SHARDS);
    await Promise.all(stores.map((store) => store.close()));
    const [count] = await database.run('SELECT count(*)::integer AS n FROM migrations');
    assert.is(count?.n, migrations.length);
  } finally {
    await database.drop();
  }
});

it('a node that cannot start reports the reason in one line and never shows the password', async () => {
  const database = await openDatabase();
  try {
    const store = await openPostgresStore(optionsFor(database.url));
    await store.close();
    assert.match(
      await refusalLine(openPostgresStore(optionsFor(database.url, SHARDS + 1))),
      /created with 16 shards.*says 17/,
    );
    const url = new URL(database.url);
    const { password } = url;
    url.pathname = '/no_such_database';
    const missing = await refusalLine(openPostgresStore(optionsFor(url.href)));
    assert.match(missing, /does not exist/);
    assert.ok(!password || !missing.includes(password));
    url.port = '1';
    assert.match(
      await refusalLine(openPostgresStore(optionsFor(url.href))),
      /cannot open the database .*is the server running/,
    );
    await database.run("INSERT INTO migrations VALUES (99, 'breaking')");
    assert.match(await refusalLine(openPostgresStore(optionsFor(database.url))), /newer version \(step 99/);
  } finally {
    await database.drop();
  }
});

test.run();
