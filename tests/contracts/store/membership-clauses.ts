/** Clauses of the Store port on nodes, shards and settings. */
import * as assert from 'uvu/assert';
import { deathSetting, ENDED_NODES_MAX, type NodeRow, type Store } from '../../../actors/runtime/ports/store.ts';
import type { Clause } from './clause.ts';
import { join, node, own, SHARDS } from './records.ts';

async function nodesSeenBy(store: Store, incarnation: string): Promise<readonly NodeRow[]> {
  return (await store.heartbeat({ incarnation, reaches: [], state: 'up' })).nodes;
}

async function find(store: Store, incarnation: string): Promise<NodeRow | undefined> {
  return (await nodesSeenBy(store, 'onlooker')).find((seen) => seen.incarnation === incarnation);
}

async function revision(store: Store): Promise<number> {
  return (await store.heartbeat({ incarnation: 'onlooker', reaches: [], state: 'up' })).shardsRevision;
}

async function shard(store: Store, number: number) {
  const found = (await store.shards()).find((row) => row.shard === number);
  assert.ok(found);
  return found;
}

export function membershipClauses(clause: Clause): void {
  nodeClauses(clause);
  forgettingClauses(clause);
  endClauses(clause);
  claimClauses(clause);
  giveClauses(clause);
  factClauses(clause);
}

function nodeClauses(clause: Clause): void {
  clause("births increase over all nodes, and a node's row has its registered members", async (store) => {
    assert.equal(await store.register(node('n1', 'i1')), { birth: 1 });
    assert.equal(await store.register(node('n2', 'i2')), { birth: 2 });
    const shown = { beat: 0, beatAt: null, reaches: [], state: 'joining', why: null };
    assert.equal(await nodesSeenBy(store, 'onlooker'), [
      { ...node('n1', 'i1'), birth: 1, ...shown },
      { ...node('n2', 'i2'), birth: 2, ...shown },
    ]);
  });

  clause('a new incarnation of a name marks the earlier ones dead, and only those', async (store) => {
    await store.register(node('n1', 'i1'));
    await store.register(node('n2', 'i2'));
    await store.leave('i2');
    await store.register(node('n2', 'i3'));
    assert.equal(await store.register(node('n1', 'i4')), { birth: 4 });
    const states = (await nodesSeenBy(store, 'onlooker')).map(({ incarnation, state, why }) => [
      incarnation,
      state,
      why,
    ]);
    assert.equal(states, [
      ['i1', 'dead', 'replaced'],
      ['i2', 'left', 'left'],
      ['i3', 'joining', null],
      ['i4', 'joining', null],
    ]);
  });

  clause('an incarnation can register only once', async (store) => {
    await store.register(node('n1', 'i1'));
    const again = await store.register(node('n2', 'i1')).then(
      () => null,
      (error: unknown) => error,
    );
    assert.instance(again, Error);
    assert.is((await find(store, 'i1'))?.state, 'joining');
  });

  clause('a heartbeat raises the beat and stores the reachable peers and the draining state', async (store) => {
    await store.register(node('n1', 'i1'));
    const first = await store.heartbeat({ incarnation: 'i1', reaches: ['i2', 'i3'], state: 'up' });
    assert.equal(first.nodes[0]?.reaches, ['i2', 'i3']);
    assert.is(first.nodes[0]?.beat, 1);
    assert.type(first.now, 'number');
    const second = await store.heartbeat({ incarnation: 'i1', reaches: [], state: 'draining' });
    assert.equal([second.nodes[0]?.beat, second.nodes[0]?.state, second.nodes[0]?.reaches], [2, 'draining', []]);
  });

  clause(
    'a heartbeat of a dead, departed or unknown node changes nothing and still returns the rows',
    async (store) => {
      await store.register(node('n1', 'i1'));
      await store.register(node('n2', 'i2'));
      await store.markDead('i1', 0, 'silent');
      await store.leave('i2');
      for (const incarnation of ['i1', 'i2', 'i9']) {
        const { nodes } = await store.heartbeat({ incarnation, reaches: ['x'], state: 'up' });
        assert.equal(
          nodes.map(({ beat, reaches, state }) => [beat, reaches, state]),
          [
            [0, [], 'dead'],
            [0, [], 'left'],
          ],
        );
      }
    },
  );

  clause('every living node is returned, and the newest of the ended ones', async (store) => {
    await store.register(node('old', 'living'));
    for (let i = 0; i < 70; i++) await store.register(node('n1', `i${i}`));
    const shown = await nodesSeenBy(store, 'onlooker');
    assert.is(shown[0]?.incarnation, 'living');
    assert.is(shown.at(-1)?.incarnation, 'i69');
    assert.is(shown.length, 66);
    assert.is(shown[1]?.incarnation, 'i5');
  });
}

