import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { HeartbeatWatch } from '../../../../../actors/runtime/cluster/membership/heartbeat-watch.ts';
import type { NodeRow } from '../../../../../actors/runtime/ports/store.ts';
import config from '../../../../../cluster.config.ts';
import { bounded } from '../../../../support/bounded.ts';

const it = bounded(test);
const ALL = ['a', 'b', 'c'];

function row(incarnation: string, beat: number, reaches: readonly string[] = ALL): NodeRow {
  return {
    ...{ name: incarnation, incarnation, birth: ALL.indexOf(incarnation) + 1, address: '', operatorUrl: '', pid: 1 },
    ...{ host: '', beat, beatAt: null, reaches, state: 'up', why: null },
  };
}

const silence = (watch: HeartbeatWatch, beats: Record<string, number>, at: number): Record<string, number> =>
  Object.fromEntries(
    watch
      .observe(
        Object.entries(beats).map(([name, beat]) => row(name, beat)),
        at,
      )
      .watched.map((it) => [it.incarnation, it.unchangedMs]),
  );

it('a row becomes stale by the observation time', () => {
  const watch = new HeartbeatWatch(config.runtime);
  for (let i = 1; i < 9; i++) silence(watch, { a: i, b: 1, c: i }, i * 500);
  assert.equal(silence(watch, { a: 9, b: 1, c: 9 }, 4_500), { a: 0, b: 4_000, c: 0 });
});

it('a pause of the watcher, or of the store for all nodes, makes no row stale', () => {
  const watch = new HeartbeatWatch(config.runtime);
  silence(watch, { a: 1, b: 1, c: 1 }, 0);
  assert.equal(silence(watch, { a: 2, b: 1, c: 1 }, 60_000), { a: 0, b: 1_000, c: 1_000 });
  const { live } = watch.observe([row('a', 3), row('b', 1), row('c', 1)], 60_500);
  assert.is(live.size, 3);
});

it('time outside the live set counts from the last moment inside', () => {
  const watch = new HeartbeatWatch(config.runtime);
  watch.observe([row('a', 1), row('b', 1), row('c', 1)], 0);
  const deaf = [row('a', 2), row('b', 2), row('c', 2, [])];
  assert.is(watch.observe(deaf, 500).watched[2]?.outsideMs, 500);
  assert.is(watch.observe(deaf, 1_000).watched[2]?.outsideMs, 1_000);
  assert.is(watch.observe([row('a', 3), row('b', 3), row('c', 3)], 1_500).watched[2]?.outsideMs, 0);
});

it('a new node has its full time from its first observation', () => {
  const watch = new HeartbeatWatch(config.runtime);
  watch.observe([row('a', 1), row('b', 1)], 0);
  const seen = watch.observe([row('a', 2), row('b', 2), row('c', 1, [])], 500);
  assert.is(seen.watched[2]?.outsideMs, 0);
  assert.equal([...seen.live].sort(), ['a', 'b']);
});

it('a node that has joined has its full time anew, whatever it took to join', () => {
  const watch = new HeartbeatWatch(config.runtime);
  const joining = (beat: number): NodeRow => ({ ...row('c', beat, []), state: 'joining' });
  const others = (beat: number): readonly NodeRow[] => [row('a', beat), row('b', beat)];
  const seen = (beat: number, c: NodeRow) => watch.observe([...others(beat), c], beat * 500).watched[2];
  for (let beat = 1; beat <= 20; beat++) seen(beat, joining(beat));
  assert.equal([seen(21, joining(21))?.outsideMs, seen(21, joining(21))?.joining], [10_000, true]);
  // It was inside, and its links broke before this node looked again.
  assert.equal([seen(22, row('c', 22, []))?.outsideMs, seen(22, row('c', 22, []))?.joining], [0, false]);
  assert.is(seen(23, row('c', 23, []))?.outsideMs, 500);
});

test.run();
