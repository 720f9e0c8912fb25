/** Clauses of the Store port on commits, actors and actor counts. */
import * as assert from 'uvu/assert';
import type { ShardVerdict, Store } from '../../../actors/runtime/ports/store.ts';
import type { Clause } from './clause.ts';
import { actor, own, row, SHARDS, timer, write } from './records.ts';

export function refusals(verdicts: readonly ShardVerdict[]): (string | null)[] {
  return verdicts.map((verdict) => (verdict.committed ? null : verdict.reason));
}

export async function stored(store: Store, address: string): Promise<number | null> {
  return (await store.loadActor(address))?.actor.version ?? null;
}

export function commitClauses(clause: Clause): void {
  writingClauses(clause);
  judgementClauses(clause);
  stoppingClauses(clause);
}

function writingClauses(clause: Clause): void {
  clause('an actor is loaded exactly as it was committed', async (store) => {
    const fence = await own(store, 'i1');
    const record = actor('account:a', 1, {
      hash: 65_535,
      chart: 3,
      snapshot: '{"value":"ö\\"\\u0000"}',
      transitions: '[1]',
    });
    assert.equal(await store.commit([write(fence, { actors: [{ record, expected: 0 }] })]), [
      { shard: 7, committed: true },
    ]);
    assert.equal(await store.loadActor('account:a'), { actor: record, openRows: [] });
  });

  clause('an actor that was never committed is absent', async (store) => {
    assert.is(await store.loadActor('account:nobody'), null);
  });

  clause('a later version replaces the earlier one and can skip numbers', async (store) => {
    const fence = await own(store, 'i1');
    await store.commit([write(fence, { actors: [{ record: actor('account:a', 1), expected: 0 }] })]);
    const next = actor('account:a', 9, { chart: 2, snapshot: '{"value":"closed"}', transitions: '[2]' });
    await store.commit([write(fence, { actors: [{ record: next, expected: 1 }] })]);
    assert.equal((await store.loadActor('account:a'))?.actor, next);
  });

  clause('a commit writes actors, rows and timers of a shard together', async (store) => {
    const fence = await own(store, 'i1');
    const held = row('h1', { open: true });
    await store.commit([
      write(fence, {
        actors: [{ record: actor('account:a', 1), expected: 0 }],
        rowsPut: [held, row('h2')],
        timersSet: [timer('t', 5)],
      }),
    ]);
    assert.equal((await store.loadActor('account:a'))?.openRows, [held]);
    assert.equal(await store.row({ address: 'account:a', collection: 'holds', id: 'h2' }), row('h2'));
    assert.equal(await store.timersOf('account:a'), [timer('t', 5)]);
  });

  clause('an empty commit returns no verdicts', async (store) => {
    assert.equal(await store.commit([]), []);
  });

  clause('actor counts group actors by kind and state, nested and parallel ones too', async (store) => {
    const fence = await own(store, 'i1');
    const of = (address: string, value: unknown, kind = 'account') => ({
      record: actor(address, 1, { kind, snapshot: JSON.stringify({ context: { value: 'no' }, value }) }),
      expected: 0,
    });
    await store.commit([
      write(fence, {
        actors: [
          of('account:a', 'open'),
          of('account:b', 'open'),
          of('account:c', { open: 'waiting' }),
          of('account:d', 'closed'),
          of('key:a', { rate: 'ok', status: { active: 'x' } }, 'key'),
        ],
      }),
    ]);
    const reopened = { record: actor('account:d', 2, { snapshot: '{"value":"open"}' }), expected: 1 };
    const shut = { record: actor('account:a', 2, { snapshot: '{"value":"shut"}' }), expected: 1 };
    await store.commit([write(fence, { actors: [reopened, shut] })]);
    assert.equal(await store.actorCounts(), [
      { kind: 'account', state: 'open', chart: 1, count: 2 },
      { kind: 'account', state: 'open.waiting', chart: 1, count: 1 },
      { kind: 'account', state: 'shut', chart: 1, count: 1 },
      { kind: 'key', state: 'rate.ok+status.active.x', chart: 1, count: 1 },
    ]);
    const newer = { record: { ...actor('account:b', 2, { snapshot: '{"value":"open"}' }), chart: 2 }, expected: 1 };
    await store.commit([write(fence, { actors: [newer] })]);
    assert.is((await store.loadActor('account:b'))?.actor.chart, 2);
    assert.equal((await store.actorCounts()).slice(0, 2), [
      { kind: 'account', state: 'open', chart: 1, count: 1 },
      { kind: 'account', state: 'open', chart: 2, count: 1 },
    ]);
  });

  clause(
    'states return every distinct state value by kind and chart, and count snapshots that are not JSON',
    async (store) => {
      const fence = await own(store, 'i1');
      const put = (address: string, snapshot: string, more: object = {}) => ({
        record: { ...actor(address, 1, { snapshot }), ...more },
        expected: 0,
      });
      const open = '{"sum":"x","value":"open","context":{"a":1}}';
      await store.commit([
        write(fence, {
          actors: [
            put('account:b', open),
            put('account:a', '{"value":"open","context":{}}'),
            put('account:c', '{"value":{"open":"waiting"}}'),
            put('account:d', open, { chart: 2 }),
            put('account:e', 'torn'),
            put('key:a', '{"value":{"open":"waiting"}}', { kind: 'key' }),
          ],
        }),
      ]);
      assert.equal(await store.states(), [
        { kind: 'account', chart: 1, value: null, count: 1, example: 'account:e' },
        { kind: 'account', chart: 1, value: '"open"', count: 2, example: 'account:a' },
        { kind: 'account', chart: 1, value: '{"open":"waiting"}', count: 1, example: 'account:c' },
        { kind: 'account', chart: 2, value: '"open"', count: 1, example: 'account:d' },
        { kind: 'key', chart: 1, value: '{"open":"waiting"}', count: 1, example: 'key:a' },
      ]);
    },
  );
}

