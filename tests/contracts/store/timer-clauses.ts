/** Clauses of the Store port on timers. */
import * as assert from 'uvu/assert';
import type { Clause } from './clause.ts';
import { own, timer, write } from './records.ts';

export function timerClauses(clause: Clause): void {
  clause(
    'due timers are those of the given shards, up to and including the given time, soonest first',
    async (store) => {
      const fence = await own(store, 'i1', [1, 2, 3]);
      await store.commit([
        write(fence, { shard: 1, timersSet: [timer('late', 300), timer('soon', 100)] }),
        write(fence, { shard: 2, timersSet: [timer('middle', 200, 'account:b')] }),
        write(fence, { shard: 3, timersSet: [timer('elsewhere', 50, 'account:c')] }),
      ]);
      const due = async (shards: number[], until: number, limit = 9) =>
        (await store.timersDue(shards, until, limit)).map(({ name }) => name);
      assert.equal(await store.timersDue([1], 100, 9), [timer('soon', 100)]);
      assert.equal(await due([1, 2], 300), ['soon', 'middle', 'late']);
      assert.equal(await due([1, 2], 299), ['soon', 'middle']);
      assert.equal(await due([1, 2, 3], 300, 2), ['elsewhere', 'soon']);
      assert.equal(await due([], 300), []);
      assert.equal(await due([1], 99), []);
    },
  );

  clause('a timer of the same name replaces the earlier one, and a cancelled one is removed', async (store) => {
    const fence = await own(store, 'i1');
    await store.commit([write(fence, { timersSet: [timer('a', 100), timer('b', 200)] })]);
    await store.commit([write(fence, { timersSet: [{ ...timer('a', 1_763_690_000_123), event: '{"n":2}' }] })]);
    assert.equal(await store.timersOf('account:a'), [
      timer('b', 200),
      { ...timer('a', 1_763_690_000_123), event: '{"n":2}' },
    ]);
    const timersCancelled = ['b', 'never'].map((name) => ({ address: 'account:a', name }));
    await store.commit([write(fence, { timersCancelled })]);
    assert.equal(
      (await store.timersDue([7], 1e15, 9)).map(({ name }) => name),
      ['a'],
    );
    assert.equal(await store.timersOf('account:nobody'), []);
  });
}
