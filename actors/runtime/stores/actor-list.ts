/**
 * How a page of stored actors is read: a merge of streams, each one range of one index in order, so that a page never
 * sorts or scans the table. Pure; a store reads the streams and returns what it found.
 */
import { isInState } from '../actor/state-text.ts';
import type { ActorEntry, ActorPage, ActorPlace, ActorQuery } from '../ports/store.ts';

/** One range of an index. Addresses of `from` up to but without `to`. */
export type Stream =
  | { readonly by: 'address'; readonly from: string; readonly to: string }
  | { readonly by: 'shard'; readonly kind: string; readonly shard: number; readonly from: string }
  | { readonly by: 'state'; readonly kind: string; readonly state: string }
  | { readonly by: 'owner'; readonly owner: string; readonly kind: string; readonly state: string };

/** A request to a store: the first entries of each stream, all streams by the same index. */
export interface Look {
  readonly streams: readonly Stream[];
  readonly each: number;
  /** Exclusive; the least or greatest place at the beginning. Streams by address have it in `from`. */
  readonly after: ActorPlace;
  readonly newestFirst: boolean;
}

/** An entry of an index. `since` is 0 where the index does not have it. */
export interface Listed {
  readonly address: string;
  readonly since: number;
  readonly shard: number;
}

/** A pair that some stored actor has or had. */
export interface KnownState {
  readonly kind: string;
  readonly state: string;
}

interface Places {
  readonly places: readonly Listed[];
  readonly next: ActorPlace | null;
}

const LIST_MAX = 1_000;
/** Index entries that a page looks at, over all its streams: entries of other shards may lie between the wanted ones. */
const LOOKED_AT_MAX = 4_000;
/** Lie before and after every character of an address, and after every address. */
const [BEFORE, AFTER_KIND, END] = ['!', ';', '{'] as const;
const [OLDEST, NEWEST] = [
  { since: Number.MIN_SAFE_INTEGER, address: '' },
  { since: Number.MAX_SAFE_INTEGER, address: END },
] as const;

export function checkedLimit(limit: number): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= LIST_MAX) return limit;
  throw new RangeError(`limit must be 1 to ${LIST_MAX}`);
}

/** Yields what to read and receives the entries of each stream; returns the page, without the actors' other members. */
export function* listing(
  query: ActorQuery,
  known: readonly KnownState[],
): Generator<Look, Places, readonly (readonly Listed[])[]> {
  checkedLimit(query.limit);
  const newestFirst = query.order === 'since' && query.newestFirst === true;
  const after = query.after ?? (newestFirst ? NEWEST : OLDEST);
  const before = orderOf(query.order, newestFirst);
  const wanted = query.shards && new Set(query.shards);
  const places: Listed[] = [];
  for (const { streams, each } of stagesOf(query, known)) {
    const found = yield { streams, each, after, newestFirst };
    const horizon = horizonOf(found, each, before);
    const all = found.flat().filter((one) => horizon === null || before(one, horizon) <= 0);
    const fitting = all.filter(({ shard }) => wanted?.has(shard) ?? true).sort(before);
    const room = query.limit - places.length;
    places.push(...fitting.slice(0, room));
    if (fitting.length > room) return { places, next: placeOf(places.at(-1)) };
    if (horizon !== null) return { places, next: placeOf(horizon) };
  }
  return { places, next: null };
}

/** Joins the page with the actors' members; those that left their place meanwhile are left out. */
export function pageOf(
  { order }: ActorQuery,
  { places, next }: Places,
  entryOf: (address: string) => ActorEntry | undefined,
): ActorPage {
  const actors = places.flatMap(({ address, since }) => {
    const entry = entryOf(address);
    return entry === undefined || (order === 'since' && entry.since !== since) ? [] : [entry];
  });
  return { actors, next };
}

type Before = (a: ActorPlace, b: ActorPlace) => number;

