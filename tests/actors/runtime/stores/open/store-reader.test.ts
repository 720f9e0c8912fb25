/** Tools read beside the nodes: they see committed data and change nothing. Both stores. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { UnfitDatabase } from '../../../../../actors/runtime/stores/migration.ts';
import { openStoreReader } from '../../../../../actors/runtime/stores/open/store-reader.ts';
import { openPostgresReader } from '../../../../../actors/runtime/stores/postgres/reader.ts';
import type { StoreChoice } from '../../../../../actors/runtime/stores/store-choice.ts';
import { systemClock, systemRandom } from '../../../../../actors/runtime/system/clock.ts';
import { type Installation, installations } from '../../../../contracts/store/installations.ts';
import { actor, own, SHARDS, write } from '../../../../contracts/store/records.ts';
import { bounded } from '../../../../support/bounded.ts';
import { testBounds } from '../../../../support/postgres/bounds.ts';

const it = bounded(test);
const _ports = { shards: SHARDS, clock: systemClock, random: systemRandom };

const failure = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => {
      throw new Error('it did not fail');
    },
    (error: unknown) => error as Error,
  );

for (const [name, build] of Object.entries(installations)) {
  it(`${name}: sees each commit of a running node, and returns what the node returns`, async () => {
    const installation = await build();
    const store = await installation.open();
    const fence = await own(store, 'i1', [7]);
    const reader = await openStoreReader(installation.choice);
    assert.equal(await reader.states(), []);
    await store.commit([write(fence, { actors: [{ record: actor('account:a', 1), expected: 0 }] })]);
    await store.commit([write(fence, { actors: [{ record: actor('account:b', 1), expected: 0 }] })]);
    assert.is((await reader.actorCounts())[0]?.count, 2);
    assert.equal(await reader.actorCounts(), await store.actorCounts());
    assert.equal(await reader.states(), await store.states());
    assert.equal(await reader.loadActor('account:a'), await store.loadActor('account:a'));
    assert.is(await reader.loadActor('account:none'), null);
    await reader.close();
    await store.close();
    await installation.close();
  });

  it(`${name}: refuses a database with a breaking change of a newer build, and no other`, async () => {
    const installation = await build();
    await (await installation.open()).close();
    await installation.run("INSERT INTO migrations (number, effect) VALUES (98, 'compatible')");
    await (await openStoreReader(installation.choice)).close();
    await installation.run("INSERT INTO migrations (number, effect) VALUES (99, 'breaking')");
    const error = await failure(openStoreReader(installation.choice));
    assert.instance(error, UnfitDatabase);
    assert.match(error.message, /was changed by a newer version \(step 99, this version has \d\): start that version$/);
    await installation.close();
  });
}

it('postgres: the server refuses every change on its connection, and an empty database stays empty', async () => {
  const installation = await (installations.postgres as () => Promise<Installation>)();
  const empty = await failure(openStoreReader(installation.choice));
  assert.match(empty.message, /holds no cluster yet: is it the right one\?$/);
  const { url } = installation.choice as Extract<StoreChoice, { kind: 'postgres' }>;
  await installation.run('CREATE TABLE migrations (number integer, effect text)');
  // A query that an older schema lacks reports that itself; the server refuses a function that writes.
  const reader = await openPostgresReader({
    kind: 'postgres',
    url,
    keys: { url: 'postgres://unused', unsetVariable: null },
    bounds: testBounds,
  });
  const older = await failure(reader.states());
  assert.instance(older, UnfitDatabase);
  assert.match(older.message, /has an older schema \(.*\): run `troupe migrate` of this version first$/);
  await installation.run(`CREATE TABLE actors (kind text, chart integer, snapshot text, address text);
    INSERT INTO actors VALUES ('account', 1, '{}', 'account:a');
    CREATE FUNCTION state_value_1(snapshot text) RETURNS text LANGUAGE plpgsql AS $$
    BEGIN DELETE FROM actors; RETURN ''; END $$`);
  const refused = await failure(reader.states());
  assert.match(refused.message, /did not answer: cannot execute DELETE in a read-only transaction$/);
  await reader.close();
  await installation.close();
});

test.run();
