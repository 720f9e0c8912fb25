/** Clauses of the Store port on lists of actors and on cluster events. */
import * as assert from 'uvu/assert';
import { ownerOf } from '../../../actors/runtime/index.ts';
import {
  type ActorEntry,
  type ActorQuery,
  CLUSTER_EVENTS_MAX,
  type ClusterEvent,
  type ShardRow,
  type Store,
} from '../../../actors/runtime/ports/store.ts';
import type { Clause } from './clause.ts';
import { actor, join, node, own, SHARDS, write } from './records.ts';

/** Owners that are prefixes of each other, kinds too, and characters that sort before the separators. */
const OWNERS = ['a', 'a-b', 'a.b', 'ab', 'b', 'b~'] as const;
const KINDS = ['key', 'key-x', 'account', 'batch'] as const;
const STATES = ['open', 'shut', 'waiting'] as const;

export function listClauses(clause: Clause): void {
  pageClauses(clause);
  sinceClauses(clause);
  eventClauses(clause);
}

interface Written {
  readonly address: string;
  readonly kind: string;
  readonly shard: number;
  readonly state: string;
}

/** Actors of every kind, owner and state, in two shards, at several times. */
async function filled(store: Store): Promise<readonly Written[]> {
  const fences = await own(store, 'i1', [7, 8]);
  const written: Written[] = [];
  for (const [at, owner] of OWNERS.entries()) {
    const shard = 7 + (at % 2);
    for (const [k, kind] of KINDS.entries()) {
      const locals = kind === 'account' ? [''] : ['/1', '/10', '/2'];
      for (const [l, local] of locals.entries()) {
        const state = STATES[(at + k + l) % STATES.length] as string;
        written.push({ address: `${kind}:${owner}${local}`, kind, shard, state });
      }
    }
  }
  for (const shard of [7, 8]) {
    const all = written.filter((one) => one.shard === shard);
    for (const some of [all.slice(0, 9), all.slice(9)]) {
      const actors = some.map(({ address, kind, state }) => ({
        record: actor(address, 1, { kind, shard, snapshot: JSON.stringify({ value: state }) }),
        expected: 0,
      }));
      await store.commit([write(fences, { shard, actors })]);
    }
  }
  return written;
}

/** Every page until the last. */
async function whole(store: Store, query: ActorQuery): Promise<readonly ActorEntry[]> {
  const all: ActorEntry[] = [];
  let after: ActorQuery['after'];
  do {
    const page = await store.listActors(after === undefined ? query : { ...query, after });
    assert.ok(page.actors.length <= query.limit);
    all.push(...page.actors);
    after = page.next ?? undefined;
  } while (after !== undefined);
  return all;
}

const addressesOf = (all: readonly { readonly address: string }[]): readonly string[] =>
  all.map(({ address }) => address);

function pageClauses(clause: Clause): void {
  clause('every filter and order lists each matching actor once, in order, on pages of any size', async (store) => {
    const written = await filled(store);
    for (const kind of [undefined, 'key', 'nothing']) {
      for (const owner of [undefined, 'a', 'b~', 'nobody']) {
        for (const shards of [undefined, [8], [7, 8], [3]]) {
          for (const [order, state] of [['address'], ['since'], ['since', 'open']] as const) {
            for (const limit of [1, 4, 200]) await compare(written, { kind, owner, shards, order, state, limit });
          }
        }
      }
    }

    async function compare(
      all: typeof written,
      filter: { [K in 'kind' | 'owner' | 'state']?: string | undefined } & {
        readonly shards: readonly number[] | undefined;
        readonly order: 'address' | 'since';
        readonly limit: number;
      },
    ): Promise<void> {
      const { kind, owner, shards, state, order } = filter;
      const query = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
      const listed = await whole(store, query as unknown as ActorQuery);
      const expected = all.filter(
        (one) =>
          (kind ?? one.kind) === one.kind &&
          (owner ?? ownerOf(one.address)) === ownerOf(one.address) &&
          (state ?? one.state) === one.state &&
          (shards?.includes(one.shard) ?? true),
      );
      const said = JSON.stringify(filter);
      assert.equal([...addressesOf(listed)].sort(), [...addressesOf(expected)].sort(), said);
      const place = ({ since, address }: ActorEntry): readonly [number, string] => [
        order === 'since' ? since : 0,
        address,
      ];
      for (const [at, one] of listed.slice(1).entries()) {
        const [[before, first], [after, second]] = [place(listed[at] as ActorEntry), place(one)];
        assert.ok(before < after || (before === after && first < second), said);
      }
    }
  });

  clause('an entry has the stored members of its actor, and newest first turns the order', async (store) => {
    const fence = await own(store, 'i1');
    const snapshot = '{"value":{"open":"waiting"}}';
    const records = ['account:a', 'account:b'].map((address, at) => actor(address, at + 3, { chart: 2, snapshot }));
    for (const record of records) await store.commit([write(fence, { actors: [{ record, expected: 0 }] })]);
    const { actors, next } = await store.listActors({ order: 'since', newestFirst: true, state: 'open', limit: 9 });
    assert.is(next, null);
    const [{ since = 0, ...newest } = {}, oldest] = actors;
    assert.equal(newest, {
      address: 'account:b',
      kind: 'account',
      shard: 7,
      version: 4,
      chart: 2,
      state: 'open.waiting',
    });
    assert.ok(since >= (oldest?.since ?? Number.POSITIVE_INFINITY));
    assert.is(oldest?.address, 'account:a');
  });

  clause('a list by a state has the actors of the states inside it, of any region', async (store) => {
    const fence = await own(store, 'i1');
    const values = ['open', { open: 'waiting' }, { open: { busy: 'x' } }, 'opening', { rate: 'ok', open: 'waiting' }];
    const records = values.map((value, at) => actor(`account:${at}`, 1, { snapshot: JSON.stringify({ value }) }));
    await store.commit([write(fence, { actors: records.map((record) => ({ record, expected: 0 })) })]);
    const of = async (state: string): Promise<readonly string[]> =>
      addressesOf(await whole(store, { order: 'since', kind: 'account', state, limit: 2 })).toSorted();
    assert.equal(await of('open'), ['account:0', 'account:1', 'account:2', 'account:4']);
    assert.equal(await of('open.waiting'), ['account:1', 'account:4']);
    assert.equal(await of('open.waiting+rate.ok'), ['account:4']);
    assert.equal(await of('open.busy'), ['account:2']);
    assert.equal(await of('busy'), []);
  });

  clause('one actor is looked up by its address', async (store) => {
    await filled(store);
    for (const address of ['key:a/1', 'account:a']) {
      const { actors, next } = await store.listActors({ order: 'address', address, limit: 2 });
      assert.equal([addressesOf(actors), next], [[address], null]);
    }
    assert.equal((await store.listActors({ order: 'address', address: 'key:a', limit: 2 })).actors, []);
  });

  clause('a list has 1 to 1000 entries', async (store) => {
    for (const limit of [0, 1_001, 1.5]) {
      for (const ask of [() => store.listActors({ order: 'address', limit }), () => store.clusterEvents({ limit })]) {
        const refused = await ask().then(
          () => null,
          (error: unknown) => error,
        );
        assert.instance(refused, RangeError);
      }
    }
  });
}