function orderOf(order: ActorQuery['order'], newestFirst: boolean): Before {
  if (order === 'address') return (a, b) => compare(a.address, b.address);
  const turn = newestFirst ? -1 : 1;
  return (a, b) => turn * (a.since - b.since || compare(a.address, b.address));
}

/** The first of the last entries of streams that may go on: beyond it an entry may be missing. */
function horizonOf(found: readonly (readonly Listed[])[], each: number, before: Before): Listed | null {
  const ends = found.flatMap((entries) => (entries.length < each ? [] : entries.slice(-1)));
  return ends.reduce<Listed | null>((first, end) => (first === null || before(end, first) < 0 ? end : first), null);
}

type ByAddress = Extract<ActorQuery, { readonly order: 'address' }>;

interface Stage {
  readonly streams: readonly Stream[];
  readonly each: number;
}

/** Stages are read one after the other until the page is full; every entry of one precedes every entry of the next. */
function stagesOf(query: ActorQuery, known: readonly KnownState[]): readonly Stage[] {
  const { shards, owner, limit } = query;
  if (query.order === 'address' && shards !== undefined && owner === undefined) {
    const each = shards.length === 1 ? limit + 1 : Math.ceil((4 * limit) / shards.length) + 2;
    return kindsFrom(query, known).map(({ kind, from }) => ({
      streams: shards.map((shard) => ({ by: 'shard', kind, shard, from })),
      each,
    }));
  }
  const streams = query.order === 'address' ? ranges(query, known) : states(query, known);
  if (streams.length === 0) return [];
  const share = Math.ceil(LOOKED_AT_MAX / streams.length);
  return [{ streams, each: shards === undefined ? Math.min(limit + 1, share) : Math.max(limit + 1, share) }];
}

/** The kinds that lie behind the cursor, in the order of their addresses. */
function kindsFrom(
  { kind: only, after }: ActorQuery,
  known: readonly KnownState[],
): readonly { kind: string; from: string }[] {
  const kinds = [...new Set(known.map(({ kind }) => kind))].filter((kind) => only === undefined || kind === only);
  return kinds
    .map((kind) => ({ kind, ...rangeOf(`${kind}:`, `${kind}${AFTER_KIND}`, after) }))
    .filter(({ from, to }) => from < to)
    .sort((a, b) => compare(`${a.kind}:`, `${b.kind}:`));
}

function ranges(query: ByAddress, known: readonly KnownState[]): readonly Stream[] {
  const { kind, owner, after, address } = query;
  const stream = (from: string, to: string): Stream => ({ by: 'address', ...rangeOf(from, to, after) });
  if (address !== undefined) return [stream(address, `${address}${BEFORE}`)];
  if (owner === undefined) {
    return [kind === undefined ? stream('', END) : stream(`${kind}:`, `${kind}${AFTER_KIND}`)];
  }
  const kinds = kind === undefined ? new Set(known.map((one) => one.kind)) : [kind];
  return [...kinds].flatMap((of) => {
    const whole = `${of}:${owner}`;
    // "0" follows "/".
    return [stream(whole, `${whole}${BEFORE}`), stream(`${whole}/`, `${whole}0`)];
  });
}

function rangeOf(from: string, to: string, after: ActorPlace | undefined): { from: string; to: string } {
  const next = after === undefined ? '' : `${after.address}${BEFORE}`;
  return { from: next > from ? next : from, to };
}

function states(query: ActorQuery, known: readonly KnownState[]): readonly Stream[] {
  const { kind: only, owner } = query;
  const state = query.order === 'since' ? query.state : undefined;
  return known
    .filter((one) => (only === undefined || one.kind === only) && (state === undefined || isInState(one.state, state)))
    .map((one) => (owner === undefined ? { by: 'state', ...one } : { by: 'owner', owner, ...one }));
}

function placeOf(listed: Listed | undefined): ActorPlace | null {
  return listed === undefined ? null : { since: listed.since, address: listed.address };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
