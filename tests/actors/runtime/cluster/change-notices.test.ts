import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ChangeNotices } from '../../../../actors/runtime/cluster/change-notices.ts';
import type { PeerOrigin } from '../../../../actors/runtime/cluster/peers.ts';
import type { Signal } from '../../../../actors/runtime/cluster/signal.ts';
import type { CommittedStep } from '../../../../actors/runtime/durable/engine.ts';
import { bounded } from '../../../support/bounded.ts';
import { HandClock } from '../durable/hand-clock.ts';

const it = bounded(test);

/** Notices of one node, and the two ends that a test plays: its engine and a peer. */
function stage(ownersMax = 3) {
  const clock = new HandClock();
  const watchers = new Set<{ matches: (address: string) => boolean; see: (step: CommittedStep) => void }>();
  const [told, sent]: [Signal[], Signal[]] = [[], []];
  const notices = new ChangeNotices({
    ...{ clock, ownersMax },
    engine: {
      watch(matches, see) {
        const watcher = { matches, see };
        watchers.add(watcher);
        return () => watchers.delete(watcher);
      },
    },
    broadcast: (signal) => told.push(signal),
    send: (_, signal) => told.push(signal) > 0,
  });
  const link = { control: (text: string) => sent.push(JSON.parse(text) as Signal) > 0 };
  const peer = { incarnation: 'p1', link } as unknown as PeerOrigin;
  const commit = (address: string): void => {
    const step = { address, version: 1, at: 1, event: 'x', from: null, to: 'a' } as unknown as CommittedStep;
    for (const { matches, see } of watchers) if (matches(address)) see(step);
  };
  return { clock, notices, told, sent, peer, commit };
}

it('a watched owner is notified of its own addresses only, until the watch ends', () => {
  const { notices, commit, told } = stage();
  const seen: (string | null)[] = [];
  const stop = notices.watch('o1', (address) => seen.push(address));
  commit('batch:o1/b1');
  commit('batch:o2/b1');
  commit('account:o1');
  assert.equal(seen, ['batch:o1/b1', 'account:o1']);
  stop();
  stop();
  commit('account:o1');
  assert.is(seen.length, 2);
  assert.equal(told, [
    { type: 'changes.watch', owners: ['o1'] },
    { type: 'changes.unwatch', owners: ['o1'] },
  ]);
});

it('two watches of one owner are one for the peers, and each is notified', () => {
  const { notices, commit, told } = stage();
  const seen: string[] = [];
  const first = notices.watch('o1', () => seen.push('first'));
  notices.watch('o1', () => seen.push('second'));
  commit('key:o1/k');
  first();
  commit('key:o1/k');
  assert.equal(seen, ['first', 'second', 'second']);
  assert.is(told.length, 1);
});

it('a peer receives the first address at once, and what follows it 20 ms later', async () => {
  const { notices, commit, clock, sent, peer } = stage();
  notices.start(peer, ['o1']);
  await clock.advance(0);
  await clock.advance(20);
  commit('key:o1/k');
  await clock.advance(0);
  assert.is(sent.length, 2);
  commit('account:o1');
  await clock.advance(19);
  assert.is(sent.length, 2);
  await clock.advance(1);
  assert.equal(sent.at(-1), { type: 'changes.seen', addresses: ['account:o1'], owners: [] });
});

it('a peer receives the addresses gathered in 20 ms, and a notice for all of an owner when it begins to watch', async () => {
  const { notices, commit, clock, sent, peer } = stage();
  notices.start(peer, ['o1']);
  await clock.advance(20);
  assert.equal(sent, [{ type: 'changes.seen', addresses: [], owners: ['o1'] }]);
  commit('key:o1/k');
  commit('key:o1/k');
  commit('account:o1');
  commit('account:o2');
  await clock.advance(20);
  assert.equal(sent[1], { type: 'changes.seen', addresses: ['key:o1/k', 'account:o1'], owners: [] });
  notices.stop('p1', ['o1']);
  commit('account:o1');
  await clock.advance(40);
  assert.is(sent.length, 2);
});

it('more addresses than one signal holds become a notice for their owner', async () => {
  const { notices, commit, clock, sent, peer } = stage();
  notices.start(peer, ['o1']);
  await clock.advance(20);
  for (let i = 0; i < 1_025; i++) commit(`file:o1/f${i}`);
  await clock.advance(20);
  const last = sent[1] as Extract<Signal, { type: 'changes.seen' }>;
  assert.is(last.addresses.length, 1_024);
  assert.equal(last.owners, ['o1']);
});

it('a lost link, and a notice of a peer, reach the watchers', () => {
  const { notices } = stage();
  const seen: (string | null)[] = [];
  notices.watch('o1', (address) => seen.push(address));
  notices.linkDown();
  notices.saw(['account:o1', 'account:o9'], ['o1', 'o9']);
  assert.equal(seen, [null, null, 'account:o1']);
});

it('a peer whose link reopens learns what is watched; a disconnected one is forgotten', async () => {
  const { notices, told, clock, sent, peer, commit } = stage();
  const stop = notices.watch('o1', () => {});
  notices.linkUp('p1');
  assert.equal(told.at(-1), { type: 'changes.watch', owners: ['o1'] });
  stop();
  notices.start(peer, ['o2']);
  notices.lost('p1');
  commit('account:o2');
  await clock.advance(40);
  assert.equal(sent, [{ type: 'changes.seen', addresses: [], owners: ['o2'] }]);
});

it('the owners of this node and of each peer are bounded', async () => {
  const { notices, peer, clock, sent } = stage(2);
  notices.watch('o1', () => {});
  notices.watch('o2', () => {});
  assert.throws(() => notices.watch('o3', () => {}), /at most 2 watched owners/);
  notices.start(peer, ['o1', 'o2', 'o3']);
  await clock.advance(20);
  assert.equal((sent[0] as { owners: unknown }).owners, ['o1', 'o2']);
});

test.run();
