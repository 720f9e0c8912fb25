import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { PeerOrigin } from '../../../../actors/runtime/cluster/peers.ts';
import type { Signal } from '../../../../actors/runtime/cluster/signal.ts';
import { ClusterWatchers, matcherOf } from '../../../../actors/runtime/cluster/watchers.ts';
import type { CommittedStep } from '../../../../actors/runtime/durable/engine.ts';
import { bounded } from '../../../support/bounded.ts';
import { HandClock } from '../durable/hand-clock.ts';

const it = bounded(test);

/** The watchers of one node, and the two ends that a test plays: its engine and a peer. */
function stage(watchedOwnersMax = 3, watchersMax = 1) {
  const clock = new HandClock();
  const [told, sent]: [Signal[], Signal[]] = [[], []];
  const logged: string[] = [];
  const watchers = new ClusterWatchers({
    clock,
    self: 'i1',
    host: { name: 'n1' },
    member: () => ({ isDead: () => false }),
    engine: () => ({ loadedOf: () => 0 }),
    limits: { watchedOwnersMax, watchersMax, shards: 8 },
    log: ({ message }) => logged.push(message),
    broadcast: (signal) => told.push(signal),
    send: (_, signal) => told.push(signal) > 0,
  });
  const link = { control: (text: string) => sent.push(JSON.parse(text) as Signal) > 0 };
  const peer = { incarnation: 'p1', link } as unknown as PeerOrigin;
  const commit = (address: string): CommittedStep => {
    const step = stepOf(address);
    if (watchers.isWatched(address)) watchers.committed(step);
    return step;
  };
  return { clock, watchers, told, sent, logged, peer, commit };
}

function stepOf(address: string): CommittedStep {
  return { address, version: 1, at: 1, event: 'x', from: 'a', to: 'b', epoch: 1, node: 'n1' };
}

const seenOf = (
  addresses: readonly string[],
  owners: readonly string[],
  steps: readonly CommittedStep[] = [],
): Signal => ({
  type: 'watch.seen',
  addresses,
  owners,
  steps,
});

it('a watched owner is notified of its own addresses only, until the watch ends', () => {
  const { watchers, commit, told } = stage();
  const seen: (string | null)[] = [];
  const stop = watchers.watch('o1', (address) => seen.push(address));
  commit('batch:o1/b1');
  commit('batch:o2/b1');
  commit('account:o1');
  assert.equal(seen, ['batch:o1/b1', 'account:o1']);
  stop();
  stop();
  commit('account:o1');
  assert.is(seen.length, 2);
  assert.equal(told, [
    { type: 'watch.start', topics: ['o1'] },
    { type: 'watch.stop', topics: ['o1'] },
  ]);
});

it('two watches of one owner are one for the peers, and each is notified', () => {
  const { watchers, commit, told } = stage();
  const seen: string[] = [];
  const first = watchers.watch('o1', () => seen.push('first'));
  watchers.watch('o1', () => seen.push('second'));
  commit('key:o1/k');
  first();
  commit('key:o1/k');
  assert.equal(seen, ['first', 'second', 'second']);
  assert.is(told.length, 1);
});

it('a peer receives the first address at once, and what follows it 20 ms later', async () => {
  const { watchers, commit, clock, sent, peer } = stage();
  watchers.start(peer, ['o1']);
  await clock.advance(0);
  await clock.advance(20);
  commit('key:o1/k');
  await clock.advance(0);
  assert.is(sent.length, 2);
  commit('account:o1');
  await clock.advance(19);
  assert.is(sent.length, 2);
  await clock.advance(1);
  assert.equal(sent.at(-1), seenOf(['account:o1'], []));
});

it('a peer receives the addresses gathered in 20 ms, and a notice for all of an owner when it begins to watch', async () => {
  const { watchers, commit, clock, sent, peer } = stage();
  watchers.start(peer, ['o1']);
  await clock.advance(20);
  assert.equal(sent, [seenOf([], ['o1'])]);
  commit('key:o1/k');
  commit('key:o1/k');
  commit('account:o1');
  commit('account:o2');
  await clock.advance(20);
  assert.equal(sent[1], seenOf(['key:o1/k', 'account:o1'], []));
  watchers.stop('p1', ['o1']);
  commit('account:o1');
  await clock.advance(40);
  assert.is(sent.length, 2);
});

it('more addresses than one signal holds become a notice for their owner', async () => {
  const { watchers, commit, clock, sent, peer } = stage();
  watchers.start(peer, ['o1']);
  await clock.advance(20);
  for (let i = 0; i < 1_025; i++) commit(`file:o1/f${i}`);
  await clock.advance(20);
  const last = sent[1] as Extract<Signal, { type: 'watch.seen' }>;
  assert.is(last.addresses.length, 1_024);
  assert.equal(last.owners, ['o1']);
});

