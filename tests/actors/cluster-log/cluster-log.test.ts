import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { AlarmRecord, FoundAlarm } from '../../../actors/cluster-log/alarm.ts';
import { ALARMS_MAX } from '../../../actors/cluster-log/cluster-log.machine.ts';
import { clusterLogKind } from '../../../actors/cluster-log/cluster-log.ts';
import { bounded } from '../../support/bounded.ts';
import { PureActors } from '../../support/model/pure-actors.ts';
import { START } from '../../support/model/words.ts';

const it = bounded(test);
const LOG = 'cluster-log:cluster';

const alarm = (name: string, subject: string | null, more: Partial<FoundAlarm> = {}): FoundAlarm => {
  return { name, subject, severity: 'critical', what: `${name}!`, since: null, todo: 'look', link: null, ...more };
};

function scene() {
  const actors = new PureActors([clusterLogKind], START);
  const find = (...alarms: readonly FoundAlarm[]) => actors.tell(LOG, { type: 'alarms.found', alarms });
  const kept = () =>
    actors
      .list<AlarmRecord>(LOG, 'alarm')
      .map(({ name, subject, what, beganAt, endedAt }) => [
        name,
        subject,
        what,
        beganAt - START,
        endedAt && endedAt - START,
      ])
      .sort();
  return { actors, find, kept };
}

it('an alarm begins once, whoever finds it and however often, and ends when it is no longer found', () => {
  const { actors, find, kept } = scene();
  find(alarm('node-dead', 'n1'), alarm('node-dead', 'n2', { since: START - 50 }));
  actors.now += 100;
  find(alarm('node-dead', 'n2'), alarm('node-dead', 'n1'));
  assert.equal(kept(), [
    ['node-dead', 'n1', 'node-dead!', 0, null],
    ['node-dead', 'n2', 'node-dead!', -50, null],
  ]);
  actors.now += 100;
  find(alarm('node-dead', 'n1', { what: 'still dead' }));
  assert.equal(kept(), [
    ['node-dead', 'n1', 'still dead', 0, null],
    ['node-dead', 'n2', 'node-dead!', -50, 200],
  ]);
  actors.now += 100;
  find();
  find(alarm('node-dead', 'n1'));
  assert.equal(kept(), [
    ['node-dead', 'n1', 'node-dead!', 300, null],
    ['node-dead', 'n1', 'still dead', 0, 300],
    ['node-dead', 'n2', 'node-dead!', -50, 200],
  ]);
});

it('a report that changes nothing writes no row, and an outage that is over is recorded once', () => {
  const { actors, find, kept } = scene();
  find(alarm('a', null));
  const before = actors.rows;
  find(alarm('a', null));
  assert.equal(actors.rows, before);
  const outage = alarm('store-unreachable', null, { since: START - 10, until: START });
  find(alarm('a', null), outage);
  find(alarm('a', null), outage);
  assert.equal(kept(), [
    ['a', null, 'a!', 0, null],
    ['store-unreachable', null, 'store-unreachable!', -10, 0],
  ]);
});

it('the oldest alarms are replaced', () => {
  const { actors, find, kept } = scene();
  for (let at = 0; at <= ALARMS_MAX; at++) {
    actors.now += 1;
    find(alarm('flaps', String(at)));
  }
  const subjects = kept().map(([, subject]) => Number(subject));
  assert.is(subjects.length, ALARMS_MAX);
  assert.equal([Math.min(...subjects), Math.max(...subjects)], [1, ALARMS_MAX]);
});

it('the reports of one successor are one row, those of another are another', () => {
  const { actors } = scene();
  const report = (incarnation: string, loaded: number) =>
    actors.tell(LOG, {
      type: 'work.resumed',
      resumption: { incarnation, fromIncarnation: 'x', node: 'n1', shards: 1, firstCommitAt: 1, loaded, kinds: [] },
    });
  for (const [incarnation, loaded] of [
    ['i1', 1],
    ['i2', 2],
    ['i1', 3],
  ] as const)
    report(incarnation, loaded);
  assert.equal(
    actors.list<{ loaded: number }>(LOG, 'resumption').map(({ loaded }) => loaded),
    [3, 2],
  );
});

test.run();