function judgementClauses(clause: Clause): void {
  clause('a shard of another owner, another epoch or no owner is refused by its fence', async (store) => {
    const fence = await own(store, 'i1');
    const actors = [{ record: actor('account:a', 1), expected: 0 }];
    const verdicts = await store.commit([
      write({ ...fence, owner: 'i2' }, { actors }),
      write({ ...fence, epoch: fence.epoch - 1 }, { actors }),
      write({ ...fence, epoch: fence.epoch + 1 }, { actors }),
      write(fence, { shard: 6, actors }),
      write(fence, { shard: SHARDS + 5, actors }),
    ]);
    assert.equal(refusals(verdicts), ['fence', 'fence', 'fence', 'fence', 'fence']);
    assert.equal(
      verdicts.map(({ shard }) => shard),
      [7, 7, 7, 6, SHARDS + 5],
    );
    assert.is(await store.loadActor('account:a'), null);
  });

  clause('an owner cannot write after its shard was taken over', async (store) => {
    const old = await own(store, 'i1');
    const before = await store.heartbeat({ incarnation: 'i1', reaches: [], state: 'up' });
    assert.is(await store.markDead('i1', before.nodes[0]?.beat ?? -1, 'silent'), true);
    const next = await own(store, 'i2');
    const actors = [{ record: actor('account:a', 1), expected: 0 }];
    assert.equal(refusals(await store.commit([write(old, { actors })])), ['fence']);
    assert.equal(refusals(await store.commit([write(next, { actors })])), [null]);
  });

  clause('a version other than the stored one refuses the whole shard', async (store) => {
    const fence = await own(store, 'i1');
    await store.commit([write(fence, { actors: [{ record: actor('account:a', 3), expected: 0 }] })]);
    for (const expected of [0, 2, 4]) {
      const verdicts = await store.commit([
        write(fence, {
          actors: [
            { record: actor('account:b', 1), expected: 0 },
            { record: actor('account:a', 9), expected },
          ],
          rowsPut: [row('h')],
          rowsRemoved: [],
          timersSet: [timer('t', 1)],
        }),
      ]);
      assert.equal(refusals(verdicts), ['version']);
    }
    const absent = await store.commit([write(fence, { actors: [{ record: actor('account:z', 2), expected: 1 }] })]);
    assert.equal(refusals(absent), ['version']);
    assert.is(await stored(store, 'account:a'), 3);
    assert.is(await stored(store, 'account:b'), null);
    assert.is(await store.rowById('holds', 'h'), null);
    assert.equal(await store.timersOf('account:a'), []);
  });

  clause('a refused shard does not affect the others of its commit, whatever its position', async (store) => {
    const fence = await own(store, 'i1', [1, 2, 3]);
    const one = (shard: number) => [{ record: actor(`account:s${shard}`, 1, { shard }), expected: 0 }];
    const verdicts = await store.commit([
      write(fence, { shard: 1, actors: one(1) }),
      write({ ...fence, epoch: 99 }, { shard: 2, actors: one(2), rowsPut: [row('lost')] }),
      write(fence, { shard: 3, actors: one(3), rowsPut: [row('kept')] }),
    ]);
    assert.equal(refusals(verdicts), [null, 'fence', null]);
    assert.is(await stored(store, 'account:s1'), 1);
    assert.is(await stored(store, 'account:s2'), null);
    assert.is(await stored(store, 'account:s3'), 1);
    assert.is(await store.rowById('holds', 'lost'), null);
    assert.equal(await store.rowById('holds', 'kept'), row('kept'));
  });

  clause(
    'a shard refused by its last version keeps all its records, and the others of its commit are written',
    async (store) => {
      const fence = await own(store, 'i1', [1, 2, 3]);
      const at = (shard: number, local: string, version: number, expected = version - 1) => ({
        record: actor(`account:s${shard}${local}`, version, { shard }),
        expected,
      });
      const first = [1, 2, 3].map((shard) => write(fence, { shard, actors: [at(shard, 'a', 1), at(shard, 'b', 1)] }));
      assert.equal(refusals(await store.commit(first)), [null, null, null]);
      const verdicts = await store.commit([
        write(fence, { shard: 1, actors: [at(1, 'a', 2), at(1, 'b', 2)], rowsPut: [row('one')] }),
        write(fence, { shard: 2, actors: [at(2, 'a', 2), at(2, 'b', 3)], rowsPut: [row('two')] }),
        write(fence, { shard: 3, actors: [at(3, 'a', 2), at(3, 'c', 1)], rowsPut: [row('three')] }),
      ]);
      assert.equal(refusals(verdicts), [null, 'version', null]);
      const kept = ['1a', '1b', '2a', '2b', '3a', '3b', '3c'].map((name) => stored(store, `account:s${name}`));
      assert.equal(await Promise.all(kept), [2, 2, 1, 1, 2, 1, 1]);
      for (const id of ['one', 'three']) assert.ok(await store.rowById('holds', id));
      assert.is(await store.rowById('holds', 'two'), null);
    },
  );

  clause('commits sent one after another without waiting are applied in that order', async (store) => {
    const fence = await own(store, 'i1');
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        store.commit([write(fence, { actors: [{ record: actor('account:a', i + 1), expected: i }] })]),
      ),
    );
    assert.equal(new Set(all.flatMap(refusals)), new Set([null]));
    assert.is(await stored(store, 'account:a'), 20);
  });
}

