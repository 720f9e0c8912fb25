/** The attempts of one node are bounded: attempts beyond the bound begin when there is room, and none is lost. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ActivityRecord } from '../../../../../actors/runtime/actor/cascade/activity-record.ts';
import { RowCache } from '../../../../../actors/runtime/actor/cascade/row-cache.ts';
import { systemCollections, systemRow } from '../../../../../actors/runtime/actor/cascade/row-writes.ts';
import type { SystemMessage } from '../../../../../actors/runtime/actor/cascade/system-message.ts';
import type { ClusterPort } from '../../../../../actors/runtime/durable/cluster-port.ts';
import type { Dispatcher } from '../../../../../actors/runtime/durable/dispatch/dispatcher.ts';
import { ActivityOwner } from '../../../../../actors/runtime/durable/outgoing/activity-owner.ts';
import { ActivityRunner, ATTEMPTS_MAX } from '../../../../../actors/runtime/durable/outgoing/activity-runner.ts';
import { Shard } from '../../../../../actors/runtime/durable/shard.ts';
import { systemRandom } from '../../../../../actors/runtime/system/clock.ts';
import { bounded } from '../../../../support/bounded.ts';
import { WIDE } from '../../../../support/wide.ts';
import { HandClock } from '../hand-clock.ts';
import { turns } from '../stage.ts';

const it = bounded(test);
const BEYOND = 100;

/** Requests all of this work at once, ends whatever runs, and returns the addresses in the order in which they began. */
async function begunAmong(addresses: readonly string[], heldMax: number): Promise<readonly string[]> {
  const clock = new HandClock();
  const begun: string[] = [];
  const places = new Map(addresses.map((address, place) => [address, place]));
  const release: (() => void)[] = [];
  const clusterPort: ClusterPort = {
    random: systemRandom,
    activities: {
      work: {
        ...WIDE,
        run: ({ address }) => {
          begun.push(address);
          return new Promise((resolve) => release.push(() => resolve(null)));
        },
      },
    },
    // The actor's owner takes the result: its activity record is removed.
    send: async (to, { type }) => {
      if (type === '$begin') return 'taken';
      activities.durable(shard, { ...rowOf(to), removed: true });
      return 'taken';
    },
    missing: async () => [],
    abort: () => {},
    causeOf: () => null,
  };
  const log = (): void => {};
  const now = (): number => clock.now();
  const activityRunner = new ActivityRunner({ self: 'i1', clusterPort, clock, now, log });
  const host = { lost: log, published: log, isGone: () => false, log };
  const dispatcher: Pick<Dispatcher, 'bring'> = {
    bring: () => {
      throw new Error('nothing is ended by its owner here');
    },
  };
  const activities: ActivityOwner = new ActivityOwner({
    self: 'i1',
    clusterPort,
    activityRunner,
    dispatcher,
    clock,
    now,
    host,
  });
  const shard = new Shard(0, { epoch: 1, node: 'n1' }, 0);
  activityRunner.serve();
  activities.open(shard);
  const record: ActivityRecord = {
    ...{ name: 'work', input: null, key: 'k', attempt: 1, runner: 'i1', begun: false },
    ...{ deadlineAt: now() + 3_600_000, suspect: false, deaths: 0, lastFailure: null },
  };
  const rowOf = (address: string) => {
    const at = { beside: new RowCache(address), shard: 0, open: true, sort: places.get(address) ?? 0 };
    return systemRow(at, systemCollections.activities, 'w', record);
  };
  for (const address of addresses) activities.durable(shard, rowOf(address));
  assert.is(activityRunner.size, heldMax);
  while (begun.length < addresses.length || release.length > 0) {
    await turns(10);
    for (const end of release.splice(0)) end();
    await turns(10);
    await clock.advance(1_000);
    assert.ok(activityRunner.size <= heldMax);
  }
  assert.is(activityRunner.size, 0);
  activities.close();
  return begun;
}

it('attempts beyond the bound wait for room, then run, each once', async () => {
  const addresses = Array.from({ length: ATTEMPTS_MAX + BEYOND }, (_, i) => `job:${i}`);
  const begun = await begunAmong(addresses, ATTEMPTS_MAX);
  assert.equal([...begun].sort(), [...addresses].sort());
});

