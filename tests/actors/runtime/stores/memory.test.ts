/** The in-memory store that other tests use meets the contract of the real stores, and its faults work. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StoreOutcomeUnknown, StoreRefused } from '../../../../actors/runtime/ports/store.ts';
import { systemClock } from '../../../../actors/runtime/system/clock.ts';
import { actor, own, SHARDS, write } from '../../../contracts/store/records.ts';
import { storeContract } from '../../../contracts/store.contract.ts';
import { bounded } from '../../../support/bounded.ts';
import { type CommitFault, MemoryStore } from '../../../support/memory-store.ts';

const it = bounded(test);
const make = () => new MemoryStore({ clock: systemClock, shards: SHARDS });

storeContract('memory', async () => {
  const store = make();
  return {
    store,
    reopen: async () => store.connect(),
    close: () => store.close(),
    nextEvent: async (n) => store.nextEvent(n),
  };
});

async function outcome(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'resolved',
    (error: unknown) => error,
  );
}

async function commitWith(store: MemoryStore, fault: CommitFault): Promise<unknown> {
  const fence = await own(store, 'i1');
  store.fault = () => fault;
  return outcome(store.commit([write(fence, { actors: [{ record: actor('account:a', 1), expected: 0 }] })]));
}

it('a refused commit was not written', async () => {
  const store = make();
  const error = await commitWith(store, { type: 'refuse', reason: 'full' });
  assert.instance(error, StoreRefused);
  assert.is((error as StoreRefused).reason, 'full');
  assert.is(await store.loadActor('account:a'), null);
});

it('a failed commit was not written, one without its acknowledgement was, and both report an unknown outcome', async () => {
  const failing = make();
  assert.instance(await commitWith(failing, { type: 'fail' }), StoreOutcomeUnknown);
  assert.is(await failing.loadActor('account:a'), null);
  const losing = make();
  assert.instance(await commitWith(losing, { type: 'lose-acknowledgement' }), StoreOutcomeUnknown);
  assert.is((await losing.loadActor('account:a'))?.actor.version, 1);
});

it('paused and delayed commits are written later, in order', async () => {
  const store = make();
  const fence = await own(store, 'i1');
  const commit = (version: number) =>
    store.commit([write(fence, { actors: [{ record: actor('account:a', version), expected: version - 1 }] })]);
  const resume = store.pauseCommits();
  store.fault = (_, number) => (number === 1 ? { type: 'delay', ms: 5 } : null);
  const both = Promise.all([commit(1), commit(2)]);
  assert.is(await store.loadActor('account:a'), null);
  resume();
  assert.equal((await both).flat(), [
    { shard: 7, committed: true },
    { shard: 7, committed: true },
  ]);
});

it('a cut connection reaches nothing while others continue', async () => {
  const store = make();
  const other = store.connect();
  const fence = await own(store, 'i1');
  store.cut = true;
  assert.instance(await outcome(store.commit([write(fence)])), StoreRefused);
  assert.instance(await outcome(store.loadActor('account:a')), StoreRefused);
  assert.instance(await outcome(store.heartbeat({ incarnation: 'i1', reaches: [], state: 'up' })), StoreRefused);
  assert.equal(await other.commit([write(fence)]), [{ shard: 7, committed: true }]);
});

test.run();
