/** The attempts of one node are bounded: what finds no room is begun when there is some, and none is lost. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ActivityRecord } from '../../../../../actors/runtime/actor/activity-record.ts';
import { RowCache } from '../../../../../actors/runtime/actor/row-cache.ts';
import { systemCollections, systemRow } from '../../../../../actors/runtime/actor/system-collections.ts';
import type { Runner } from '../../../../../actors/runtime/durable/engine/runner.ts';
import { Shard } from '../../../../../actors/runtime/durable/engine/shard.ts';
import { Activities } from '../../../../../actors/runtime/durable/outgoing/activities.ts';
import { ActivityRunner, ATTEMPTS_MAX } from '../../../../../actors/runtime/durable/outgoing/activity-runner.ts';
import type { ClusterPort } from '../../../../../actors/runtime/durable/outgoing/cluster-port.ts';
import { systemRandom } from '../../../../../actors/runtime/system/random.ts';
import { bounded } from '../../../../support/bounded.ts';
import { HandClock } from '../hand-clock.ts';
import { turns } from '../stage.ts';

const it = bounded(test, 30_000);
const BEYOND = 100;

it('work beyond the bound waits for room, then runs; each once', async () => {
  const clock = new HandClock();
  const begun = new Map<string, number>();
  const release: (() => void)[] = [];
  const clusterPort: ClusterPort = {
    random: systemRandom,
    activities: {
      work: {
        run: ({ address }) => {
          begun.set(address, (begun.get(address) ?? 0) + 1);
          return new Promise((resolve) => release.push(() => resolve(null)));
        },
      },
    },
    // The actor's owner takes the result: its intent is gone.
    send: async (to) => {
      activities.durable(shard, { ...rowOf(to), removed: true });
      return 'taken';
    },
    missing: async () => [],
    abort: () => {},
    causeOf: () => null,
  };
  const log = (): void => {};
  const now = (): number => clock.now();
  const activityRunner = new ActivityRunner({ clusterPort, clock, now, log });
  const host = { lost: log, published: log, isGone: () => false, log };
  const runner = (): Runner => {
    throw new Error('nothing is ended by its owner here');
  };
  const activities: Activities = new Activities({ self: 'i1', clusterPort, activityRunner, runner, clock, now, host });
  const shard = new Shard(0, 1, 0);
  activities.open(shard);
  const record: ActivityRecord = {
    ...{ name: 'work', input: null, key: 'k', attempt: 1, runner: 'i1', startAt: 0, deadlineAt: now() + 3_600_000 },
    ...{ failures: 0, failuresMax: 3, suspect: false, alone: false, deaths: 0 },
  };
  const rowOf = (address: string) => {
    const at = { beside: new RowCache(address), shard: 0, open: true, sort: 1 };
    return systemRow(at, systemCollections.intents, 'w', record);
  };
  const count = ATTEMPTS_MAX + BEYOND;
  for (let i = 0; i < count; i++) activities.durable(shard, rowOf(`job:${i}`));
  assert.is(activityRunner.size, ATTEMPTS_MAX);
  while (begun.size < count || release.length > 0) {
    await turns(10);
    for (const end of release.splice(0)) end();
    await turns(10);
    await clock.advance(1_000);
    assert.ok(activityRunner.size <= ATTEMPTS_MAX);
  }
  assert.is(activityRunner.size, 0);
  assert.is(begun.size, count);
  assert.ok([...begun.values()].every((times) => times === 1));
  activities.close();
});

test.run();
