import type { Store } from '../ports/store.ts';
import type { RowReader } from './cluster.ts';

/** Lists and look-ups, read directly from the store. */
export function rowReader(store: Store): RowReader {
  return {
    row: (address, collection, id) => store.row({ address, collection, id }),
    rowById: (collection, id) => store.rowById(collection, id),
    rows: (query) => store.rows(query),
  };
}
