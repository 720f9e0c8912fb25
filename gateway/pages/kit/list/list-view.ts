/** How a list looks: the form that narrows and sorts it, its table, and the links to its other pages. */
import { type Html, html } from '../html.ts';
import type { PrivateVisit } from '../page-route.ts';
import { section, type TableParts, table } from '../parts/elements.ts';
import { inputField, selectField } from '../parts/fields.ts';
import { countText, timeText } from '../parts/format.ts';
import type { List } from './list.ts';
import { addressAt, isNarrowed, type ListQuery, NEWEST, OLDEST, parseListQuery } from './list-query.ts';
import { type ListPage, READ_ROWS, READS_MAX, readList } from './read-list.ts';

interface OpenedList<T> {
  readonly list: List<T>;
  readonly query: ListQuery;
  readonly page: ListPage<T>;
}

/** Reads what the address of the visit asks for. Throws GatewayError 400 naming a member that it cannot be read by. */
export async function openList<T>(
  { context, services, background, session }: PrivateVisit,
  list: List<T>,
  readsMax = READS_MAX,
): Promise<OpenedList<T>> {
  const query = parseListQuery(list, context.query);
  const step = <R>(read: () => Promise<R>): Promise<R> => background.step(session.account, read);
  return { list, query, page: await readList(list, query, { rows: services.cluster.rows, step, readsMax }) };
}

/** The first rows of a list, for a page that shows the whole of it elsewhere. */
export async function firstOf<T>(visit: PrivateVisit, list: List<T>, count: number): Promise<readonly T[]> {
  const { page } = await openList({ ...visit, context: { ...visit.context, query: '' } }, { ...list, pageRows: count });
  return page.items;
}

/** The newest items whose texts contain this one, of a single read of rows; the item of exactly this id if there is one. */
export async function matchesOf<T>(visit: PrivateVisit, list: List<T>, text: string): Promise<readonly T[]> {
  const query = new URLSearchParams({ q: text }).toString();
  const { page } = await openList({ ...visit, context: { ...visit.context, query } }, list, 1);
  return page.items;
}

/** The section with the form, the table and the links. `parts.empty` is shown where the list has no row at all. */
export function listSection<T>(title: string, { list, query, page }: OpenedList<T>, parts: TableParts): Html {
  const nothing = html`Nothing matches. <a href="${list.path}">Show all</a>`;
  const empty = isNarrowed(query) || query.after !== null ? nothing : parts.empty;
  const content = html`${finder(list, query)}
<div id="list">
${note(list, query, page)}
${table({ ...parts, empty })}
${pager(list, query, page)}
</div>`;
  return section(title, content);
}

function finder<T>(list: List<T>, query: ListQuery): Html {
  const { filters, sorts, path, noun } = list;
  const value = (name: string): string => query.sent.get(name) ?? '';
  const orders = [{ value: '', text: 'Newest first' }, { value: OLDEST, text: 'Oldest first' }, ...sorts];
  const choices = filters.map(({ name, title, options }) =>
    selectField({ name, title, id: `find-${name}` }, value(name), [{ value: '', text: 'Any' }, ...options]),
  );
  const isSet = [...filters.map(({ name }) => name), 'from', 'to'].some((name) => value(name) !== '');
  return html`<form class="filters" method="get" action="${path}" data-filter="#list" role="search" aria-label="${noun}">
${inputField({ name: 'q', title: 'Search', id: 'find-q' }, value('q'), html`type="search" maxlength="200"`)}
${selectField({ name: 'sort', title: 'Sort', id: 'find-sort' }, query.sort === NEWEST ? '' : query.sort, orders)}
<details class="group" open${!isSet && html` data-wide`}><summary>Filters</summary>
<div class="fields">
${choices}
${inputField({ name: 'from', title: 'From (UTC)', id: 'find-from' }, value('from'), html`type="date"`)}
${inputField({ name: 'to', title: 'To (UTC)', id: 'find-to' }, value('to'), html`type="date"`)}
</div></details>
<button type="submit">Show</button>
</form>`;
}

/** Says what a bounded read left out. */
function note<T>({ noun }: List<T>, { sort }: ListQuery, { readTo }: ListPage<T>): Html | null {
  if (readTo === null) return null;
  const most = countText(READ_ROWS * READS_MAX);
  const [reach, age] = sort === OLDEST ? ['up to', 'Later'] : ['back to', 'Older'];
  return html`<p class="notice" role="status">One page looks through ${most} ${noun}: ${reach} ${timeText(readTo)} UTC. ${age} ones follow behind the link below; a day narrows the search.</p>`;
}

function pager<T>({ path }: List<T>, query: ListQuery, { next, further }: ListPage<T>): Html | null {
  if (next === null && further === null) return null;
  const age = query.sort === OLDEST ? 'Newer' : 'Older';
  const isByAge = query.sort === OLDEST || query.sort === NEWEST;
  return html`<nav class="pages" aria-label="Pages">
${next !== null && html`<a class="button" href="${addressAt(path, query, next)}" rel="next">${isByAge ? age : 'More'}</a>`}
${further !== null && html`<a class="button" href="${addressAt(path, query, further)}">${age}</a>`}
</nav>`;
}
