/** Clauses of the Store port on rows: look-ups, lists, cursors, open rows and expiry. */
import * as assert from 'uvu/assert';
import type { RowQuery, RowRecord, Store } from '../../../actors/runtime/ports/store.ts';
import { seededFraction } from '../../../actors/runtime/stores/sqlite/lock.ts';
import type { Clause } from './clause.ts';
import { actor, own, row, write } from './records.ts';

async function put(store: Store, rows: readonly RowRecord[]): Promise<void> {
  const fence = await own(store, 'writer');
  const verdicts = await store.commit([write(fence, { rowsPut: rows })]);
  assert.is(verdicts[0]?.committed, true);
}

async function ids(store: Store, query: RowQuery): Promise<string[]> {
  return (await store.rows(query)).map(({ id }) => id);
}

export function rowClauses(clause: Clause): void {
  lookUpClauses(clause);
  historyClauses(clause);
  trimClauses(clause);
  listClauses(clause);
  openClauses(clause);
  referredClauses(clause);
  runtimeClauses(clause);
  sweepClauses(clause);
}

function lookUpClauses(clause: Clause): void {
  clause('a row is read exactly as it was put, by key and by id', async (store) => {
    const full = row('h', { sort: 1_763_690_000_123.5, index: ['a', '', null, 'ü'], open: true, expiresAt: 9e15 });
    await put(store, [full]);
    assert.equal(await store.row({ address: 'account:a', collection: 'holds', id: 'h' }), full);
    assert.equal(await store.rowById('holds', 'h'), full);
    assert.is(await store.row({ address: 'account:b', collection: 'holds', id: 'h' }), null);
    assert.is(await store.rowById('others', 'h'), null);
  });

  clause('fewer than four index columns read back as four', async (store) => {
    await put(store, [row('h', { index: ['a'] }), row('g', { index: [] })]);
    assert.equal((await store.rowById('holds', 'h'))?.index, ['a', null, null, null]);
    assert.equal((await store.rowById('holds', 'g'))?.index, [null, null, null, null]);
  });

  clause('an id used by several actors returns the row of the first address', async (store) => {
    await put(
      store,
      ['account:c', 'account:a', 'account:b'].map((address) => row('h', { address, body: address })),
    );
    assert.is((await store.rowById('holds', 'h'))?.address, 'account:a');
    assert.is((await store.row({ address: 'account:c', collection: 'holds', id: 'h' }))?.body, 'account:c');
  });

  clause('a put replaces every member of the row and its place in every list', async (store) => {
    const fence = await own(store, 'i1');
    const first = row('h', { sort: 1, index: ['a', 'b', 'c', 'd'], open: true, expiresAt: 5 });
    const changes: readonly Partial<RowRecord>[] = [
      { body: 'new' },
      { open: false },
      { expiresAt: null },
      { expiresAt: 70 },
      { index: ['x', null, 'c', 'd'] },
      { sort: 2 },
      { index: [null, 'b', 'c', 'e'], open: true, expiresAt: null, body: 'last' },
    ];
    await store.commit([write(fence, { rowsPut: [first] })]);
    let expected = first;
    for (const change of changes) {
      expected = { ...expected, ...change };
      await store.commit([write(fence, { rowsPut: [expected] })]);
      assert.equal(await store.rowById('holds', 'h'), expected);
      assert.equal(await store.rows({ collection: 'holds', address: 'account:a', limit: 9 }), [expected]);
      for (const column of [0, 1, 2, 3] as const) {
        for (const equals of ['a', 'b', 'c', 'd', 'e', 'x']) {
          const found = await ids(store, { collection: 'holds', where: { column, equals }, limit: 9 });
          assert.equal(found, expected.index[column] === equals ? ['h'] : []);
        }
      }
      const open = await ids(store, { collection: 'holds', openOnly: true, limit: 9 });
      assert.equal(open, expected.open ? ['h'] : []);
    }
    assert.is(await store.sweepRows(1e15, 9), 0);
  });

  clause("a removed row is in no list; another actor's row with that id stays", async (store) => {
    const fence = await own(store, 'i1');
    const mine = row('h', { open: true, index: ['a'] });
    await store.commit([write(fence, { rowsPut: [mine, row('h', { address: 'account:b' })] })]);
    const rowsRemoved = [{ address: 'account:a', collection: 'holds', id: 'h' }];
    await store.commit([write(fence, { rowsRemoved: [...rowsRemoved, { ...mine, id: 'never' }] })]);
    assert.is((await store.rowById('holds', 'h'))?.address, 'account:b');
    assert.equal(await ids(store, { collection: 'holds', openOnly: true, limit: 9 }), []);
    assert.equal(await ids(store, { collection: 'holds', where: { column: 0, equals: 'a' }, limit: 9 }), []);
  });
}

