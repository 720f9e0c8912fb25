import type { Json } from './event.ts';
import type { HeldRows, RowWrite } from './held-rows.ts';
import type { RegisteredCollection } from './registered-kind.ts';

/**
 * The write of a row, its columns taken from its body as the collection declares. Throws on a sort that is no number,
 * and on a text that not every store can hold.
 */
export function deriveRow(beside: HeldRows, collection: RegisteredCollection, id: string, body: Json): RowWrite {
  const sort = collection.sort(body);
  if (!Number.isFinite(sort)) throw new Error(`row ${collection.name}/${id} has no finite sort`);
  if (id.includes('\0')) throw new Error(`the id of a row of ${collection.name} holds the character NUL`);
  const open = collection.open?.(body) ?? false;
  const expiresAt = open || collection.retentionMs === null ? null : sort + collection.retentionMs;
  const index = collection.index.map((column) => column(body));
  if (index.some((text) => text?.includes('\0'))) {
    throw new Error(`a look-up column of row ${collection.name}/${id} holds the character NUL`);
  }
  return { beside, collection, id, removed: false, body, sort, index, open, expiresAt, held: null };
}
