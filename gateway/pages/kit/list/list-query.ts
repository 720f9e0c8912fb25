/** What the address of a list asks for. Everything is in the query, so that a link shows the same list to its reader. */

import { textOf } from '../../../edge/query/query-values.ts';
import { invalid } from '../../../terms/gateway-error.ts';
import type { List } from './list.ts';

export const NEWEST = 'newest';
export const OLDEST = 'oldest';

export interface ListQuery {
  /** In lower case; empty for none. */
  readonly search: string;
  /** Store times, the second exclusive; null for none. */
  readonly from: number | null;
  readonly till: number | null;
  /** Chosen values by the name of their filter. */
  readonly chosen: ReadonlyMap<string, string>;
  /** `newest`, `oldest` or one of the list's own orders. */
  readonly sort: string;
  /** Name of the row behind which the list goes on; null begins. */
  readonly after: string | null;
  /** Items of a sorted window that earlier pages have shown. */
  readonly skip: number;
  /** What was sent of all this, as text, without empty members. */
  readonly sent: ReadonlyMap<string, string>;
}

const SEARCH_CHARACTERS_MAX = 200;
const NAME_CHARACTERS_MAX = 96;
const DAY_MS = 86_400_000;

/** Members that continue a list; the others narrow or order it. */
const PLACE: readonly string[] = ['after', 'skip'];

/** Reads the query of a list. Throws GatewayError 400 naming the member. */
export function parseListQuery<T>(list: Pick<List<T>, 'filters' | 'sorts'>, query: string): ListQuery {
  const sent = sentOf(list, new URLSearchParams(query));
  const search = sent.get('q') ?? '';
  if (search.length > SEARCH_CHARACTERS_MAX) throw invalid(`q may have ${SEARCH_CHARACTERS_MAX} characters`);
  const after = sent.get('after') ?? null;
  const to = dayOf(sent, 'to');
  return {
    search: search.toLowerCase(),
    from: dayOf(sent, 'from'),
    till: to === null ? null : to + DAY_MS,
    chosen: new Map(list.filters.flatMap((filter) => choiceOf(filter, sent))),
    sort: sortOf(list, sent),
    after: after !== null && after.length <= NAME_CHARACTERS_MAX ? after : null,
    skip: skipOf(sent.get('skip')),
    sent,
  };
}

function sentOf<T>({ filters }: Pick<List<T>, 'filters'>, query: URLSearchParams): ReadonlyMap<string, string> {
  const names = ['q', ...filters.map(({ name }) => name), 'from', 'to', 'sort', ...PLACE];
  const values = names.map((name) => [name, (textOf(query, name) ?? '').trim()] as const);
  return new Map(values.filter(([, value]) => value !== ''));
}

function choiceOf<T>(
  { name, options }: List<T>['filters'][number],
  sent: ReadonlyMap<string, string>,
): readonly (readonly [string, string])[] {
  const value = sent.get(name);
  if (value === undefined) return [];
  if (!options.some((option) => option.value === value)) throw invalid(`${name} must be one of its list`);
  return [[name, value]];
}

function sortOf<T>({ sorts }: Pick<List<T>, 'sorts'>, sent: ReadonlyMap<string, string>): string {
  const sort = sent.get('sort') ?? NEWEST;
  const known = [NEWEST, OLDEST, ...sorts.map(({ value }) => value)];
  if (!known.includes(sort)) throw invalid(`sort must be one of ${known.join(', ')}`);
  return sort;
}

/** The beginning of a UTC day, ms. */
function dayOf(sent: ReadonlyMap<string, string>, name: 'from' | 'to'): number | null {
  const text = sent.get(name);
  if (text === undefined) return null;
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(day)) throw invalid(`${name} must be a day, YYYY-MM-DD`);
  return day;
}

/** A text that is no number begins the window anew. */
function skipOf(text: string | undefined): number {
  return text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) : 0;
}

/** True where something narrows the list, so that more rows are read than are shown. */
export function isNarrowed({ search, from, till, chosen }: ListQuery): boolean {
  return search !== '' || from !== null || till !== null || chosen.size > 0;
}

/** The address of the same list at another place of it. */
export function addressAt(path: string, { sent }: ListQuery, place: Readonly<Record<string, string>>): string {
  const kept = [...sent].filter(([name]) => !PLACE.includes(name));
  return `${path}?${new URLSearchParams([...kept, ...Object.entries(place)])}`;
}
