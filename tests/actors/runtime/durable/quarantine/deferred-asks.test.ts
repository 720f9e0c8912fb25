/** Asks that cannot be refused, to an actor that does not load: stored durably, answered as deferred, and stepped once when it loads. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { DEFERRED_MAX } from '../../../../../actors/runtime/actor/cascade/dead-letter.ts';
import type { Store } from '../../../../../actors/runtime/ports/store.ts';
import { openSqliteStore } from '../../../../../actors/runtime/stores/sqlite/open-sqlite-store.ts';
import { systemClock, systemRandom } from '../../../../../actors/runtime/system/clock.ts';
import { bounded } from '../../../../support/bounded.ts';
import { deferred } from '../../../../support/deferred.ts';
import { flippedSnapshot } from '../../../../support/flipped-snapshot.ts';
import { MemoryStore } from '../../../../support/memory-store.ts';
import { purseKind } from '../../../example-kinds/purse.ts';
import { openStage, SHARDS, type Stage, turns, until } from '../stage.ts';

const it = bounded(test);
const folder = mkdtempSync(join(tmpdir(), 'troupe-kept-'));
test.after(() => rmSync(folder, { recursive: true, force: true }));

const B = 'purse:acct_1/b';
const kinds = [{ ...purseKind, finishes: ['receive'] }];
const receive = (amount: number) => ({ type: 'receive', amount });
let files = 0;
const asideOf = (store: Store) => store.rows({ collection: '$dead-letters', address: B, limit: 10 });

/** `B` reads back damaged while `broken` is true; commits wait for `gate`. */
interface Bad {
  readonly store: Store;
  broken: boolean;
  gate: Promise<unknown>;
}

const stores: Readonly<Record<string, () => Promise<Store & { close?(): Promise<void> }>>> = {
  memory: async () => new MemoryStore({ clock: systemClock, shards: SHARDS }),
  sqlite: () => {
    const path = join(folder, `${++files}.db`);
    return openSqliteStore({ path, shards: SHARDS, clock: systemClock, random: systemRandom, busyBoundMs: 2_000 });
  },
};

