/** The error of a failed commit: refused only when the commit certainly did not happen. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Store, StoreOutcomeUnknown, StoreRefused } from '../../../../../actors/runtime/ports/store.ts';
import { actor, write } from '../../../../contracts/store/records.ts';
import { bounded } from '../../../../support/bounded.ts';
import { type CutLink, openCutLink } from '../../../../support/postgres/cut-link.ts';
import { startPostgres } from '../../../../support/postgres/server.ts';
import { type Scene, withStores } from './with-stores.ts';

const it = bounded(test);

function commit(store: Store, fence: Scene['fence'], version: number) {
  return store.commit([write(fence, { actors: [{ record: actor('account:a', version), expected: version - 1 }] })]);
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => null,
    (error: unknown) => error,
  );
}

async function stored(store: Store): Promise<number> {
  return (await store.loadActor('account:a'))?.actor.version ?? 0;
}

async function holding(database: Scene['database'], sql: string, run: () => Promise<void>): Promise<void> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: database.url });
  client.on('error', () => {});
  await client.connect();
  await client.query(`BEGIN; ${sql}`);
  try {
    await run();
  } finally {
    await client.end();
  }
}

it('a lock that is never released is waited for within its bound, then the commit is refused as busy', () =>
  withStores(async ({ database, store, fence }) => {
    await holding(database, 'SELECT 1 FROM shards WHERE shard = 7 FOR UPDATE', async () => {
      const error = await failureOf(commit(store, fence, 1));
      assert.instance(error, StoreRefused);
      assert.is((error as StoreRefused).reason, 'busy');
    });
    assert.is(await stored(store), 0);
    assert.equal(await commit(store, fence, 1), [{ shard: 7, committed: true }]);
  }));

it('the server ends a transaction left open by a stalled process, which frees its lock', () =>
  withStores(
    async ({ database, store, fence }) => {
      const { default: pg } = await import('pg');
      const stopped = new pg.Client({ connectionString: database.url });
      stopped.on('error', () => {});
      await stopped.connect();
      await stopped.query(`SET idle_in_transaction_session_timeout = ${300}`);
      await stopped.query('BEGIN; SELECT 1 FROM shards WHERE shard = 7 FOR UPDATE');
      assert.equal(await commit(store, fence, 1), [{ shard: 7, committed: true }]);
      await stopped.end().catch(() => {});
    },
    { bounds: { lockMs: 1_500 } },
  ));

it('every connection of a store bounds its waits, its calls and the transactions it leaves open', () =>
  withStores(async ({ database }) => {
    const { connect } = await import('../../../../../actors/runtime/stores/postgres/connect.ts');
    const { testBounds } = await import('../../../../support/postgres/bounds.ts');
    const client = await connect({ url: database.url, bounds: testBounds, applicationName: 'test' });
    const value = async (name: string) => (await client.query(`SHOW ${name}`)).rows[0]?.[name];
    assert.is(await value('lock_timeout'), '1s');
    assert.is(await value('statement_timeout'), '2s');
    assert.is(await value('idle_in_transaction_session_timeout'), '1s');
    assert.is(await value('synchronous_commit'), 'on');
    await client.end();
  }));

it('deadlocks and conflicts are retried within a bound, then refused as busy', () =>
  withStores(async ({ database, store, fence }) => {
    // The first attempts fail as on a real server; a sequence counts across rolled-back transactions.
    await database.run(`CREATE SEQUENCE tries; CREATE FUNCTION stumble() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF nextval('tries') <= 3 THEN RAISE EXCEPTION 'stumbled' USING ERRCODE = '40P01'; END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER stumble BEFORE INSERT OR UPDATE ON actors FOR EACH ROW EXECUTE FUNCTION stumble()`);
    assert.equal(await commit(store, fence, 1), [{ shard: 7, committed: true }]);
    await database.run(
      "ALTER SEQUENCE tries RESTART; CREATE OR REPLACE FUNCTION stumble() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM nextval('tries'); RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$",
    );
    const error = await failureOf(commit(store, fence, 2));
    assert.instance(error, StoreRefused);
    assert.is((error as StoreRefused).reason, 'busy');
    const [row] = await database.run('SELECT last_value::integer AS tries FROM tries');
    assert.is(row?.tries, 5);
    assert.is(await stored(store), 1);
  }));

it('a full disk and a read-only database are refusals, each with its reason', () =>
  withStores(async ({ database, store, fence }) => {
    const raise = (code: string) =>
      database.run(`CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '${code}'; END $$;
        CREATE OR REPLACE TRIGGER refuse BEFORE INSERT OR UPDATE ON actors FOR EACH ROW EXECUTE FUNCTION refuse()`);
    for (const [code, reason] of [
      ['53100', 'full'],
      ['25006', 'unreachable'],
      ['57014', 'busy'],
    ] as const) {
      await raise(code);
      const error = await failureOf(commit(store, fence, 1));
      assert.instance(error, StoreRefused);
      assert.is((error as StoreRefused).reason, reason);
    }
    await database.run('DROP TRIGGER refuse ON actors');
    assert.equal(await commit(store, fence, 1), [{ shard: 7, committed: true }]);
  }));

it('a connection terminated during a commit makes its outcome unknown; the next commit opens a new one', () =>
  withStores(async ({ database, store, fence }) => {
    await commit(store, fence, 1);
    await holding(database, 'SELECT 1 FROM shards WHERE shard = 7 FOR UPDATE', async () => {
      const waiting = failureOf(commit(store, fence, 2));
      for (let waits = 0; waits === 0; ) {
        const rows = await database.run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'`);
        waits = rows.length;
      }
      assert.instance(await waiting, StoreOutcomeUnknown);
    });
    assert.is(await stored(store), 1);
    assert.equal(await commit(store, fence, 2), [{ shard: 7, committed: true }]);
  }));

it('connections terminated while idle cost only a new connection', () =>
  withStores(async ({ database, store, fence }) => {
    await commit(store, fence, 1);
    for (let version = 2; version <= 6; version++) {
      await database.run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`);
      await new Promise((resolve) => setTimeout(resolve, 50));
      assert.equal(await commit(store, fence, version), [{ shard: 7, committed: true }]);
      assert.is(await stored(store), version);
    }
  }));

it('a commit whose acknowledgement is lost has happened and is reported as unknown', () =>
  withStores(async ({ database, store, fence, open }) => {
    const link: CutLink = await openCutLink(database.url);
    const far = await open({ url: link.url });
    await commit(far, fence, 1);
    link.swallowAnswers();
    const outcome = failureOf(commit(far, fence, 2));
    while ((await stored(store)) < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    link.cut();
    assert.instance(await outcome, StoreOutcomeUnknown);
    link.mend();
    assert.equal(await commit(far, fence, 2), [{ shard: 7, committed: false, reason: 'version' }]);
    await link.close();
  }));

it("a server that does not respond is dropped within the node's bound", () =>
  withStores(async ({ database, fence, open }) => {
    const link = await openCutLink(database.url);
    const far = await open({ url: link.url, bounds: { answerMs: 400 } });
    await commit(far, fence, 1);
    link.swallowAnswers();
    assert.instance(await failureOf(commit(far, fence, 2)), StoreOutcomeUnknown);
    await link.close();
  }));

it('an immediate stop of the server under load loses no acknowledged commit, and nodes reconnect on their own', async () => {
  const server = await startPostgres();
  try {
    await withStores(
      async ({ store, fence }) => {
        let acknowledged = 0;
        let failures = 0;
        let version = 1;
        const end = performance.now() + 1_500;
        const crashed = (async () => {
          await new Promise((resolve) => setTimeout(resolve, 300));
          await server.crash();
          assert.instance(await failureOf(commit(store, fence, 1_000_000)), Error);
          await server.start();
        })();
        while (performance.now() < end || failures === 0) {
          try {
            const [verdict] = await commit(store, fence, version);
            if (verdict?.committed) acknowledged = version++;
            else version = (await stored(store)) + 1;
          } catch (error) {
            failures++;
            assert.ok(error instanceof StoreOutcomeUnknown || error instanceof StoreRefused);
            await new Promise((resolve) => setTimeout(resolve, 20));
          }
        }
        await crashed;
        assert.ok(acknowledged > 0 && failures > 0);
        assert.ok((await stored(store)) >= acknowledged);
        const now = await stored(store);
        assert.equal(await commit(store, fence, now + 1), [{ shard: 7, committed: true }]);
      },
      { server: server.url },
    );
  } finally {
    await server.stop();
  }
});

test.run();
