/**
 * Reads one page of a list: at most `READ_ROWS` times `readsMax` rows, however few of them match, each read a step
 * that gives way to live requests. By age the next page goes on behind the last row; any other order sorts what one
 * window of rows holds. No actor is asked. (rule K39)
 */
import type { RowReader, RowRecord } from '../../../../actors/runtime/index.ts';
import type { List, Position } from './list.ts';
import { isNarrowed, type ListQuery, OLDEST } from './list-query.ts';

export const READ_ROWS = 200;
export const READS_MAX = 10;

export interface ListPage<T> {
  readonly items: readonly T[];
  /** The place of the next page; null on the last one. */
  readonly next: ListPlace | null;
  /** The place behind the window that was sorted; null where it has everything. */
  readonly further: ListPlace | null;
  /** Time of the last row that was read where the bound ended the page; null otherwise. */
  readonly readTo: number | null;
}

/** Members of an address. */
type ListPlace = Readonly<Record<string, string>>;

interface ListReader {
  readonly rows: Pick<RowReader, 'rows'>;
  /** Runs one read, now or beside live requests. */
  readonly step: <R>(read: () => Promise<R>) => Promise<R>;
  readonly readsMax: number;
}

export async function readList<T>(list: List<T>, query: ListQuery, reader: ListReader): Promise<ListPage<T>> {
  const id = query.sent.get('q');
  const exact = id === undefined ? null : ((await list.find?.(id)) ?? null);
  if (exact !== null) return { items: present([list.read(exact)]), next: null, further: null, readTo: null };
  const compare = list.sorts.find(({ value }) => value === query.sort)?.compare ?? null;
  const wanted = compare === null ? list.pageRows + 1 : Number.POSITIVE_INFINITY;
  const window = await readWindow(list, query, { ...reader, wanted });
  return compare === null ? byAge(list, window) : sorted(list, query, window, compare);
}

interface Match<T> {
  readonly item: T;
  readonly name: string;
}

interface Window<T> {
  readonly matches: readonly Match<T>[];
  /** The last row that was read; null where every row was. */
  readonly last: { readonly name: string; readonly at: number | null } | null;
}

async function readWindow<T>(
  list: List<T>,
  query: ListQuery,
  { rows, step, readsMax, wanted }: ListReader & { readonly wanted: number },
): Promise<Window<T>> {
  const limit = isNarrowed(query) || !Number.isFinite(wanted) ? READ_ROWS : wanted;
  const order = query.sort === OLDEST ? 'ascending' : 'descending';
  const range = await rangeOf(list, query);
  const base = { ...list.rows, ...indexOf(list, query), order, limit } as const;
  const matches: Match<T>[] = [];
  let after = range.start;
  let last = null as Window<T>['last'];
  for (let reads = 0; reads < readsMax && matches.length < wanted; reads++) {
    const page = await step(() => rows.rows(after === null ? base : { ...base, after }));
    const inRange = page.filter(({ sort }) => range.contains(sort));
    for (const row of inRange) {
      const item = list.read(row);
      if (item !== null && isMatch(list, query, item)) matches.push({ item, name: list.nameOf(row) });
      last = { name: list.nameOf(row), at: item === null ? (last?.at ?? null) : list.timeOf(item) };
    }
    if (inRange.length < limit) return { matches, last: null };
    const end = page.at(-1) as RowRecord;
    after = { sort: end.sort, id: end.id };
  }
  return { matches, last };
}

/** Where reading begins and which rows belong to the asked days. */
async function rangeOf<T>(
  { positionOf, sortAt = async (at) => at }: List<T>,
  { after, from, till, sort }: ListQuery,
): Promise<{ readonly start: Position | null; readonly contains: (sort: number) => boolean }> {
  const least = from === null ? null : await sortAt(from);
  const end = till === null ? null : await sortAt(till);
  const edge = sort === OLDEST ? least : end;
  const begin = edge === null ? null : { sort: edge, id: '' };
  return {
    start: (after === null ? null : await positionOf(after)) ?? begin,
    contains: (sort) => (least === null || sort >= least) && (end === null || sort < end),
  };
}

/** The first chosen value that an index column has. */
function indexOf<T>({ filters }: List<T>, { chosen }: ListQuery): Pick<List<T>['rows'], 'where'> {
  for (const { name, where } of filters) {
    const value = chosen.get(name);
    if (value !== undefined && where !== undefined) return { where: where(value) };
  }
  return {};
}

function isMatch<T>({ filters, texts }: List<T>, { search, chosen }: ListQuery, item: T): boolean {
  const isChosen = filters.every(({ name, matches }) => {
    const value = chosen.get(name);
    return value === undefined || matches(item, value);
  });
  return isChosen && (search === '' || texts(item).some((text) => text?.toLowerCase().includes(search)));
}

function byAge<T>({ pageRows }: List<T>, { matches, last }: Window<T>): ListPage<T> {
  const shown = matches.slice(0, pageRows);
  const items = shown.map(({ item }) => item);
  const end = matches.length > pageRows ? shown.at(-1) : last;
  const next = end === undefined || end === null ? null : { after: end.name };
  return { items, next, further: null, readTo: matches.length > pageRows ? null : (last?.at ?? null) };
}

function sorted<T>(
  { pageRows }: List<T>,
  { skip, after }: ListQuery,
  { matches, last }: Window<T>,
  compare: (a: T, b: T) => number,
): ListPage<T> {
  const items = matches.map(({ item }) => item).sort(compare);
  const place = after === null ? {} : { after };
  return {
    items: items.slice(skip, skip + pageRows),
    next: items.length > skip + pageRows ? { ...place, skip: String(skip + pageRows) } : null,
    further: last === null ? null : { after: last.name },
    readTo: last?.at ?? null,
  };
}

function present<T>(items: readonly (T | null)[]): readonly T[] {
  return items.filter((item) => item !== null);
}