/** A collection that keeps its last rows. */
function trimClauses(clause: Clause): void {
  const mine = { address: 'account:a', collection: 'steps' };
  const steps = (...sorts: readonly number[]) => sorts.map((sort) => row(`s${sort}`, { ...mine, sort }));
  const kept = (store: Store) => ids(store, { ...mine, limit: 99 });

  clause('a trim keeps the last rows of its actor and collection, before rows are put', async (store) => {
    const fence = await own(store, 'i1');
    const others = [row('s1', { collection: 'steps', address: 'account:b' }), row('s1', { collection: 'holds' })];
    await store.commit([write(fence, { rowsPut: [...steps(1, 2, 3, 10, 11), ...others] })]);
    await store.commit([write(fence, { rowsTrimmed: [{ ...mine, rowsMax: 5 }] })]);
    assert.equal(await kept(store), ['s1', 's2', 's3', 's10', 's11']);
    await store.commit([write(fence, { rowsTrimmed: [{ ...mine, rowsMax: 3 }], rowsPut: steps(12) })]);
    assert.equal(await kept(store), ['s3', 's10', 's11', 's12']);
    await store.commit([write(fence, { rowsTrimmed: [{ ...mine, rowsMax: 0 }], rowsPut: steps(13) })]);
    assert.equal(await kept(store), ['s13']);
    assert.equal(await ids(store, { collection: 'steps', address: 'account:b', limit: 9 }), ['s1']);
    assert.equal(await ids(store, { collection: 'holds', limit: 9 }), ['s1']);
  });

  clause('a refused shard trims nothing', async (store) => {
    const fence = await own(store, 'i1');
    await store.commit([write(fence, { rowsPut: steps(1, 2) })]);
    await store.commit([write({ ...fence, epoch: fence.epoch + 1 }, { rowsTrimmed: [{ ...mine, rowsMax: 0 }] })]);
    assert.equal(await kept(store), ['s1', 's2']);
  });
}

/** Rows that open, close, move and change in any order, which covers a store's optimised updates. */
function historyClauses(clause: Clause): void {
  clause('a row always equals its last put, in every list', async (store) => {
    const fence = await own(store, 'i1');
    const fraction = seededFraction(41);
    const oneOf = <T>(values: readonly T[]): T => values[Math.floor(fraction() * values.length)] as T;
    const last = new Map<string, RowRecord>();
    const expected = (holds: (row: RowRecord) => boolean): string[] =>
      [...last.values()]
        .filter(holds)
        .sort((a, b) => a.sort - b.sort || (a.id < b.id ? -1 : 1))
        .map(({ id }) => id);
    for (let commit = 0; commit < 300; commit++) {
      const rowsPut = ['a', 'b', 'c', 'd']
        .filter(() => fraction() < 0.6)
        .map((id) => {
          const rest = [1, 2, 3].map((column) => (fraction() < 0.95 ? `${column}` : oneOf([null, 'x'])));
          const index = [oneOf([null, 'x', '0']), ...rest];
          const open = fraction() < 0.5;
          const expiresAt = open ? oneOf([null, null, 5]) : oneOf([5, 5, null]);
          return row(id, { sort: fraction() < 0.9 ? 1 : 2, index, open, expiresAt, body: `"${commit}"` });
        });
      const verdicts = await store.commit([write(fence, { rowsPut })]);
      assert.is(verdicts[0]?.committed, true);
      for (const put of rowsPut) last.set(put.id, put);
      for (const [id, put] of last) assert.equal(await store.rowById('holds', id), put, `after commit ${commit}`);
      const list = { collection: 'holds', limit: 9 };
      assert.equal(
        await ids(store, { ...list, address: 'account:a' }),
        expected(() => true),
      );
      assert.equal(
        await ids(store, { ...list, address: 'account:a', openOnly: true }),
        expected(({ open }) => open),
      );
      for (const column of [0, 1, 2, 3] as const) {
        const where = { column, equals: 'x' };
        assert.equal(
          await ids(store, { ...list, where }),
          expected(({ index }) => index[column] === 'x'),
        );
      }
    }
    assert.is(await store.sweepRows(6, 9), expected(({ expiresAt }) => expiresAt === 5).length);
  });
}

