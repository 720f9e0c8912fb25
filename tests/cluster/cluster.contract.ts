/** The contract of a three-node cluster, run on virtual time and over gRPC. */
import type * as uvu from 'uvu';
import * as assert from 'uvu/assert';
import { AskError, type Json, shardOf } from '../../actors/runtime/index.ts';
import { bounded } from '../support/bounded.ts';
import { addressOn, type Started, type TestNodes } from './test-nodes.ts';

const add = { type: 'tally.add', by: 1 };
const sumOf = (body: Json): number => (body as { sum: number }).sum;

/** Sends asks in sequence until stopped; counts successes and failures. */
function traffic(
  from: Started,
  addresses: readonly string[],
): { stop(): Promise<{ answered: number; failed: string[] }> } {
  let running = true;
  let answered = 0;
  const failed: string[] = [];
  const done = (async () => {
    for (let i = 0; running; i++) {
      try {
        await from.node.ask(addresses[i % addresses.length] as string, add, { withinMs: 4_000 });
        answered += 1;
      } catch (error) {
        failed.push(String(error));
      }
    }
  })();
  return {
    async stop() {
      running = false;
      await done;
      return { answered, failed };
    },
  };
}

/** `open`: nodes on one store, none started yet. */
export function clusterContract(test: uvu.Test, wire: 'virtual' | 'grpc', open: () => TestNodes): void {
  const it = bounded(test);
  const within = (title: string, run: (nodes: TestNodes) => Promise<void>): void =>
    it(`${wire}: ${title}`, async () => {
      const nodes = open();
      try {
        await run(nodes);
      } finally {
        await nodes.close();
      }
    });

  within(
    'a node is notified of the committed steps of an owner on any node, and after its node was killed',
    async (nodes) => {
      const [a, b] = await nodes.trio();
      const address = addressOn(b.node, 'noticed');
      const owner = address.slice('tally:'.length);
      const seen: (string | null)[] = [];
      const stop = a.node.changes.watch(owner, (changed) => seen.push(changed));
      await nodes.until(() => seen.includes(null), 'its peers watch the owner');
      await a.node.ask(address, add, { withinMs: 4_000 });
      await nodes.until(() => seen.includes(address), 'the step is noticed');
      const before = seen.length;
      await b.kill();
      await nodes.until(() => seen.slice(before).includes(null), 'the lost link is noticed');
      await a.node.ask(address, add, { withinMs: 20_000 });
      await nodes.until(() => seen.slice(before).includes(address), 'the step of the new owner is noticed');
      stop();
      const last = seen.length;
      await a.node.ask(address, add, { withinMs: 4_000 });
      await nodes.pause(100);
      assert.is(seen.length, last);
    },
  );

  within('three nodes that start together own every shard within a second, without moving any', async (nodes) => {
    const began = nodes.clock.monotonic();
    const trio = await nodes.trio();
    const tookMs = nodes.clock.monotonic() - began;
    if (wire === 'virtual') assert.ok(tookMs < 2_500, `${tookMs} ms`);
    const rows = await nodes.store.shards();
    assert.ok(rows.every((row) => row.owner !== null));
    const view = await trio[0].node.operator.ps();
    assert.is(view.unowned, 0);
    assert.is(view.shardCount, 256);
    for (const row of view.nodes) assert.ok(row.live && row.shards > 40 && row.gauges !== null, JSON.stringify(row));
    assert.ok(Math.max(...rows.map((row) => row.epoch)) <= 2, 'hardly any shard moved');
  });

  within('an ask reaches any address from any node, and its sum is one', async (nodes) => {
    const trio = await nodes.trio();
    for (const owner of trio) {
      const address = addressOn(owner.node, 'any');
      const sums: number[] = [];
      for (const asker of trio) sums.push(sumOf(await asker.node.ask(address, add, { withinMs: 3_000 })));
      assert.equal(sums, [1, 2, 3]);
    }
    const refused = await trio[0].node
      .ask(addressOn(trio[1].node, 'nobody'), { type: 'tally.read' }, { withinMs: 3_000 })
      .then(
        () => null,
        (error: AskError) => error.failure.code,
      );
    assert.is(refused, 'absent');
    assert.ok(trio.every(({ node }) => node.connected && Math.abs(node.now() - nodes.clock.now()) < 1_000));
  });

  within(
    'a value that a node publishes reaches every node, also those that start later, and outlives it',
    async (nodes) => {
      const trio = await nodes.trio();
      const [a, b, c] = trio;
      // Over gRPC time is real, and the machine may be slow.
      const withinMs = wire === 'virtual' ? 1_000 : 30_000;
      const seenBy = (at: readonly Started[]): Json[] => at.map(({ node }) => node.board.read('notes', 'k'));
      const reaches = (value: string, at: readonly Started[]): Promise<void> =>
        nodes.until(() => seenBy(at).every((seen) => seen === value), `${value} is on every board`, withinMs);
      for (const [n, { node }] of [...trio, ...trio].entries()) {
        node.board.publish('notes', 'k', `value ${n}`);
        await reaches(`value ${n}`, trio);
      }
      b.node.board.publish('notes', 'k', 'last');
      await reaches('last', trio);
      void b.kill();
      const later = await nodes.start('n4');
      await nodes.until(() => later.node.ready, 'the new node is ready', 30_000);
      assert.equal(seenBy([a, c, later]), ['last', 'last', 'last']);
      later.node.board.publish('notes', 'k', 'newer');
      await reaches('newer', [a, c, later]);
    },
  );

  within('an abrupt death moves its actors in well below a second, with their state', async (nodes) => {
    const [a, b, c] = await nodes.trio();
    const address = addressOn(b.node, 'kill');
    for (let i = 0; i < 5; i++) await a.node.ask(address, add, { withinMs: 3_000 });
    const began = nodes.clock.monotonic();
    void b.kill();
    const sums = await Promise.all(
      [a, c].map(async ({ node }) => {
        for (;;) {
          try {
            return sumOf(await node.ask(address, add, { withinMs: 5_000 }));
          } catch (error) {
            if (!(error instanceof AskError && error.mayHaveHappened)) throw error;
          }
        }
      }),
    );
    const tookMs = nodes.clock.monotonic() - began;
    // Real time depends on the machine; that no heartbeat was waited for does not.
    if (wire === 'virtual') assert.ok(tookMs < 1_000, `takeover took ${tookMs} ms`);
    const verdicts = nodes.logs.filter(({ message }) => message === 'node marked dead');
    assert.equal([...new Set(verdicts.map(({ why }) => why))], ['its port refuses']);
    assert.equal(sums.sort(), [6, 7]);
    assert.ok([a, c].some(({ node }) => node.owns(address)));
    const row = nodes.store.allNodes().find((it) => it.incarnation === b.node.self.incarnation);
    assert.is(row?.state, 'dead');
  });

  within(
    'a node that lost the store is voted out, drops everything, and its late writes are refused',
    async (nodes) => {
      const [a, b] = await nodes.trio();
      const address = addressOn(b.node, 'stale');
      await b.node.ask(address, add, { withinMs: 3_000 });
      b.store.cut = true;
      await nodes.until(() => !b.node.connected, 'its read lease has ended');
      await nodes.until(() => nodes.store.allNodes().some((row) => row.state === 'dead'), 'the others voted it out');
      assert.is(sumOf(await a.node.ask(address, add, { withinMs: 5_000 })), 2);
      assert.equal(b.died, [], 'it has not detected its death yet');
      b.store.cut = false;
      const late = await b.node
        .ask(address, add, { withinMs: 3_000 })
        .then(sumOf, (error: AskError) => error.failure.code);
      assert.ok(late === 3 || late === 'moved' || late === 'lost' || late === 'refused', `${late}`);
      await nodes.until(() => b.died.length === 1, 'it detects that it is dead');
      assert.is(b.node.owns(address), false);
      const sum = sumOf(await a.node.ask(address, { type: 'tally.read' }, { withinMs: 3_000 }));
      assert.is(sum, late === 3 ? 3 : 2);
    },
  );

  within('a planned hand-over fails no ask, and a drained node gets no further asks', async (nodes) => {
    const [a, b, c] = await nodes.trio();
    const addresses = Array.from({ length: 60 }, (_, i) => `tally:move${i}`);
    const load = [traffic(a, addresses), traffic(c, addresses), traffic(b, addresses)];
    await nodes.until(() => b.node.ready && a.node.ready, 'all are ready');
    await b.node.drain();
    assert.is((await a.node.operator.ps()).nodes.find((row) => row.name === 'n2')?.shards, 0);
    const outcomes = await Promise.all(load.map((it) => it.stop()));
    for (const { answered, failed } of outcomes) {
      assert.equal(failed, []);
      assert.ok(answered > 0);
    }
    await b.node.leave();
    const total = outcomes.reduce((sum, { answered }) => sum + answered, 0);
    let sum = 0;
    for (const address of addresses) {
      sum += await a.node.ask(address, { type: 'tally.read' }, { withinMs: 3_000 }).then(sumOf, () => 0);
    }
    assert.is(sum, total, 'every answered ask was counted once');
    assert.is(nodes.store.allNodes().find((row) => row.name === 'n2')?.state, 'left');
  });

  within(
    'a node that joins receives its shards under load, and a restarted one gets the same shards back',
    async (nodes) => {
      const a = await nodes.start('n1');
      await nodes.until(() => a.node.ready, 'the first is ready');
      const addresses = Array.from({ length: 60 }, (_, i) => `tally:join${i}`);
      const load = traffic(a, addresses);
      const b = await nodes.start('n2');
      const owned = async (incarnation: string): Promise<number[]> =>
        (await nodes.store.shards()).filter((row) => row.owner === incarnation).map((row) => row.shard);
      let theirs: number[] = [];
      const settle = async (started: Started): Promise<number[]> => {
        let count = -1;
        for (let same = 0; same < 6; ) {
          const now = (await owned(started.node.self.incarnation)).length;
          same = now === count && now > 0 ? same + 1 : 0;
          count = now;
          await nodes.pause(50);
        }
        return owned(started.node.self.incarnation);
      };
      theirs = await settle(b);
      assert.ok(theirs.length > 90 && theirs.length < 166, `${theirs.length} shards`);
      await b.node.leave();
      const again = await nodes.start('n2');
      assert.equal(await settle(again), theirs);
      const { answered, failed } = await load.stop();
      assert.equal(failed, []);
      assert.ok(answered > 10);
    },
  );

  within(
    'boards converge: a value published on one node is visible on all, also on one that joins later',
    async (nodes) => {
      const [a, b] = [await nodes.start('n1'), await nodes.start('n2')];
      await nodes.until(() => a.node.ready && b.node.ready, 'both are ready');
      const addresses = [addressOn(a.node, 'board'), addressOn(b.node, 'board')];
      for (const address of addresses) await a.node.ask(address, add, { withinMs: 3_000 });
      const seen = (started: Started): boolean =>
        addresses.every((it) => started.node.board.topic('tally').get(it) === 1);
      await nodes.until(() => seen(a) && seen(b), 'both have both values');
      const c = await nodes.start('n3');
      await nodes.until(() => c.node.ready, 'the third is ready');
      assert.ok(seen(c), 'ready means complete');
      let changes = 0;
      const stop = c.node.board.onChange('tally', () => {
        changes += 1;
      });
      await b.node.ask(addresses[0] as string, add, { withinMs: 3_000 });
      await nodes.until(() => c.node.board.topic('tally').get(addresses[0] as string) === 2, 'the change arrived');
      assert.ok(changes > 0);
      stop();
    },
  );

  within('when all nodes drain at once, asks in progress complete', async (nodes) => {
    const trio = await nodes.trio();
    const address = addressOn(trio[0].node, 'end');
    const leaving = [trio[0].node.leave(), trio[1].node.leave()];
    await trio[2].node.drain();
    assert.is(sumOf(await trio[2].node.ask(address, add, { withinMs: 4_000 })), 1);
    leaving.push(trio[2].node.leave());
    await Promise.all(leaving);
    assert.ok(nodes.store.allNodes().every((row) => row.state === 'left'));
    const loaded = await nodes.store.loadActor(address);
    assert.is(loaded?.actor.shard, shardOf(address, 256));
  });

  within('a node without the secret, or with another configuration, is rejected', async (nodes) => {
    const a = await nodes.start('n1');
    await nodes.until(() => a.node.ready, 'the first is ready');
    const stranger = await nodes.start('n9', { secret: 'guess' });
    const odd = await nodes.start('n8', { configDigest: 'other' });
    await nodes.until(() => odd.died.length > 0, 'one of this cluster is voted out at once');
    assert.match(odd.died[0] ?? '', /n1 and n8 run with different configurations$/);
    const why = (): readonly string[] =>
      nodes.logs.filter((it) => it.message === 'no link').map((it) => String(it.why));
    await nodes.until(() => why().some((it) => /secret/.test(it)), 'the other one is told why');
    // Whoever does not prove the secret has no part in a verdict: it may join until its time is over, and never does.
    const row = nodes.store.allNodes().find(({ incarnation }) => incarnation === stranger.node.self.incarnation);
    assert.is(row?.state, 'joining');
    assert.ok((await nodes.store.shards()).every((row) => row.owner === a.node.self.incarnation));
  });
}
