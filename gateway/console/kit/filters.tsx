/** The filters of a list. They live in the address, so that a view can be sent to somebody. */
import { useId } from 'preact/hooks';
import { setQuery, usePlace } from '../client/place.ts';

interface Filter {
  /** The member of the query. */
  readonly name: string;
  readonly label: string;
  /** What can be chosen; absent: any text. */
  readonly options?: readonly string[] | undefined;
  readonly type?: 'text' | 'date';
  readonly hint?: string;
}

export function Filters({ filters }: { readonly filters: readonly Filter[] }) {
  const { query } = usePlace();
  const isFiltered = filters.some(({ name }) => query.has(name));
  return (
    // biome-ignore lint/a11y/useSemanticElements: a search landmark is newer than the browsers that are supported
    <form class="filters" role="search" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      {filters.map((filter) => (
        <Field key={filter.name} filter={filter} value={query.get(filter.name) ?? ''} />
      ))}
      {isFiltered && (
        <button
          type="button"
          class="quiet"
          onClick={() => setQuery(Object.fromEntries(filters.map(({ name }) => [name, null])))}
        >
          Clear filters
        </button>
      )}
    </form>
  );
}

function Field({ filter, value }: { readonly filter: Filter; readonly value: string }) {
  const id = useId();
  const { name, label, options, type = 'text', hint } = filter;
  const set = (event: Event): void => setQuery({ [name]: (event.target as HTMLInputElement).value.trim() });
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {options === undefined && type === 'text' && (
        <input id={id} type="text" value={value} placeholder={hint} autocomplete="off" onChange={set} />
      )}
      {type === 'date' && <input id={id} type="date" value={value} onChange={set} />}
      {options !== undefined && (
        <select id={id} value={value} onChange={set}>
          <option value="">any</option>
          {options.map((option) => (
            <option key={option} value={option}>
              {option.replaceAll('_', ' ')}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}