function listClauses(clause: Clause): void {
  clause('a list is ordered by sort, then id, in either direction', async (store) => {
    await put(store, [row('b', { sort: 2 }), row('a', { sort: 2 }), row('d', { sort: 1 }), row('c', { sort: 10 })]);
    const query = { collection: 'holds', address: 'account:a', limit: 9 };
    assert.equal(await ids(store, query), ['d', 'a', 'b', 'c']);
    assert.equal(await ids(store, { ...query, order: 'descending' }), ['c', 'b', 'a', 'd']);
    assert.equal(await ids(store, { ...query, limit: 2 }), ['d', 'a']);
    assert.equal(await ids(store, { ...query, limit: 1, order: 'descending' }), ['c']);
  });

  clause('a cursor continues after its row, across ties and in either direction', async (store) => {
    const rows = Array.from({ length: 25 }, (_, i) =>
      row(`r${String(i).padStart(2, '0')}`, { sort: Math.floor(i / 4) }),
    );
    await put(store, [...rows, row('other', { address: 'account:b' })]);
    const all = rows.map(({ id }) => id);
    for (const order of ['ascending', 'descending'] as const) {
      for (const by of [{ address: 'account:a' }, { where: undefined }]) {
        const seen: string[] = [];
        let after: RowQuery['after'];
        for (let page = 0; page < 20; page++) {
          const address = by.address === undefined ? {} : { address: by.address };
          const found = await store.rows({ collection: 'holds', ...address, order, limit: 4, ...(after && { after }) });
          seen.push(...found.map(({ id }) => id).filter((id) => id !== 'other'));
          after = found.at(-1);
          if (found.length < 4) break;
        }
        assert.equal(seen, order === 'ascending' ? all : all.toReversed());
      }
    }
  });

  clause('a list contains only its collection, its actor and its look-up column', async (store) => {
    await put(store, [
      row('1', { index: ['k1', 'm1'], sort: 3 }),
      row('2', { index: ['k2', 'm1'], sort: 2 }),
      row('3', { index: ['k1', null, 'k1'], sort: 1, address: 'account:b' }),
      row('4', { index: ['k1'], collection: 'others' }),
      row('5', { index: [null, 'k1'] }),
    ]);
    const k1 = { collection: 'holds', where: { column: 0, equals: 'k1' }, limit: 9 } as const;
    assert.equal(await ids(store, k1), ['3', '1']);
    assert.equal(await ids(store, { ...k1, address: 'account:a' }), ['1']);
    assert.equal(await ids(store, { ...k1, order: 'descending', after: { sort: 3, id: '1' } }), ['3']);
    assert.equal(await ids(store, { ...k1, where: { column: 1, equals: 'm1' } }), ['2', '1']);
    assert.equal(await ids(store, { ...k1, where: { column: 3, equals: 'k1' } }), []);
    assert.equal(await ids(store, { collection: 'holds', limit: 9 }), ['5', '3', '2', '1']);
    assert.equal(await ids(store, { collection: 'none', limit: 9 }), []);
  });

  clause('a list by the beginning of a look-up column has its order, and pages through equal values', async (store) => {
    const names = ['acm', 'acme', 'acme', 'acme', 'acme corp', 'acmé', 'acn', 'Acme', 'ac%', 'b', null];
    const rows = names.map((name, at) =>
      row(`r${at}`, { index: [null, name], sort: at % 2, address: `account:${at}` }),
    );
    await put(store, [...rows, row('x', { index: [null, 'acme'], collection: 'others' })]);
    const seen = async (text: string, limit: number): Promise<readonly string[]> => {
      const all: string[] = [];
      let after: RowQuery['after'];
      for (;;) {
        const query = { collection: 'holds', startsWith: { column: 1, text }, limit } as const;
        const page = await store.rows(after === undefined ? query : { ...query, after });
        all.push(...page.map(({ id }) => id));
        const last = page.at(-1);
        if (last === undefined || page.length < limit) return all;
        after = { sort: last.sort, id: last.id, value: last.index[1] ?? '' };
      }
    };
    for (const limit of [1, 2, 9]) {
      assert.equal(await seen('acm', limit), ['r0', 'r2', 'r1', 'r3', 'r4', 'r5'], `pages of ${limit}`);
      assert.equal(await seen('ac%', limit), ['r8'], 'no character is a wildcard');
    }
    assert.equal(await seen('acme corporation', 9), []);
  });

  clause("a list limit outside 1 to 1000 is the caller's error", async (store) => {
    for (const limit of [0, 1_001, 1.5, -1]) {
      const refused = await store.rows({ collection: 'holds', limit }).then(
        () => null,
        (error: unknown) => error,
      );
      assert.instance(refused, RangeError);
    }
  });
}