it('a lost link, and a notice of a peer, reach the watchers', () => {
  const { watchers } = stage();
  const seen: (string | null)[] = [];
  watchers.watch('o1', (address) => seen.push(address));
  watchers.linkDown();
  watchers.seen({ type: 'watch.seen', addresses: ['account:o1', 'account:o9'], owners: ['o1', 'o9'], steps: [] });
  assert.equal(seen, [null, null, 'account:o1']);
});

it('a peer whose link reopens learns what is watched; a disconnected one is forgotten', async () => {
  const { watchers, told, clock, sent, peer, commit } = stage();
  const stop = watchers.watch('o1', () => {});
  watchers.linkUp('p1');
  assert.equal(told.at(-1), { type: 'watch.start', topics: ['o1'] });
  stop();
  watchers.start(peer, ['o2']);
  watchers.lost('p1');
  commit('account:o2');
  await clock.advance(40);
  assert.equal(sent, [seenOf([], ['o2'])]);
});

it('the owners of this node, and the topics of each peer, are bounded', async () => {
  const { watchers, peer, clock, sent } = stage(2);
  watchers.watch('o1', () => {});
  watchers.watch('o2', () => {});
  assert.throws(() => watchers.watch('o3', () => {}), /at most 2 watched owners/);
  watchers.start(peer, ['o1', 'o2', 'o3', 'o4']);
  await clock.advance(20);
  assert.equal((sent[0] as { owners: unknown }).owners, ['o1', 'o2', 'o3']);
});

it('a watcher of a pattern receives the steps of this node and of its peers, until it ends', () => {
  const { watchers, commit, told } = stage();
  const seen: CommittedStep[] = [];
  const stop = watchers.watchSteps('key:*', (step) => seen.push(step));
  assert.throws(() => watchers.watchSteps('*', () => {}), /too many watchers/);
  const here = commit('key:o1/k');
  commit('account:o1');
  const there = stepOf('key:o2/k');
  watchers.seen({ type: 'watch.seen', addresses: [], owners: [], steps: [there, stepOf('account:o2')] });
  assert.equal(seen, [here, there]);
  watchers.linkDown();
  stop();
  stop();
  commit('key:o1/k');
  assert.is(seen.length, 2);
  assert.equal(told, [
    { type: 'watch.start', topics: ['steps key:*'] },
    { type: 'watch.stop', topics: ['steps key:*'] },
  ]);
  watchers.watchSteps('*', () => {})();
});

it('a peer receives each matching step once, whatever it watches, and drops those beyond one signal', async () => {
  const { watchers, commit, clock, sent, peer } = stage();
  watchers.start(peer, ['steps key:*', 'steps *', 'o1']);
  await clock.advance(0);
  const step = commit('key:o1/k');
  await clock.advance(20);
  assert.equal(sent, [seenOf([], ['o1']), seenOf(['key:o1/k'], [], [step])]);
  for (let i = 0; i < 300; i++) commit(`key:o2/k${i}`);
  await clock.advance(20);
  assert.is((sent[2] as Extract<Signal, { type: 'watch.seen' }>).steps.length, 256);
  watchers.stop('p1', ['steps *', 'steps key:*']);
  commit('key:o2/k');
  await clock.advance(40);
  assert.is(sent.length, 3);
});

it('a watcher that throws is removed, and the others are still notified', () => {
  const { watchers, commit, logged } = stage();
  const seen: (string | null)[] = [];
  watchers.watch('o1', () => {
    throw new Error('a bad watcher');
  });
  watchers.watch('o1', (address) => seen.push(address));
  commit('key:o1/k');
  commit('key:o1/k');
  assert.equal(seen, ['key:o1/k', 'key:o1/k']);
  assert.equal(logged, ['a watcher threw and was removed']);
});

const CASES: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['*', ['key:a/b', ''], []],
  ['key:*', ['key:a', 'key:'], ['xkey:a', 'account:key:']],
  ['*/b', ['key:a/b'], ['key:a/bb']],
  ['key:a/b', ['key:a/b'], ['key:a/bc', 'key:a']],
  ['key:*/k*1', ['key:acct/k1', 'key:acct/key_21'], ['key:acct/x1', 'key:acct/k2']],
  ['a*a', ['aa', 'aba'], ['a']],
  ['a.c', ['a.c'], ['abc']],
];

for (const [pattern, yes, no] of CASES) {
  it(`the pattern ${pattern} matches its addresses only`, () => {
    const matches = matcherOf(pattern);
    assert.equal(
      [...yes, ...no].filter((address) => matches(address)),
      yes,
    );
  });
}

test.run();
