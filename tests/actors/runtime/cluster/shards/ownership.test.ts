import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Member } from '../../../../../actors/runtime/cluster/membership/member.ts';
import { Ownership } from '../../../../../actors/runtime/cluster/shards/ownership.ts';
import { ShardMap } from '../../../../../actors/runtime/cluster/shards/shard-map.ts';
import type { Engine } from '../../../../../actors/runtime/durable/engine.ts';
import type { ShardRow, Store } from '../../../../../actors/runtime/ports/store.ts';
import config from '../../../../../cluster.config.ts';
import { bounded } from '../../../../support/bounded.ts';
import { HandClock } from '../../durable/hand-clock.ts';

const it = bounded(test);
const SELF = 'one';
const turns = async (): Promise<void> => {
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
};

/** Ownership of one shard over a store whose reads end on command, each with the rows of that moment. */
function stage(initial: ShardRow) {
  const served = new Map<number, number>([[initial.shard, initial.epoch]]);
  const adopted: number[] = [];
  const reads: ((row: ShardRow) => void)[] = [];
  const stored = { row: initial };
  const engine = {
    epochOf: (shard: number) => served.get(shard) ?? null,
    adopt: (shard: number, epoch: number) => {
      adopted.push(epoch);
      served.set(shard, epoch);
    },
    drop: (shard: number) => served.delete(shard),
  } as unknown as Engine;
  const store = {
    shards: () => new Promise<readonly ShardRow[]>((resolve) => reads.push((row) => resolve([row]))),
    claim: async (owner: string, from: readonly ShardRow[]) =>
      from.flatMap((row) => {
        if (row.owner !== stored.row.owner || row.epoch !== stored.row.epoch) return [];
        stored.row = { shard: row.shard, owner, epoch: row.epoch + 1 };
        return [stored.row];
      }),
  } as unknown as Store;
  const member = {
    view: { nodes: [], live: new Set([SELF]), shardsRevision: 1 },
    ...{ fresh: true, settled: true, alive: () => null, isGone: () => false },
  } as unknown as Member;
  const map = new ShardMap(1, () => {});
  map.learn(initial);
  const ownership = new Ownership({
    ...{ self: SELF, engine, map, member, store, clock: new HandClock(), limits: config.runtime, log: () => {} },
    ...{ resumptions: { took: () => {} }, took: () => {}, adopted: () => {} },
  });
  const beginMove = (): void => {
    ownership.markMoving(0, true);
    served.delete(0);
    ownership.reconcile();
  };
  return { ownership, adopted, reads, stored, beginMove };
}

const OURS: ShardRow = { shard: 0, owner: SELF, epoch: 4 };
const GIVEN: ShardRow = { shard: 0, owner: 'two', epoch: 5 };

it('a hand-over whose answer was lost is not undone by rows that were read before it', async () => {
  const { ownership, adopted, reads, stored, beginMove } = stage(OURS);
  beginMove();
  await turns();
  assert.is(reads.length, 1, 'a read is under way');
  stored.row = GIVEN;
  ownership.rereadBeforeServing(0);
  ownership.markMoving(0, false);
  reads[0]?.(OURS);
  await turns();
  assert.equal(adopted, [], 'the old epoch is not served again');
  reads[1]?.(GIVEN);
  await turns();
  assert.equal(adopted, []);
});

it('a failed hand-over leaves the shard here, once rows read after it show that', async () => {
  const { ownership, adopted, reads, stored, beginMove } = stage(OURS);
  beginMove();
  await turns();
  ownership.rereadBeforeServing(0);
  ownership.markMoving(0, false);
  reads[0]?.(OURS);
  await turns();
  assert.equal(adopted, []);
  assert.equal(ownership.held(), [0], 'nobody may think meanwhile that nothing is left here');
  reads[1]?.(stored.row);
  await turns();
  assert.equal(adopted, [OURS.epoch]);
});

test.run();
