import type { Json } from './event.ts';
import type { RegisteredCollection } from './registered-kind.ts';
import type { RowCache, RowWrite } from './row-cache.ts';

const NO_INDEX: readonly null[] = Object.freeze([]);

/**
 * The write of a row, with its columns derived from its body as the collection declares. Throws on a sort that is not
 * finite and on a text with the character NUL, which not every store accepts.
 */
export function deriveRow(beside: RowCache, collection: RegisteredCollection, id: string, body: Json): RowWrite {
  const sort = collection.sort(body);
  if (!Number.isFinite(sort)) throw new Error(`row ${collection.name}/${id} has no finite sort`);
  if (id.includes('\0')) throw new Error(`the id of a row of ${collection.name} holds the character NUL`);
  const open = collection.open?.(body) ?? false;
  const expiresAt = open || collection.retentionMs === null ? null : sort + collection.retentionMs;
  return {
    beside,
    collection,
    id,
    removed: false,
    body,
    sort,
    index: indexOf(collection, id, body),
    open,
    expiresAt,
    held: null,
  };
}

function indexOf(collection: RegisteredCollection, id: string, body: Json): readonly (string | null)[] {
  const columns = collection.index;
  if (columns.length === 0) return NO_INDEX;
  const index = new Array<string | null>(columns.length);
  for (let i = 0; i < columns.length; i++) {
    const text = (columns[i] as (body: Json) => string | null)(body);
    if (text?.includes('\0')) {
      throw new Error(`a look-up column of row ${collection.name}/${id} holds the character NUL`);
    }
    index[i] = text;
  }
  return index;
}
