/** A list of rows: a table that becomes a list of cards on a phone. */
import type { ComponentChildren } from 'preact';
import type { Page } from '../client/api.ts';
import type { Live } from '../client/live.ts';
import { hrefOf, setQuery } from '../client/place.ts';
import { Answer, Empty } from './state.tsx';

export interface Column<T> {
  readonly name: string;
  readonly cell: (row: T) => ComponentChildren;
  /** Numbers and money stand at the right. */
  readonly isNumber?: boolean;
  /** The value of `order` in the address by which the list is sorted; absent: it cannot be. */
  readonly order?: string;
}

interface TableProps<T> {
  /** What the list is, for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  /** The console's page of a row; its first cell then links there. */
  readonly to?: (row: T) => string | null;
  /** What is shown without rows. */
  readonly empty: ComponentChildren;
  /** The present order, if the list can be sorted. */
  readonly order?: string | undefined;
}

export function Table<T>({ caption, columns, rows, keyOf, to, empty, order }: TableProps<T>) {
  if (rows.length === 0) return <>{typeof empty === 'string' ? <Empty title={empty} /> : empty}</>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section class="table" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <Heading key={column.name} column={column} order={order} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column, i) => (
                <td key={column.name} data-name={column.name} class={column.isNumber ? 'number' : undefined}>
                  {linked(i === 0 ? (to?.(row) ?? null) : null, column.cell(row))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Heading<T>({ column, order }: { readonly column: Column<T>; readonly order: string | undefined }) {
  const { name, isNumber, order: by } = column;
  const kind = isNumber ? 'number' : undefined;
  if (by === undefined) {
    return (
      <th scope="col" class={kind}>
        {name}
      </th>
    );
  }
  const isBy = order === by;
  return (
    <th scope="col" class={kind} aria-sort={isBy ? 'descending' : undefined}>
      <button type="button" class="sort" onClick={() => setQuery({ order: isBy ? null : by })}>
        {name}
        {isBy && <span aria-hidden="true"> ↓</span>}
      </button>
    </th>
  );
}

function linked(to: string | null, cell: ComponentChildren): ComponentChildren {
  return to === null ? cell : <a href={hrefOf(to)}>{cell}</a>;
}

/** A page of a list as the API answers it, with the way to the next one. */
export function Listing<T>({
  live,
  cursor,
  ...table
}: Omit<TableProps<T>, 'rows'> & { readonly live: Live<Page<T>>; readonly cursor: string | null }) {
  return (
    <Answer live={live}>
      {({ data, next }) => (
        <>
          <Table {...table} rows={data} />
          <Pages cursor={cursor} next={next} />
        </>
      )}
    </Answer>
  );
}

/** The ways to the first and to the next page; nothing where there is one page alone. */
export function Pages({ cursor, next }: { readonly cursor: string | null; readonly next: string | null }) {
  if (cursor === null && next === null) return null;
  return (
    <nav class="pages" aria-label="Pages of this list">
      {cursor !== null && (
        <button type="button" onClick={() => setQuery({})}>
          First page
        </button>
      )}
      {next !== null && (
        <button type="button" onClick={() => setQuery({ cursor: next })}>
          Next page
        </button>
      )}
    </nav>
  );
}
