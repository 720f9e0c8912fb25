import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/runtime/index.ts';
import { AlarmWatch } from '../../../gateway/operator/alarm-watch.ts';
import { bounded } from '../../support/bounded.ts';
import { MemoryBoard } from '../../support/memory-board.ts';
import { clusterOf } from './port.ts';

const it = bounded(test);

const QUIET = { nodes: [], shardCount: 8, unowned: 0, deadLetters: [], quarantined: [], outage: null };

/** A node with a view that the test changes, and what it reports to the cluster's log. */
function scene() {
  const state = { view: QUIET as object, owns: true, open: [] as object[], now: 1_000 };
  const reports: (readonly string[])[] = [];
  const cluster = clusterOf({
    operator: { ps: async () => state.view, askHosts: async () => [] },
    board: new MemoryBoard({}),
    rows: { rows: async () => state.open.map((one) => ({ body: JSON.stringify(one) })) },
    owns: () => state.owns,
    now: () => state.now,
    ask: async (_: string, { alarms }: { alarms: readonly { name: string; since: number; until?: number }[] }) => {
      reports.push(alarms.map(({ name, since, until }) => (until ? `${name} ${since}-${until}` : name)));
      return null;
    },
  });
  const watch = new AlarmWatch({ cluster, clock: systemClock, lowDiskBytes: 1, askMs: 1, log: { warn: () => {} } });
  return { state, reports, watch };
}

it('the owner of the log reports what it finds, once, and again when it changes or is over', async () => {
  const { state, reports, watch } = scene();
  await watch.round();
  assert.equal(reports, [], 'a quiet cluster has no log');
  state.view = { ...QUIET, unowned: 3 };
  await watch.round();
  await watch.round();
  assert.equal(reports, [['shards-unowned']]);
  state.view = { ...QUIET, unowned: 2 };
  await watch.round();
  state.view = QUIET;
  state.open = [{ name: 'shards-unowned' }];
  await watch.round();
  await watch.round();
  assert.equal(reports, [['shards-unowned'], ['shards-unowned'], []]);
});

it('another node reports nothing, and all that it finds once it owns the log', async () => {
  const { state, reports, watch } = scene();
  state.owns = false;
  state.view = { ...QUIET, unowned: 3 };
  await watch.round();
  assert.equal(reports, []);
  state.owns = true;
  await watch.round();
  state.owns = false;
  await watch.round();
  state.owns = true;
  await watch.round();
  assert.equal(reports, [['shards-unowned'], ['shards-unowned']]);
});

it('an outage of the store is recorded when it is over, from its begin', async () => {
  const { state, reports, watch } = scene();
  state.view = { ...QUIET, outage: { since: 400, why: 'refused' } };
  await watch.round();
  assert.equal(reports, []);
  state.view = QUIET;
  await watch.round();
  await watch.round();
  assert.equal(reports, [['store-unreachable 400-1000']]);
});

test.run();
