import type { HeldRows, RowWrite } from './held-rows.ts';
import type { RegisteredCollection } from './registered-kind.ts';

const NO_INDEX: readonly null[] = Object.freeze([]);

/** The removal of a row, as a write. */
export function removeRow(beside: HeldRows, collection: RegisteredCollection, id: string): RowWrite {
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