for (const [name, open] of Object.entries(stores)) {
  const withBad = async (run: (bad: Bad, stage: Stage) => Promise<void>): Promise<void> => {
    const store = await open();
    const bad: Bad = { store, broken: false, gate: Promise.resolve() };
    const loadActor = store.loadActor.bind(store);
    const commit = store.commit.bind(store);
    store.loadActor = async (address) => {
      const stored = await loadActor(address);
      return stored !== null && address === B && bad.broken ? flippedSnapshot(stored) : stored;
    };
    store.commit = async (writes) => {
      await bad.gate;
      return commit(writes);
    };
    const first = await openStage({ store, kinds });
    await first.body(B, { type: 'fill', amount: 100 });
    await first.close();
    bad.broken = true;
    const stage = await openStage({ store, kinds });
    try {
      await run(bad, stage);
    } finally {
      await stage.close();
      await store.close?.();
    }
  };
  const keptBy = async (stage: Stage, amount: number): Promise<boolean | undefined> => {
    const answer = await stage.ask(B, receive(amount));
    assert.ok(!answer.ok && answer.failure.code === 'quarantined', JSON.stringify(answer));
    return answer.failure.deferred;
  };

  it(`${name}: an ask that ends something is kept, says so only once it is durable, and is stepped once after the reload`, () =>
    withBad(async (bad, stage) => {
      const { promise: opened, resolve: openGate } = deferred();
      bad.gate = opened;
      let told = false;
      const answer = stage.ask(B, receive(30)).then((received) => {
        told = true;
        return received;
      });
      await until(() => stage.engine.gauges.quarantined === 1);
      await turns(20);
      assert.equal([told, await asideOf(bad.store)], [false, []], 'no answer before the commit');
      openGate();
      const received = await answer;
      assert.ok(!received.ok && received.failure.code === 'quarantined' && received.failure.deferred);
      assert.match(received.failure.detail, /is kept for it.*check sum/);
      assert.is((await asideOf(bad.store)).length, 1);
      assert.is(await keptBy(stage, 7), true);
      const shown = await stage.engine.inspect(B);
      assert.match(
        shown?.explanation.join('\n') ?? '',
        /2 messages that could not be refused wait[\s\S]*ask receive is kept/,
      );

      bad.broken = false;
      assert.equal(await stage.engine.reload(B), { outcome: 'loaded' });
      assert.is(await stage.body(B, { type: 'show' }), 137);
      const transitions = (await stage.engine.inspect(B))?.transitions ?? [];
      assert.is(transitions.filter(({ event }) => event === 'receive').length, 2);
      assert.equal(await asideOf(bad.store), []);
      await stage.close();
      const last = await openStage({ store: bad.store, kinds });
      assert.is(await last.body(B, { type: 'show' }), 137, 'nothing is stepped twice');
      await last.close();
    }));

  it(`${name}: the next owner keeps what was kept, and an actor that loads there steps all of it`, () =>
    withBad(async (bad, stage) => {
      assert.is(await keptBy(stage, 30), true);
      await stage.close();
      const next = await openStage({ store: bad.store, kinds });
      assert.is(await keptBy(next, 7), true);
      assert.match(
        (await next.engine.inspect(B))?.explanation.join('\n') ?? '',
        /2 messages that could not be refused/,
      );
      await next.close();
      bad.broken = false;
      const last = await openStage({ store: bad.store, kinds });
      await until(async () => (await last.body(B, { type: 'show' })) === 137);
      assert.equal(await asideOf(bad.store), []);
      await last.close();
    }));

  it(`${name}: what may be refused is refused, and of a tell nothing is kept`, () =>
    withBad(async (bad, stage) => {
      const answer = await stage.ask(B, { type: 'fill', amount: 1 });
      assert.ok(!answer.ok && answer.failure.code === 'quarantined' && answer.failure.deferred === undefined);
      stage.tell(B, receive(1));
      await turns(20);
      assert.equal(await asideOf(bad.store), []);
    }));

  it(`${name}: beyond its bound nothing is kept, whoever owns the actor, and all that was kept is stepped`, () =>
    withBad(async (bad, stage) => {
      const half = DEFERRED_MAX / 2;
      const kept = await Promise.all(Array.from({ length: half }, () => keptBy(stage, 1)));
      assert.ok(kept.every((it) => it === true));
      await stage.close();
      const next = await openStage({ store: bad.store, kinds });
      const more = await Promise.all(Array.from({ length: half + 3 }, () => keptBy(next, 1)));
      assert.is(more.filter((it) => it === true).length, half);
      assert.is(await keptBy(next, 1), undefined);
      bad.broken = false;
      assert.equal(await next.engine.reload(B), { outcome: 'loaded' });
      await until(async () => (await next.body(B, { type: 'show' })) === 100 + DEFERRED_MAX);
      await next.close();
    }));
}

it('an ask whose deferral was refused is answered so, and nothing is stored', async () => {
  const store = new MemoryStore({ clock: systemClock, shards: SHARDS });
  const first = await openStage({ store, kinds });
  await first.body(B, { type: 'fill', amount: 100 });
  await first.close();
  const loadActor = store.loadActor.bind(store);
  store.loadActor = async (address) => {
    const stored = await loadActor(address);
    return stored && flippedSnapshot(stored);
  };
  const stage = await openStage({ store, kinds });
  store.fault = () => ({ type: 'refuse', reason: 'full' });
  const answer = await stage.ask(B, receive(30));
  assert.ok(!answer.ok && answer.failure.code === 'refused');
  store.fault = null;
  assert.equal(await asideOf(store), []);
  store.loadActor = loadActor;
  await stage.engine.reload(B);
  assert.is(await stage.body(B, { type: 'show' }), 100);
  await stage.close();
});

test.run();
