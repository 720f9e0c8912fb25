/** Reading a page of a list: every row once, whatever narrows or orders it, and never more rows than the bound. */
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RowQuery, RowRecord } from '../../../../../actors/runtime/index.ts';
import type { List } from '../../../../../gateway/pages/kit/list/list.ts';
import { addressAt, type ListQuery, parseListQuery } from '../../../../../gateway/pages/kit/list/list-query.ts';
import { type ListPage, READ_ROWS, READS_MAX, readList } from '../../../../../gateway/pages/kit/list/read-list.ts';

interface Item {
  readonly id: string;
  readonly at: number;
  readonly colour: string;
  readonly size: number;
}

const DAY_MS = 86_400_000;
const BOUND = READ_ROWS * READS_MAX;

function list(more: Partial<List<Item>> = {}): List<Item> {
  return {
    path: '/items',
    noun: 'items',
    rows: { collection: 'item' },
    pageRows: 10,
    read: ({ body }) => JSON.parse(body) as Item,
    timeOf: ({ at }) => at,
    nameOf: ({ id }) => id,
    positionOf: (name) => {
      const [, at] = /^i(\d+)-/.exec(name) ?? [];
      return at === undefined ? null : { sort: Number(at), id: name };
    },
    texts: ({ id, colour }) => [id, colour],
    filters: [
      {
        ...{ name: 'colour', title: 'Colour', options: ['red', 'blue'].map((value) => ({ value, text: value })) },
        matches: ({ colour }, value) => colour === value,
      },
    ],
    sorts: [{ value: 'size', text: 'Largest first', compare: (a, b) => b.size - a.size }],
    ...more,
  };
}

/** Rows as the store answers them, and how many were read. */
function store(items: readonly Item[]) {
  const read = { rows: 0, queries: [] as RowQuery[] };
  const records = items
    .map((item) => ({ id: item.id, sort: item.at, index: [item.colour], body: JSON.stringify(item) }))
    .sort((a, b) => a.sort - b.sort || (a.id < b.id ? -1 : 1)) as unknown as RowRecord[];
  const rows = async (query: RowQuery): Promise<readonly RowRecord[]> => {
    const { where, order, after, limit } = query;
    read.queries.push(query);
    const ordered = order === 'descending' ? [...records].reverse() : records;
    const isBehind = ({ sort, id }: RowRecord): boolean => {
      if (after === undefined) return true;
      const place = sort - after.sort || (id < after.id ? -1 : id > after.id ? 1 : 0);
      return order === 'descending' ? place < 0 : place > 0;
    };
    const found = ordered.filter((row) => isBehind(row) && (where === undefined || row.index[0] === where.equals));
    read.rows += Math.min(limit, found.length);
    return found.slice(0, limit);
  };
  return { read, reader: { rows: { rows }, step: <R>(step: () => Promise<R>) => step(), readsMax: READS_MAX } };
}

function items(count: number, colourOf: (at: number) => string = () => 'red', msApart = 1): readonly Item[] {
  return Array.from({ length: count }, (_, at) => ({
    ...{ id: `i${at * msApart}-${at}`, at: at * msApart, colour: colourOf(at), size: (at * 7919) % 1_000 },
  }));
}

/** The items of every page, followed by their links. */
async function followed(of: List<Item>, query: string, all: readonly Item[]) {
  const { read, reader } = store(all);
  const seen: Item[] = [];
  let [pages, most] = [0, 0];
  for (let address: string | null = query; address !== null; pages++) {
    const before = read.rows;
    const asked: ListQuery = parseListQuery(of, address);
    const { items: shown, next, further }: ListPage<Item> = await readList(of, asked, reader);
    most = Math.max(most, read.rows - before);
    seen.push(...shown);
    const place: ListPage<Item>['next'] = next ?? further;
    address = place === null ? null : (addressAt(of.path, asked, place).split('?')[1] as string);
    if (pages > 1_000) throw new Error('the links do not end');
  }
  return { seen, pages, most };
}

test('the links lead to every row once, newest or oldest first, and a plain page reads no more than it shows (rule K39)', async () => {
  const all = items(95);
  const newest = await followed(list(), '', all);
  assert.equal(
    newest.seen.map(({ id }) => id),
    [...all].reverse().map(({ id }) => id),
  );
  assert.equal([newest.pages, newest.most], [10, 11]);
  const oldest = await followed(list(), 'sort=oldest', all);
  assert.equal(
    oldest.seen.map(({ id }) => id),
    all.map(({ id }) => id),
  );
});

