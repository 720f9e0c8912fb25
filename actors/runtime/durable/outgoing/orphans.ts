import type { ActorEvent } from '../../actor/event.ts';
import type { RowWrite } from '../../actor/row-cache.ts';

/**
 * Finds rows that are being opened on behalf of a node that is already dead, and the event that each of their actors
 * must receive: the death was announced earlier and is not announced again. Call it before the writes are applied.
 */
export function orphansAmong(
  rows: readonly RowWrite[],
  isGone: (incarnation: string) => boolean,
): readonly (readonly [address: string, event: ActorEvent])[] {
  const orphans: (readonly [string, ActorEvent])[] = [];
  for (const { open, collection, index, beside, id } of rows) {
    const { leaseRows } = collection;
    if (!open || leaseRows === null) continue;
    const incarnation = index[leaseRows.column];
    if (typeof incarnation !== 'string' || !isGone(incarnation)) continue;
    const before = beside.find(collection.name, id)?.latest;
    if (before?.open && before.index[leaseRows.column] === incarnation) continue;
    orphans.push([beside.address, { type: leaseRows.event, incarnation }]);
  }
  return orphans;
}