function sinceClauses(clause: Clause): void {
  clause('an actor keeps the time at which it entered its state until its state changes', async (store) => {
    const fence = await own(store, 'i1');
    const step = async (version: number, value: string, chart = 1): Promise<ActorEntry> => {
      const record = actor('account:a', version, { chart, snapshot: JSON.stringify({ value }) });
      assert.equal(await store.commit([write(fence, { actors: [{ record, expected: version - 1 }] })]), [
        { shard: 7, committed: true },
      ]);
      const [entry] = (await store.listActors({ order: 'address', limit: 1 })).actors;
      return entry as ActorEntry;
    };
    const first = await step(1, 'open');
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(await step(2, 'open'), { ...first, version: 2 });
    assert.is((await step(3, 'open', 2)).since, first.since, 'another chart is no other state');
    const shut = await step(4, 'shut', 2);
    assert.ok(shut.since > first.since);
    assert.equal((await store.listActors({ order: 'since', state: 'open', limit: 9 })).actors, []);
    assert.equal((await store.listActors({ order: 'since', state: 'shut', limit: 9 })).actors, [shut]);
  });

  clause(
    'kept counts follow ends, repeats, refusals and an actor that ends and begins in one commit',
    async (store) => {
      const fence = await own(store, 'i1');
      const put = (address: string, version: number, expected: number, value = 'open') => ({
        record: actor(address, version, { snapshot: JSON.stringify({ value }) }),
        expected,
      });
      const counts = async (): Promise<readonly (readonly [string, number])[]> =>
        (await store.actorCounts()).map(({ state, count }) => [state, count]);
      await store.commit([write(fence, { actors: [put('account:a', 1, 0), put('account:b', 1, 0)] })]);
      assert.equal(await counts(), [['open', 2]]);
      await store.commit([write(fence, { actors: [put('account:a', 2, 5, 'shut'), put('account:c', 1, 0)] })]);
      await store.commit([write({ ...fence, epoch: 9 }, { actors: [put('account:c', 1, 0)] })]);
      await store.commit([write(fence, { stopped: [{ address: 'account:a', expected: 5 }] })]);
      assert.equal(await counts(), [['open', 2]], 'refused commits count nothing');
      await store.commit([
        write(fence, { stopped: [{ address: 'account:a', expected: 1 }], actors: [put('account:a', 2, 1, 'shut')] }),
      ]);
      assert.equal(await counts(), [
        ['open', 1],
        ['shut', 1],
      ]);
      await store.commit([
        write(fence, { stopped: [{ address: 'account:a', expected: 2 }], actors: [put('account:a', 3, 2, 'shut')] }),
      ]);
      const stopped = { address: 'account:b', expected: 1 };
      await store.commit([write(fence, { stopped: [stopped] })]);
      assert.equal(await counts(), [['shut', 1]]);
      await store.commit([write(fence, { stopped: [{ address: 'account:a', expected: 3 }] })]);
      assert.equal([await counts(), await whole(store, { order: 'since', limit: 9 })], [[], []]);
    },
  );
}

