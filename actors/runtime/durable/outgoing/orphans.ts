import type { ActorEvent } from '../../actor/event.ts';
import type { RowWrite } from '../../actor/row-cache.ts';

/**
 * Rows that are just being opened on behalf of a node that is dead already, with what their actors must be told: the
 * death was announced before, so nobody else would. To be called before the writes are taken over.
 */
export function orphansAmong(
  rows: readonly RowWrite[],
  isGone: (incarnation: string) => boolean,
): readonly (readonly [address: string, event: ActorEvent])[] {
  const orphans: (readonly [string, ActorEvent])[] = [];
  for (const { open, collection, index, beside, id } of rows) {
    const { leaseRows: tenancy } = collection;
    if (!open || tenancy === null) continue;
    const incarnation = index[tenancy.column];
    if (typeof incarnation !== 'string' || !isGone(incarnation)) continue;
    const before = beside.find(collection.name, id)?.latest;
    if (before?.open && before.index[tenancy.column] === incarnation) continue;
    orphans.push([beside.address, { type: tenancy.event, incarnation }]);
  }
  return orphans;
}