function openClauses(clause: Clause): void {
  clause("open rows are loaded with their actor, from all its collections and no other actor's", async (store) => {
    const fence = await own(store, 'i1');
    const open = [
      row('x', { collection: 'batches', open: true, sort: 9 }),
      row('h1', { open: true, sort: 1 }),
      row('h2', { open: true, sort: 2 }),
    ];
    const others = [row('h0'), row('h3', { open: true, address: 'account:b' })];
    const actors = [{ record: actor('account:a', 1), expected: 0 }];
    await store.commit([write(fence, { actors, rowsPut: [...open, ...others] })]);
    assert.equal((await store.loadActor('account:a'))?.openRows, open);
    await store.commit([write(fence, { rowsPut: [row('h1', { sort: 1 })] })]);
    assert.equal(
      (await store.loadActor('account:a'))?.openRows.map(({ id }) => id),
      ['x', 'h2'],
    );
  });

  clause('lists of open rows combine with actor and look-up column', async (store) => {
    await put(store, [
      row('1', { open: true, index: [null, 'node1'], sort: 2 }),
      row('2', { open: false, index: [null, 'node1'] }),
      row('3', { open: true, index: [null, 'node1'], sort: 1, address: 'account:b' }),
      row('4', { open: true, index: [null, 'node2'] }),
      row('5', { open: true, index: [null, 'node1'], collection: 'others' }),
    ]);
    const orphans = { collection: 'holds', openOnly: true, where: { column: 1, equals: 'node1' }, limit: 9 } as const;
    assert.equal(await ids(store, orphans), ['3', '1']);
    assert.equal(await ids(store, { ...orphans, address: 'account:a' }), ['1']);
    assert.equal(await ids(store, { ...orphans, after: { sort: 1, id: '3' } }), ['1']);
    assert.equal(await ids(store, { collection: 'holds', openOnly: true, address: 'account:a', limit: 9 }), ['4', '1']);
  });
}

function referredClauses(clause: Clause): void {
  clause('values that occur in one of several columns are found once each, whatever actor has them', async (store) => {
    await put(store, [
      row('1', { index: ['b1'] }),
      row('2', { index: ['b1'], address: 'account:b' }),
      row('3', { index: [null, 'b2', 'b3'] }),
      row('4', { index: ['b4'], open: true }),
      row('5', { index: ['b5'], collection: 'files' }),
      row('6', { index: ['b1'], collection: 'files' }),
      row("it's", { index: ["b'6"] }),
    ]);
    const asked = ['b0', 'b1', 'b2', 'b3', 'b4', 'b5', "b'6", ''];
    const found = async (...columns: readonly (readonly [string, 0 | 1 | 2 | 3])[]): Promise<readonly string[]> => {
      const given = columns.map(([collection, column]) => ({ collection, column }));
      return [...(await store.referred(given, asked))].sort();
    };
    assert.equal(await found(['holds', 0]), ["b'6", 'b1', 'b4']);
    assert.equal(await found(['holds', 1]), ['b2']);
    assert.equal(await found(['holds', 3]), []);
    assert.equal(await found(['files', 0]), ['b1', 'b5']);
    assert.equal(await found(['holds', 2], ['files', 0], ['holds', 0]), ["b'6", 'b1', 'b3', 'b4', 'b5']);
    assert.equal(await found(['nowhere', 0]), []);
  });

  clause('a thousand values are looked up at once, also where one value has many rows', async (store) => {
    const rows = Array.from({ length: 500 }, (_, n) => row(`r${n}`, { index: [n < 300 ? 'batch' : `b${n}`] }));
    await put(store, rows);
    const asked = ['batch', ...Array.from({ length: 999 }, (_, n) => `b${n}`)];
    const found = await store.referred([{ collection: 'holds', column: 0 }], asked);
    assert.is(found.length, 201);
    assert.is(new Set(found).size, 201);
  });
}