type Told = readonly [ClusterEvent['type'], string, ...(string | number | null)[]];

async function told(store: Store, limit = 100): Promise<readonly Told[]> {
  return [...(await store.clusterEvents({ limit }))]
    .reverse()
    .map(({ type, incarnation, moves, fromIncarnation, why }) =>
      moves === null ? [type, incarnation, why] : [type, incarnation, moves.length, fromIncarnation],
    );
}

function eventClauses(clause: Clause): void {
  clause('joins, deaths, leaves, claims and hand-overs are events, newest first', async (store) => {
    await own(store, 'i1', [3, 4]);
    await join(store, 'n2', 'i2');
    await join(store, 'n2', 'i3');
    assert.is(await store.markDead('i1', 9, 'too early'), false);
    assert.is(await store.markDead('i1', 1, 'silent'), true);
    await store.claim('i3', (await store.shards()).slice(3, 6));
    await join(store, 'n4', 'i4');
    const given = (await store.shards()).filter(({ owner }) => owner === 'i3');
    for (const row of given) await store.give(row, 'i4');
    assert.is(await store.give(given[0] as (typeof given)[number], 'i4'), null);
    await store.leave('i3');
    await store.leave('i3');
    const [claims, rest] = [[] as Told[], [] as Told[]];
    for (const event of await told(store)) (event[1] === 'i3' && event[0] === 'claimed' ? claims : rest).push(event);
    assert.equal(rest, [
      ['joined', 'i1', null],
      ['claimed', 'i1', 2, null],
      ['joined', 'i2', null],
      ['died', 'i2', 'replaced'],
      ['joined', 'i3', null],
      ['died', 'i1', 'silent'],
      ['joined', 'i4', null],
      ['handed_over', 'i4', 3, 'i3'],
      ['left', 'i3', null],
    ]);
    assert.equal(
      [...claims].sort((a, b) => Number(a[2]) - Number(b[2])),
      [
        ['claimed', 'i3', 1, null],
        ['claimed', 'i3', 2, 'i1'],
      ],
    );
  });

  clause(
    'a claim tells whose shards it took under which epochs, and how long after the end of that node',
    async (store) => {
      await own(store, 'i1', [3, 5]);
      await join(store, 'n2', 'i2');
      await store.markDead('i1', 1, 'silent', 7);
      const { nodes } = await store.heartbeat({ incarnation: 'i2', reaches: [], state: 'up' });
      const beatAt = nodes.find(({ incarnation }) => incarnation === 'i1')?.beatAt ?? null;
      const rows = await store.shards();
      await store.claim('i2', rows.slice(3, 4));
      const [first] = await store.clusterEvents({ limit: 1 });
      await store.claim('i2', rows.slice(5, 6));
      const [claimed, died] = (await store.clusterEvents({ limit: 2 })) as [ClusterEvent, ClusterEvent];
      const { at, n, tookMs, beganAt, moves, ...event } = claimed;
      const members = { type: 'claimed', node: 'n2', incarnation: 'i2', from: 'i1', fromIncarnation: 'i1' };
      assert.equal(event, { ...members, why: null, lastBeatAt: null, suspectedAt: null });
      assert.equal([beganAt, n], [first?.at, first?.n]);
      const epochOf = (shard: number) => (rows[shard] as ShardRow).epoch + 1;
      assert.equal(moves, [
        [3, epochOf(3)],
        [5, epochOf(5)],
      ]);
      // A store may read its clock for the end of the node a moment before it reads it for the event.
      assert.ok((tookMs ?? 0) - (at - died.at) >= 0 && (tookMs ?? 0) - (at - died.at) < 100, `${tookMs}`);
      assert.ok(n > died.n);
      assert.equal([died.lastBeatAt, died.suspectedAt], [beatAt, 7]);
      assert.type(beatAt, 'number');
      assert.ok((beatAt as number) <= died.at);
    },
  );

  clause('pages of events follow their numbers, and each has one', async (store) => {
    for (let i = 1; i <= 7; i++) await store.register(node(`n${i}`, `i${i}`));
    const all = await store.clusterEvents({ limit: SHARDS });
    const paged: ClusterEvent[] = [];
    for (let after: number | undefined; ; ) {
      const page = await store.clusterEvents(after === undefined ? { limit: 3 } : { after, limit: 3 });
      paged.push(...page);
      after = page.at(-1)?.n;
      if (after === undefined) break;
    }
    assert.equal(paged, all);
    assert.is(new Set(all.map(({ n }) => n)).size, 7);
  });

  clause('only the newest events are kept', async (store, { nextEvent }) => {
    await store.register(node('n1', 'i1'));
    await store.register(node('n2', 'i2'));
    await nextEvent(CLUSTER_EVENTS_MAX + 1);
    await store.register(node('n3', 'i3'));
    const kept = (await store.clusterEvents({ limit: 1_000 })).map(({ n }) => n);
    assert.equal([kept[0], kept.at(-1)], [CLUSTER_EVENTS_MAX + 1, 2]);
  });
}
