/** Clauses of the Store port on several writers at once. */
import * as assert from 'uvu/assert';
import type { Store } from '../../../actors/runtime/ports/store.ts';
import type { Clause, OpenedStore } from './clause.ts';
import { refusals, stored } from './commit-clauses.ts';
import { actor, join, node, own, row, write } from './records.ts';

/** The owner stops after this many, so that a store that never refuses it fails the clause. */
const COMMITS_MAX = 2_000;

async function twoOf(
  store: Store,
  { reopen }: OpenedStore,
  run: (one: Store, other: Store) => Promise<void>,
): Promise<void> {
  const other = reopen ? await reopen() : store;
  try {
    await run(store, other);
  } finally {
    if (other !== store) await other.close();
  }
}

export function concurrencyClauses(clause: Clause): void {
  clause('two writers of one actor: exactly one of each pair of commits wins', async (store, { reopen }) => {
    const other = reopen ? await reopen() : store;
    try {
      const fence = await own(store, 'i1');
      for (let version = 1; version <= 10; version++) {
        const commit = [write(fence, { actors: [{ record: actor('account:a', version), expected: version - 1 }] })];
        const both = await Promise.all([store.commit(commit), other.commit(commit)]);
        assert.equal(both.flatMap(refusals).sort(), [null, 'version'].sort());
      }
      assert.is(await stored(other, 'account:a'), 10);
    } finally {
      if (other !== store) await other.close();
    }
  });

  clause('another connection reads an acknowledged commit at once', async (store, { reopen }) => {
    if (!reopen) return;
    const other = await reopen();
    try {
      const fence = await own(store, 'i1');
      for (let version = 1; version <= 10; version++) {
        const actors = [{ record: actor('account:a', version), expected: version - 1 }];
        await store.commit([write(fence, { actors })]);
        assert.is(await stored(other, 'account:a'), version);
      }
    } finally {
      await other.close();
    }
  });

  clause('of commits that share one shard one wins, and each keeps its other shards', (store, opened) =>
    twoOf(store, opened, async (one, other) => {
      const shared = 15;
      const fence = await own(store, 'i1');
      const mine = [0, 1, 2, 3, 4, 5, 8, 9];
      const all = await store.shards();
      await store.claim(
        'i1',
        all.filter(({ shard }) => shard === shared || mine.includes(shard)),
      );
      const part = (shard: number, address: string) =>
        write(fence, {
          shard,
          actors: [{ record: actor(address, 1, { shard }), expected: 0 }],
          rowsPut: [row('r', { address })],
        });
      const answers = await Promise.all(
        mine.map((shard, i) =>
          (i % 2 === 0 ? one : other).commit([part(shared, 'account:shared'), part(shard, `account:s${shard}`)]),
        ),
      );
      assert.equal(
        answers.map(refusals).map(([, own]) => own),
        mine.map(() => null),
      );
      assert.is(answers.map(refusals).filter(([first]) => first === null).length, 1);
      assert.is(answers.map(refusals).filter(([first]) => first === 'version').length, mine.length - 1);
      for (const shard of mine) assert.is(await stored(store, `account:s${shard}`), 1);
    }),
  );

  clause("a claim races with the previous owner's commits: none succeeds after it", (store, opened) =>
    twoOf(store, opened, async (one, other) => {
      const fence = await own(store, 'i1');
      await join(store, 'n2', 'i2');
      let acknowledged = 0;
      let refused = false;
      const writing = (async () => {
        for (let version = 1; !refused && version <= COMMITS_MAX; version++) {
          await new Promise((resolve) => setImmediate(resolve));
          const record = actor('account:a', version);
          const [reason] = refusals(await one.commit([write(fence, { actors: [{ record, expected: version - 1 }] })]));
          refused = reason === 'fence';
          if (!refused) acknowledged = version;
        }
      })();
      while (acknowledged < 20) await new Promise((resolve) => setImmediate(resolve));
      assert.is(await other.markDead('i1', 1, 'silent'), true);
      const [held] = (await other.shards()).filter(({ shard }) => shard === 7);
      const taken = held ? await other.claim('i2', [held]) : [];
      const atTakeover = await stored(other, 'account:a');
      await writing;
      assert.equal(taken, [{ shard: 7, owner: 'i2', epoch: fence.epoch + 1 }]);
      assert.is(acknowledged, atTakeover);
      assert.is(await stored(other, 'account:a'), atTakeover);
    }),
  );

  clause('of several incarnations of one name that register at once, one lives', (store, opened) =>
    twoOf(store, opened, async (one, other) => {
      const lives = Array.from({ length: 8 }, (_, i) => node('n1', `i${i}`));
      const births = await Promise.all(lives.map((life, i) => (i % 2 === 0 ? one : other).register(life)));
      assert.equal(
        births.map(({ birth }) => birth).sort((a, b) => a - b),
        [1, 2, 3, 4, 5, 6, 7, 8],
      );
      const { nodes } = await store.heartbeat({ incarnation: 'onlooker', reaches: [], state: 'up' });
      const alive = nodes.filter(({ state }) => state === 'joining');
      assert.equal(
        alive.map(({ birth }) => birth),
        [8],
      );
    }),
  );
}