function forgettingClauses(clause: Clause): void {
  clause(
    'of the ended nodes the newest are kept with the causes of their deaths, and births keep counting',
    async (store) => {
      const settled = (number: number, value: string) => store.setting(deathSetting(`i${number}`), value);
      await store.setting('other', 'kept');
      for (let number = 1; number <= ENDED_NODES_MAX + 10; number++) {
        assert.equal(await store.register(node('n1', `i${number}`)), { birth: number });
        await settled(number, 'crash');
      }
      const kept = (await nodesSeenBy(store, 'onlooker')).map(({ incarnation }) => incarnation);
      assert.equal([kept.length, kept[0], kept.at(-1)], [ENDED_NODES_MAX + 1, 'i10', `i${ENDED_NODES_MAX + 10}`]);
      assert.equal([await settled(9, 'again'), await settled(10, 'again')], ['again', 'crash']);
      assert.is(await store.setting('other', 'again'), 'kept');
      assert.is(await store.markDead('i9', 0, 'silent'), false);
    },
  );
}

function endClauses(clause: Clause): void {
  clause('a node is marked dead only while its beat is the observed one', async (store) => {
    await store.register(node('n1', 'i1'));
    await nodesSeenBy(store, 'i1');
    assert.is(await store.markDead('i1', 0, 'silent'), false);
    assert.is(await store.markDead('i1', 2, 'silent'), false);
    assert.is((await find(store, 'i1'))?.state, 'up');
    assert.is(await store.markDead('i1', 1, 'silent'), true);
    assert.equal([(await find(store, 'i1'))?.state, (await find(store, 'i1'))?.why], ['dead', 'silent']);
  });

  clause('dead is final: marking again, leaving and heartbeats do not undo it', async (store) => {
    await store.register(node('n1', 'i1'));
    assert.is(await store.markDead('i1', 0, 'first'), true);
    assert.is(await store.markDead('i1', 0, 'second'), false);
    await store.leave('i1');
    await nodesSeenBy(store, 'i1');
    assert.equal([(await find(store, 'i1'))?.state, (await find(store, 'i1'))?.why], ['dead', 'first']);
    assert.is(await store.markDead('nobody', 0, 'x'), false);
  });

  clause('a draining node can be marked dead and can leave; a departed one cannot be marked dead', async (store) => {
    for (const [name, incarnation] of [
      ['n1', 'i1'],
      ['n2', 'i2'],
    ] as const) {
      await store.register(node(name, incarnation));
      await store.heartbeat({ incarnation, reaches: [], state: 'draining' });
    }
    assert.is(await store.markDead('i1', 1, 'silent'), true);
    await store.leave('i2');
    assert.is((await find(store, 'i2'))?.state, 'left');
    assert.is(await store.markDead('i2', 1, 'silent'), false);
  });

  clause('of several attempts to mark a node dead at once exactly one wins', async (store) => {
    await store.register(node('n1', 'i1'));
    const won = await Promise.all([1, 2, 3].map((i) => store.markDead('i1', 0, `by ${i}`)));
    assert.is(won.filter(Boolean).length, 1);
  });
}