function stoppingClauses(clause: Clause): void {
  clause('a stopped actor is removed with its timers; its collections stay', async (store) => {
    const fence = await own(store, 'i1');
    const made = { record: actor('account:a', 1), expected: 0 };
    const other = { record: actor('account:b', 1), expected: 0 };
    const timersSet = [timer('t', 5), timer('t', 6, 'account:b')];
    await store.commit([write(fence, { actors: [made, other], rowsPut: [row('h', { open: true })], timersSet })]);
    const stopped = [{ address: 'account:a', expected: 1 }];
    assert.equal(refusals(await store.commit([write(fence, { stopped })])), [null]);
    assert.is(await store.loadActor('account:a'), null);
    assert.equal(await store.timersOf('account:a'), []);
    assert.equal(await store.timersOf('account:b'), [timer('t', 6, 'account:b')]);
    assert.equal(await store.rowById('holds', 'h'), row('h', { open: true }));
  });

  clause('a stop asserts the version like a write', async (store) => {
    const fence = await own(store, 'i1');
    await store.commit([write(fence, { actors: [{ record: actor('account:a', 2), expected: 0 }] })]);
    for (const expected of [0, 1, 3]) {
      const verdicts = await store.commit([
        write(fence, { stopped: [{ address: 'account:a', expected }], rowsPut: [row('h')] }),
      ]);
      assert.equal(refusals(verdicts), ['version']);
    }
    assert.is(await stored(store, 'account:a'), 2);
    assert.is(await store.rowById('holds', 'h'), null);
  });

  clause('an actor created and stopped within one commit leaves no trace', async (store) => {
    const fence = await own(store, 'i1');
    const stopped = [{ address: 'account:a', expected: 0 }];
    assert.equal(refusals(await store.commit([write(fence, { stopped, rowsPut: [row('h')] })])), [null]);
    assert.is(await store.loadActor('account:a'), null);
    assert.equal(await store.rowById('holds', 'h'), row('h'));
  });

  clause('a stopped actor can be created again, also within the commit that stops it', async (store) => {
    const fence = await own(store, 'i1');
    await store.commit([write(fence, { actors: [{ record: actor('account:a', 4), expected: 0 }] })]);
    await store.commit([write(fence, { stopped: [{ address: 'account:a', expected: 4 }] })]);
    await store.commit([write(fence, { actors: [{ record: actor('account:a', 1), expected: 0 }] })]);
    assert.is(await stored(store, 'account:a'), 1);
    const again = { record: actor('account:a', 2), expected: 1 };
    const stopped = [{ address: 'account:a', expected: 1 }];
    const verdicts = await store.commit([write(fence, { stopped, actors: [again], timersSet: [timer('new', 3)] })]);
    assert.equal(refusals(verdicts), [null]);
    assert.is(await stored(store, 'account:a'), 2);
    assert.equal(await store.timersOf('account:a'), [timer('new', 3)]);
  });
}
