/** The engine on the SQLite store: the same guarantees with a disk, a writer thread and two nodes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { shardOf } from '../../../../../actors/runtime/actor/address.ts';
import { AskError } from '../../../../../actors/runtime/actor/answer.ts';
import type { ClusterPort } from '../../../../../actors/runtime/durable/cluster-port.ts';
import type { ActivityTask } from '../../../../../actors/runtime/ports/activity.ts';
import { openSqliteStore, type SqliteStore } from '../../../../../actors/runtime/stores/sqlite/open-sqlite-store.ts';
import { systemClock, systemRandom } from '../../../../../actors/runtime/system/clock.ts';
import { bounded } from '../../../../support/bounded.ts';
import { WIDE } from '../../../../support/wide.ts';
import { senderKind } from '../../../example-kinds/sender.ts';
import { ALL, inShard, openStage, SHARDS, type Stage, until } from '../stage.ts';

const it = bounded(test);
const folder = mkdtempSync(join(tmpdir(), 'troupe-engine-'));
let files = 0;

async function withStores(run: (first: SqliteStore, second: SqliteStore) => Promise<void>): Promise<void> {
  const path = join(folder, `${++files}.db`);
  const options = { path, shards: SHARDS, clock: systemClock, random: systemRandom, busyBoundMs: 2_000 };
  const [first, second] = await Promise.all([openSqliteStore(options), openSqliteStore(options)]);
  try {
    await run(first, second);
  } finally {
    await Promise.all([first.close(), second.close()]);
  }
}

const markDead = async (store: SqliteStore, incarnation: string): Promise<void> => {
  const node = (await store.heartbeat({ incarnation: '', reaches: [], state: 'up' })).nodes.find(
    (row) => row.incarnation === incarnation,
  );
  assert.ok(await store.markDead(incarnation, node?.beat ?? -1, 'test'));
};

const total = async (stage: Stage, address: string): Promise<number> =>
  ((await stage.body(address, { type: 'read' })) as { total: number }).total;

it('keeps every answered step across a takeover, and fences the old owner', () =>
  withStores(async (first, second) => {
    const old = await openStage({ store: first, name: 'n1' });
    const asks = Array.from({ length: 200 }, (_, i) => old.body(`counter:acct_${i % 20}`, { type: 'add', by: 1 }));
    await Promise.all(asks);
    const next = await openStage({ store: second, name: 'n2', adopt: false });
    await markDead(second, old.incarnation);
    await next.take(ALL);
    for (let i = 0; i < 20; i++) assert.is(await total(next, `counter:acct_${i}`), 10);
    const answer = await old.ask('counter:acct_1', { type: 'add', by: 1 });
    assert.ok(!answer.ok && answer.failure.code === 'moved');
    assert.is(old.recorded.lost[0]?.reason, 'fence');
    assert.is(await total(next, 'counter:acct_1'), 10);
    await next.close();
    await old.close();
  }));

it('commits cascades whole and keeps the sum of money', () =>
  withStores(async (first, second) => {
    const stage = await openStage({ store: first });
    const purses = Array.from({ length: 4 }, (_, i) => `purse:acct_1/p${i}`);
    for (const purse of purses) await stage.body(purse, { type: 'fill', amount: 100 });
    const pays = Array.from({ length: 300 }, (_, i) =>
      stage.ask(purses[i % 4] as string, { type: 'pay', to: purses[(i * 3 + 1) % 4] as string, amount: (i * 7) % 60 }),
    );
    assert.ok((await Promise.all(pays)).every((answer) => answer.ok));
    let sum = 0;
    for (const purse of purses) {
      sum += JSON.parse((await second.loadActor(purse))?.actor.snapshot ?? '').context.amount;
    }
    assert.is(sum, 400);
    await stage.close();
  }));

it('takes over rows, timers, lease rows and volatile state', () =>
  withStores(async (first, second) => {
    const old = await openStage({ store: first, name: 'n1' });
    await old.body('register:a', { type: 'put', id: 'x', amount: 1, node: old.incarnation });
    await old.body('register:a', { type: 'put', id: 'y', amount: 2, node: 'live' });
    await old.body('register:a', { type: 'put', id: 'z', amount: 3, node: 'live' });
    await old.body('register:a', { type: 'close', id: 'z' });
    await old.body('counter:a', { type: 'remind', inMs: 2_000, by: 1 });
    await old.body('counter:a', { type: 'remind', name: 'never', inMs: 60_000, by: 100 });
    await old.body('counter:a', { type: 'forget', name: 'never' });
    await old.body('counter:b', { type: 'peek' });
    await old.engine.release(shardOf('counter:b', SHARDS));
    const next = await openStage({ store: second, name: 'n2', adopt: false });
    await markDead(second, old.incarnation);
    next.recorded.gone.add(old.incarnation);
    await next.take(ALL);
    await until(async () => (await total(next, 'counter:a')) === 1);
    await until(async () => ((await next.body('register:a', { type: 'list' })) as string[]).length === 1);
    assert.equal(await next.body('register:a', { type: 'list' }), ['y']);
    assert.is(((await next.body('register:a', { type: 'line', id: 'z' })) as { amount: number }).amount, 3);
    assert.is(((await next.body('counter:b', { type: 'read' })) as { seen: number }).seen, 1);
    assert.equal(await second.timersOf('counter:a'), []);
    assert.equal(
      (await next.engine.inspect('counter:a'))?.transitions.map(({ event }) => event),
      ['remind', 'remind', 'forget', 'tick'],
    );
    await next.close();
    await old.close();
  }));

it('creates an actor again in the batch after the one that ended it', () =>
  withStores(async (first) => {
    const stage = await openStage({ store: first });
    await stage.body('counter:a', { type: 'add', by: 5 });
    const answers = await Promise.all([
      stage.ask('counter:a', { type: 'remind', inMs: 60_000, by: 1 }),
      stage.ask('counter:a', { type: 'stop' }),
      stage.ask('counter:a', { type: 'add', by: 1 }),
      stage.ask('counter:a', { type: 'add', by: 1 }),
    ]);
    assert.ok(answers.every((answer) => answer.ok));
    assert.is(await total(stage, 'counter:a'), 2);
    assert.equal(await first.timersOf('counter:a'), []);
    assert.is((await first.loadActor('counter:a'))?.actor.version, 5);
    await stage.close();
  }));

it('hands outbox messages and open activities to the next owner of the shard, from the rows alone', () =>
  withStores(async (first, second) => {
    const [from, to] = [inShard('sender', 1, 'f'), inShard('sender', 2, 't')];
    const calls: ActivityTask[] = [];
    const portWith = (send: ClusterPort['send'], done: boolean): ClusterPort => ({
      random: systemRandom,
      activities: {
        work: {
          ...WIDE,
          run: (job) => {
            calls.push(job);
            return done ? Promise.resolve('done') : new Promise(() => {});
          },
        },
      },
      send,
      missing: async () => [],
      abort: () => {},
      causeOf: () => 'killed',
    });
    const nowhere: ClusterPort['send'] = async (address, event) => {
      if (event.type === '$begin') return old.body(address, event);
      throw new AskError(address, { code: 'expired' });
    };
    const kinds = [senderKind];
    const old: Stage = await openStage({ store: first, kinds, name: 'n1', clusterPort: portWith(nowhere, false) });
    await old.body(from, { type: 'open' });
    await old.body(to, { type: 'open' });
    const messages = ['one', 'two'].map((note) => ({ to, event: { type: 'note', note } }));
    await old.body(from, { type: 'post', messages });
    await old.body(from, { type: 'work', id: 'w' });
    await until(() => calls.length === 1);
    const next: Stage = await openStage({
      ...{ store: second, kinds, name: 'n2', adopt: false },
      clusterPort: portWith((address, event) => next.body(address, event), true),
    });
    next.recorded.gone.add(old.incarnation);
    await markDead(second, old.incarnation);
    old.engine.activities.abortAll('dead');
    await next.take(ALL);
    await until(async () => ((await next.body(from, { type: 'open' })) as string[]).length === 2);
    assert.equal(await next.body(from, { type: 'open' }), ['"attempt 2"', '"done"']);
    assert.equal([calls.length, calls[1]?.attempt, calls[1]?.key], [2, 2, calls[0]?.key]);
    await until(async () => ((await next.body(to, { type: 'open' })) as string[]).length === 2);
    assert.equal(await next.body(to, { type: 'open' }), ['"one"', '"two"']);
    for (const collection of ['$outbox', '$activities']) {
      await until(async () => (await second.rows({ collection, limit: 10 })).length === 0);
    }
    await next.close();
    for (let shard = 0; shard < SHARDS; shard++) old.engine.drop(shard);
    await old.close();
  }));

test.after(() => rmSync(folder, { recursive: true }));
test.run();