function claimClauses(clause: Clause): void {
  clause('a new store has every shard unowned at epoch 0', async (store) => {
    const expected = Array.from({ length: SHARDS }, (_, number) => ({ shard: number, owner: null, epoch: 0 }));
    assert.equal(await store.shards(), expected);
  });

  clause('a claim takes unowned shards, raises their epoch and returns them', async (store) => {
    await join(store, 'n1', 'i1');
    const from = (await store.shards()).slice(3, 5);
    assert.equal(await store.claim('i1', from), [
      { shard: 3, owner: 'i1', epoch: 1 },
      { shard: 4, owner: 'i1', epoch: 1 },
    ]);
    assert.equal(await shard(store, 3), { shard: 3, owner: 'i1', epoch: 1 });
    assert.equal(await shard(store, 5), { shard: 5, owner: null, epoch: 0 });
  });

  clause('a claim from an outdated row takes nothing', async (store) => {
    await own(store, 'i1', [3]);
    await join(store, 'n2', 'i2');
    const stale = [
      { shard: 3, owner: null, epoch: 0 },
      { shard: 4, owner: null, epoch: 1 },
      { shard: 5, owner: 'i1', epoch: 0 },
      { shard: SHARDS + 1, owner: null, epoch: 0 },
    ];
    assert.equal(await store.claim('i2', stale), []);
    assert.equal(await shard(store, 3), { shard: 3, owner: 'i1', epoch: 1 });
  });

  clause('a shard of a living owner cannot be claimed by another, draining or not', async (store) => {
    await own(store, 'i1', [3]);
    await join(store, 'n2', 'i2');
    assert.equal(await store.claim('i2', [await shard(store, 3)]), []);
    await store.heartbeat({ incarnation: 'i1', reaches: [], state: 'draining' });
    assert.equal(await store.claim('i2', [await shard(store, 3)]), []);
  });

  clause('a shard of a dead or departed owner can be claimed', async (store) => {
    await own(store, 'i1', [3]);
    await own(store, 'i2', [4]);
    await join(store, 'n3', 'i3');
    await store.markDead('i1', 1, 'silent');
    await store.leave('i2');
    assert.equal(await store.claim('i3', [await shard(store, 3), await shard(store, 4)]), [
      { shard: 3, owner: 'i3', epoch: 2 },
      { shard: 4, owner: 'i3', epoch: 2 },
    ]);
  });

  clause('an owner can claim its own shard again with a new epoch', async (store) => {
    await own(store, 'i1', [3]);
    assert.equal(await store.claim('i1', [await shard(store, 3)]), [{ shard: 3, owner: 'i1', epoch: 2 }]);
  });

  clause('a claimer that is not up gets nothing', async (store) => {
    const from = [await shard(store, 3)];
    assert.equal(await store.claim('nobody', from), []);
    await store.register(node('n1', 'i1'));
    assert.equal(await store.claim('i1', from), []);
    await store.heartbeat({ incarnation: 'i1', reaches: [], state: 'joining' });
    assert.equal(await store.claim('i1', from), []);
    await store.heartbeat({ incarnation: 'i1', reaches: [], state: 'draining' });
    assert.equal(await store.claim('i1', from), []);
    await store.markDead('i1', 2, 'silent');
    assert.equal(await store.claim('i1', from), []);
    assert.equal(await shard(store, 3), from[0]);
  });

  clause('of several claims at once exactly one takes each shard', async (store, { reopen }) => {
    const other = reopen ? await reopen() : store;
    try {
      for (const i of [1, 2, 3]) await join(store, `n${i}`, `i${i}`);
      const from = await store.shards();
      const taken = await Promise.all([store.claim('i1', from), other.claim('i2', from), store.claim('i3', from)]);
      assert.is(taken.flat().length, SHARDS);
      assert.is(new Set(taken.flat().map((row) => row.shard)).size, SHARDS);
    } finally {
      if (other !== store) await other.close();
    }
  });

  clause('the revision increases with every change of a shard and otherwise stays', async (store) => {
    await join(store, 'n1', 'i1');
    await join(store, 'n2', 'i2');
    let last = await revision(store);
    const changed = async () => {
      const now = await revision(store);
      const rose = now > last;
      last = now;
      return rose;
    };
    assert.is(await changed(), false);
    await store.claim('i1', [await shard(store, 3)]);
    assert.is(await changed(), true);
    await store.claim('i2', [await shard(store, 3)]);
    assert.is(await changed(), false);
    await store.give(await shard(store, 3), 'i2');
    assert.is(await changed(), true);
    await store.give({ shard: 3, owner: 'i1', epoch: 1 }, 'i2');
    assert.is(await changed(), false);
  });
}

function giveClauses(clause: Clause): void {
  clause('an owner gives its shard to a node that is up', async (store) => {
    await own(store, 'i1', [3]);
    await join(store, 'n2', 'i2');
    await store.heartbeat({ incarnation: 'i1', reaches: [], state: 'draining' });
    assert.equal(await store.give(await shard(store, 3), 'i2'), { shard: 3, owner: 'i2', epoch: 2 });
    assert.equal(await shard(store, 3), { shard: 3, owner: 'i2', epoch: 2 });
  });

  clause(
    'giving a shard fails when the fence is outdated, the shard is unowned or the receiver is not up',
    async (store) => {
      await own(store, 'i1', [3]);
      const held = await shard(store, 3);
      await store.register(node('n2', 'i2'));
      assert.is(await store.give(held, 'i2'), null);
      await store.heartbeat({ incarnation: 'i2', reaches: [], state: 'up' });
      assert.is(await store.give({ ...held, epoch: 0 }, 'i2'), null);
      assert.is(await store.give({ ...held, owner: 'i2' }, 'i2'), null);
      assert.is(await store.give(await shard(store, 4), 'i2'), null);
      assert.is(await store.give(held, 'nobody'), null);
      await store.heartbeat({ incarnation: 'i2', reaches: [], state: 'draining' });
      assert.is(await store.give(held, 'i2'), null);
      await store.leave('i2');
      assert.is(await store.give(held, 'i2'), null);
      assert.equal(await shard(store, 3), held);
    },
  );
}

function factClauses(clause: Clause): void {
  clause('the first value of a setting stays, for every connection', async (store, { reopen }) => {
    assert.is(await store.setting('wire', '3'), '3');
    assert.is(await store.setting('wire', '4'), '3');
    assert.is(await store.setting('digest', ''), '');
    if (!reopen) return;
    const other = await reopen();
    assert.is(await other.setting('wire', '5'), '3');
    await other.close();
  });

  clause('the shard count is a setting from the start', async (store) => {
    assert.is(await store.setting('shards', '99'), String(SHARDS));
  });
}