test('any search, filter, days and order show exactly what they name, across all pages (rule K39)', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        count: fc.nat(300),
        colours: fc.array(fc.constantFrom('red', 'blue', 'green'), { minLength: 1, maxLength: 8 }),
        colour: fc.constantFrom('', 'red', 'blue'),
        q: fc.constantFrom('', 'E', '-1', 'nothing'),
        days: fc.constantFrom(['', ''], ['1970-01-02', ''], ['', '1970-01-02'], ['1970-01-02', '1970-01-03']),
        sort: fc.constantFrom('', 'oldest', 'size'),
        sameTime: fc.boolean(),
      }),
      async ({ count, colours, colour, q, days: [from = '', to = ''], sort, sameTime }) => {
        const all = items(count, (at) => colours[at % colours.length] as string, sameTime ? 0 : DAY_MS / 60);
        const query = String(new URLSearchParams({ colour, q, from, to, sort }));
        const { seen } = await followed(list(), query, all);
        const least = from === '' ? Number.NEGATIVE_INFINITY : Date.parse(from);
        const end = to === '' ? Number.POSITIVE_INFINITY : Date.parse(to) + DAY_MS;
        const wanted = all.filter(
          (item) =>
            (colour === '' || item.colour === colour) &&
            [item.id, item.colour].some((text) => text.includes(q.toLowerCase())) &&
            item.at >= least &&
            item.at < end,
        );
        const ids = (list: readonly Item[]) => list.map(({ id }) => id).sort();
        assert.equal(ids(seen), ids(wanted), query);
        if (sort === 'size')
          assert.equal(
            seen.map(({ size }) => size),
            seen.map(({ size }) => size).sort((a, b) => b - a),
          );
      },
    ),
    { numRuns: 100 },
  );
});

test('a search that finds nothing ends at the bound, says how far it looked, and goes on behind it', async () => {
  const all = items(BOUND + 500, (at) => (at === 3 ? 'blue' : 'red'));
  const { read, reader } = store(all);
  const first = await readList(list(), parseListQuery(list(), 'q=blue'), reader);
  assert.equal([first.items.length, read.rows, first.readTo], [0, BOUND, 500]);
  const { seen, most } = await followed(list(), 'q=blue', all);
  assert.equal([seen.map(({ at }) => at), most], [[3], BOUND]);
});

test('an order by value sorts one window, page by page, and leads to the next window', async () => {
  const all = items(BOUND + 100);
  const { seen, most } = await followed(list(), 'sort=size', all);
  assert.is(most, BOUND);
  const sizes = seen.slice(0, 10).map(({ size }) => size);
  assert.equal(
    sizes,
    [...all]
      .slice(100)
      .map(({ size }) => size)
      .sort((a, b) => b - a)
      .slice(0, 10),
  );
});

test('a filter with an index column reads only rows of its value', async () => {
  const all = items(1_000, (at) => (at % 100 === 0 ? 'blue' : 'red'));
  const [colour] = list().filters;
  const filters = [
    { ...(colour as NonNullable<typeof colour>), where: (equals: string) => ({ column: 0, equals }) as const },
  ];
  const { read, reader } = store(all);
  const page = await readList(list({ filters }), parseListQuery(list({ filters }), 'colour=blue'), reader);
  assert.equal([page.items.length, read.rows, page.next], [10, 10, null]);
});

test('the days of a log that is ordered by number are found by their first number', async () => {
  const all = items(50).map((item) => ({ ...item, id: `i${item.at}-x` }));
  const sortAt = async (at: number): Promise<number> => (at === 0 ? 0 : 20);
  const { reader } = store(all);
  const page = await readList(list({ sortAt }), parseListQuery(list(), 'to=1970-01-01'), reader);
  assert.is(page.items[0]?.at, 19, 'the first number of the next day is left out');
});

test('the id of one row shows that row, without a read of others', async () => {
  const { read, reader } = store(items(100));
  const find = async (id: string) => (id === 'i5-5' ? ({ id, body: JSON.stringify(items(6)[5]) } as RowRecord) : null);
  const page = await readList(list({ find }), parseListQuery(list(), 'q=i5-5'), reader);
  assert.equal([page.items.map(({ id }) => id), read.rows], [['i5-5'], 0]);
});

test('a row that is not shown is passed over', async () => {
  const read = ({ body }: RowRecord): Item | null => {
    const item = JSON.parse(body) as Item;
    return item.colour === 'gone' ? null : item;
  };
  const { seen } = await followed(
    list({ read }),
    '',
    items(400, (at) => (at % 9 === 0 ? 'red' : 'gone')),
  );
  assert.is(seen.length, 45);
});

const REFUSED: readonly (readonly [string, string])[] = [
  ['colour=green', 'colour'],
  ['sort=price', 'sort'],
  ['from=yesterday', 'from'],
  ['to=2026-13-01', 'to'],
  ['q=a&q=b', 'q'],
  [`q=${'x'.repeat(201)}`, 'q'],
];
for (const [query, member] of REFUSED)
  test(`a refused query names its member: ${query.slice(0, 30)}`, () => {
    assert.throws(
      () => parseListQuery(list(), query),
      (error: { status: number; message: string }) => error.status === 400 && error.message.startsWith(member),
    );
  });

test('an unknown place begins anew, and empty members of a form are left out of the links', () => {
  const asked = parseListQuery(list(), 'q=&colour=red&sort=&from=&to=&after=nothing&skip=x');
  assert.equal([asked.after, asked.skip], ['nothing', 0]);
  assert.is(addressAt('/items', asked, { after: 'i1-1' }), '/items?colour=red&after=i1-1');
});

test.run();
