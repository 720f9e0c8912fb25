import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Resumption, Resumptions } from '../../../../../actors/runtime/cluster/shards/resumptions.ts';
import type { CommittedStep } from '../../../../../actors/runtime/durable/engine.ts';
import { bounded } from '../../../../support/bounded.ts';
import { HandClock } from '../../durable/hand-clock.ts';

const it = bounded(test);
const SHARDS = 8;
const DEAD = 'dead';

/** The resumptions of one node that took every shard of a dead one, under epoch 5. */
function stage({ from = DEAD as string | null, reports = true } = {}) {
  const clock = new HandClock();
  const reported: Resumption[] = [];
  const resumptions = new Resumptions({
    self: 'i1',
    host: { name: 'n1', ...(reports && { onResumed: (one) => void reported.push(one) }) },
    clock,
    limits: { shards: SHARDS },
    member: () => ({ isDead: (incarnation) => incarnation === DEAD }),
    engine: () => ({ loadedOf: () => 2 }),
  });
  const taken = Array.from({ length: SHARDS }, (_, shard) => ({ shard, owner: 'i1', epoch: 5, from }));
  resumptions.took(taken);
  const commit = (address: string, at: number, epoch = 5): void => {
    const step: CommittedStep = { address, version: at, at, event: 'x', from: 'a', to: 'b', epoch, node: 'n1' };
    resumptions.see(step);
  };
  return { clock, resumptions, reported, commit };
}

it('the first step of each actor of a dead node is reported at its first commit, then at most once a second', async () => {
  const { clock, reported, commit } = stage();
  commit('batch:a/1', 100);
  commit('batch:a/1', 101);
  commit('key:b/2', 102);
  commit('key:b/3', 103, 4);
  await clock.advance(0);
  assert.is(reported.length, 1);
  const { kinds, ...rest } = reported[0] as Resumption;
  const members = { incarnation: 'i1', fromIncarnation: DEAD, node: 'n1', shards: SHARDS };
  assert.equal(rest, { ...members, firstCommitAt: 100, loaded: 2 * SHARDS });
  const at = { event: 'x', from: 'a', to: 'b', epoch: 5 };
  assert.equal(kinds, [
    { kind: 'batch', actors: 1, steps: [{ address: 'batch:a/1', version: 100, at: 100, ...at }] },
    { kind: 'key', actors: 1, steps: [{ address: 'key:b/2', version: 102, at: 102, ...at }] },
  ]);
  for (let nth = 0; nth < 20; nth++) commit(`key:c/${nth}`, 200 + nth);
  await clock.advance(999);
  assert.is(reported.length, 1);
  await clock.advance(1);
  assert.equal(
    reported[1]?.kinds.map(({ kind, actors, steps }) => [kind, actors, steps.length]),
    [
      ['batch', 1, 1],
      ['key', 21, 8],
    ],
  );
});

it('after ten seconds nothing is watched, and what was not reported yet is', async () => {
  const { clock, resumptions, reported, commit } = stage();
  commit('key:a/1', 1);
  await clock.advance(0);
  await clock.advance(9_500);
  commit('key:a/2', 2);
  await clock.advance(0);
  commit('key:a/3', 3);
  await clock.advance(500);
  assert.is(reported.at(-1)?.kinds[0]?.actors, 3);
  assert.not.ok(resumptions.areWatched);
  await clock.advance(10_000);
  assert.is(reported.length, 3);
});

it('shards of a node that lives, of none, and without a receiver are not watched', () => {
  for (const { resumptions } of [stage({ from: 'alive' }), stage({ from: null }), stage({ reports: false })]) {
    assert.not.ok(resumptions.areWatched);
  }
  assert.ok(stage().resumptions.areWatched);
});

test.run();
