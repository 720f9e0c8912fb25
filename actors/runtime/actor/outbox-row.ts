import type { Cell } from './cell.ts';
import type { ActorEvent } from './event.ts';
import type { RowWrite } from './row-cache.ts';
import { systemCollections, systemRow } from './system-collections.ts';

/** A message to an actor of another shard, as an outbox row of its sender; it is sent once the row is durable. */
export function outboxRow({ rows, shard }: Cell, number: string, to: string, event: ActorEvent): RowWrite {
  const at = { beside: rows, shard: shard.id, open: false, sort: shard.epoch };
  return systemRow(at, systemCollections.outbox, number, { to, event });
}