function runtimeClauses(clause: Clause): void {
  clause("open rows of the runtime's own collections are found by their first column, of all actors", async (store) => {
    await put(store, [
      row('1', { collection: '$outbox', index: ['7'], sort: 2, open: true }),
      row('2', { collection: '$outbox', index: ['7'], sort: 1, open: true, address: 'account:b' }),
      row('3', { collection: '$outbox', index: ['8'], open: true }),
      row('4', { collection: '$outbox', index: ['7'] }),
      row('5', { collection: '$activities', index: ['7'], open: true }),
      row('6', { collection: 'outbox', index: ['7'], open: true }),
      row('7', { collection: '$outbox', index: [null, '7'], open: true }),
    ]);
    const waiting = { collection: '$outbox', openOnly: true, where: { column: 0, equals: '7' }, limit: 9 } as const;
    assert.equal(await ids(store, waiting), ['2', '1']);
    assert.equal(await ids(store, { ...waiting, order: 'descending', limit: 1 }), ['1']);
    assert.equal(await ids(store, { ...waiting, after: { sort: 1, id: '2' } }), ['1']);
    assert.equal(await ids(store, { ...waiting, address: 'account:a' }), ['1']);
    assert.equal(await ids(store, { ...waiting, where: { column: 1, equals: '7' } }), ['7']);
  });

  clause('texts are returned unchanged: no body or column is parsed as a number', async (store) => {
    const exact = '{"amount":"0.100000000000000000000001","n":1.10,"e":1e2}';
    const texts = row('00012.50', { body: exact, index: ['0.10', '1e2', '007', ' 1'] });
    await put(store, [texts]);
    assert.equal(await store.rowById('holds', '00012.50'), texts);
    assert.equal(await ids(store, { collection: 'holds', where: { column: 0, equals: '0.1' }, limit: 9 }), []);
  });
}

function sweepClauses(clause: Clause): void {
  clause('a sweep removes expired rows, oldest first and at most its limit', async (store) => {
    await put(store, [
      row('1', { expiresAt: 100 }),
      row('2', { expiresAt: 300 }),
      row('3', { expiresAt: 200 }),
      row('4', { expiresAt: null }),
      row('5', { expiresAt: 1_000 }),
    ]);
    const list = { collection: 'holds', address: 'account:a', limit: 9 };
    assert.is(await store.sweepRows(50, 9), 0);
    assert.is(await store.sweepRows(100, 9), 0, 'a row is kept up to and including its last millisecond');
    assert.is(await store.sweepRows(900, 2), 2);
    assert.equal(await ids(store, list), ['2', '4', '5']);
    assert.is(await store.sweepRows(900, 2), 1);
    assert.is(await store.sweepRows(900, 2), 0);
    assert.equal(await ids(store, list), ['4', '5']);
  });

  clause('expired rows are listed in the order of a sweep, and removed unless they have changed', async (store) => {
    const changed = row('3', { expiresAt: 200, body: '{"n":1}' });
    const fence = await own(store, 'writer');
    const others = Object.entries({ 1: 100, 2: 300, 4: null }).map(([id, expiresAt]) => row(id, { expiresAt }));
    await store.commit([write(fence, { rowsPut: [changed, ...others] })]);
    const seen = await store.expiredRows(900, 9);
    assert.is(seen.map(({ id }) => id).join(), '1,3,2');
    assert.equal(await store.expiredRows(101, 9), seen.slice(0, 1));
    assert.equal(await store.expiredRows(900, 2), seen.slice(0, 2));
    await store.commit([write(fence, { rowsPut: [{ ...changed, body: '{"n":2}' }] })]);
    assert.is(await store.removeRows(seen), 2);
    assert.is(await store.removeRows(seen), 0, 'a repeat removes nothing');
    assert.is(await store.removeRows([]), 0);
    assert.equal(await ids(store, { collection: 'holds', address: 'account:a', limit: 9 }), ['3', '4']);
  });
}
