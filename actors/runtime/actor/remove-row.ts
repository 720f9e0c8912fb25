import type { RegisteredCollection } from './registered-kind.ts';
import type { RowCache, RowWrite } from './row-cache.ts';

const NO_INDEX: readonly null[] = Object.freeze([]);

/** The write that removes a row. */
export function removeRow(beside: RowCache, collection: RegisteredCollection, id: string): RowWrite {
  return {
    beside,
    collection,
    id,
    removed: true,
    body: null,
    sort: 0,
    index: NO_INDEX,
    open: false,
    expiresAt: null,
    held: null,
  };
}