it('attempts of one group beyond its share of the room begin in the order in which they were requested', async () => {
  const addresses = Array.from({ length: ATTEMPTS_MAX / 2 + BEYOND }, (_, i) => `job:crowd/${i}`);
  assert.equal(await begunAmong(addresses, ATTEMPTS_MAX / 2), addresses);
});

it('a result found in time is not ended by its owner while other attempts wait for room', async () => {
  const clock = new HandClock();
  const ends: string[] = [];
  let isReached = true;
  let find: () => void = () => {};
  const deadlineAt = clock.now() + 30_000;
  const record: ActivityRecord = {
    ...{ name: 'work', input: null, key: 'k', attempt: 1, runner: 'i1', begun: false, deadlineAt },
    ...{ suspect: false, deaths: 0, lastFailure: null },
  };
  const rowOf = (id: string, body: ActivityRecord) =>
    systemRow(
      { beside: new RowCache('job:crowd/a'), shard: 0, open: true, sort: 0 },
      systemCollections.activities,
      id,
      body,
    );
  const run = (): Promise<null> =>
    new Promise((resolve) => {
      find = () => resolve(null);
    });
  const clusterPort: ClusterPort = {
    random: systemRandom,
    activities: { work: { runningMax: 1, runningPerGroupMax: 1, run } },
    send: async (_, { type, id, end }) => {
      if (!isReached && type === '$result') throw new Error('the store is out of reach');
      if (type === '$begin') activities.durable(shard, rowOf(String(id), { ...record, begun: true }));
      else ends.push(`its runner reports ${(end as { readonly type: string }).type}`);
      return 'taken';
    },
    missing: async () => [],
    abort: () => {},
    causeOf: () => null,
  };
  const now = (): number => clock.now();
  const log = (): void => {};
  const activityRunner = new ActivityRunner({ self: 'i1', clusterPort, clock, now, log });
  const host = { lost: log, published: log, isGone: () => false, log };
  const bring = (_shard: Shard, _address: string, { type }: SystemMessage): boolean => {
    ends.push(`its owner sends a ${type}`);
    return true;
  };
  const dispatcher = { bring };
  const activities = new ActivityOwner({ self: 'i1', clusterPort, activityRunner, dispatcher, clock, now, host });
  const shard = new Shard(0, { epoch: 1, node: 'n1' }, 0);
  activities.open(shard);
  for (let i = 0; i < ATTEMPTS_MAX / 2 + BEYOND; i++) {
    activities.durable(shard, rowOf(`w${i}`, i === 0 ? record : { ...record, deadlineAt: deadlineAt + 3_600_000 }));
  }
  activityRunner.serve();
  await clock.advance(29_000);
  isReached = false;
  find();
  await turns();
  await clock.advance(8_000);
  isReached = true;
  await clock.advanceUntil(1_000, () => ends.length > 0);
  assert.is(ends[0], 'its runner reports done');
  activityRunner.abortAll('the test is over');
  activities.close();
});

it('a group that fills the memory of a node leaves room for others', async () => {
  const clock = new HandClock();
  const clusterPort: ClusterPort = {
    random: systemRandom,
    activities: { work: { runningMax: 1, runningPerGroupMax: 1, run: () => new Promise(() => {}) } },
    send: async () => 'taken',
    missing: async () => [],
    abort: () => {},
    causeOf: () => null,
  };
  const activityRunner = new ActivityRunner({ self: 'i1', clusterPort, clock, now: () => clock.now(), log: () => {} });
  const deadlineAt = clock.now() + 3_600_000;
  const record: ActivityRecord = {
    ...{ name: 'work', input: null, key: 'k', attempt: 1, runner: 'i1', begun: false, deadlineAt },
    ...{ suspect: false, deaths: 0, lastFailure: null },
  };
  for (let i = 0; i < 2 * ATTEMPTS_MAX; i++) activityRunner.start(`job:crowd/${i}`, 'w', record);
  assert.is(activityRunner.size, ATTEMPTS_MAX / 2);
  for (let i = 0; i < 100; i++) activityRunner.start(`job:other${i}`, 'w', record);
  assert.is(activityRunner.size, ATTEMPTS_MAX / 2 + 100);
  activityRunner.abortAll('the test is over');
});

test.run();
