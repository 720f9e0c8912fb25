import type { Answer } from '../../actor/answer.ts';
import type { DeadLetterBody } from '../../actor/dead-letter.ts';
import type { ActorEvent, Json } from '../../actor/event.ts';
import { removeRow } from '../../actor/remove-row.ts';
import { RowCache } from '../../actor/row-cache.ts';
import { systemCollections, systemRow } from '../../actor/system-collections.ts';
import { Entry } from '../commit/entry.ts';
import type { Shard } from '../engine/shard.ts';

const DONE: Answer = { ok: true, body: null };

/** A message that its receiver can neither process nor store as a dead letter. */
export interface UndeliveredMessage {
  readonly from: string;
  readonly to: string;
  readonly event: ActorEvent;
  readonly number: string;
  readonly times: number;
  readonly failure: string;
}

/**
 * The entry that moves the message from its sender's outbox to its sender's dead letters. The stored `letter` means an
 * outbox message.
 */
export function deadLetterEntry(
  shard: Shard,
  { from, to, event, number, times, failure }: UndeliveredMessage,
  { order, at }: { readonly order: number; readonly at: number },
  answer: (answer: Answer) => void,
): Entry {
  const beside = new RowCache(from);
  const body: DeadLetterBody = { source: 'letter', from, to, event, failure: `to ${to}: ${failure}`, times, at };
  const place = { beside, shard: shard.id, open: false, sort: at };
  const rows = [
    removeRow(beside, systemCollections.outbox, number),
    systemRow(place, systemCollections.aside, number, body as Json),
  ];
  const entry = new Entry(
    order,
    shard,
    { changes: [], rows, timers: [], publishes: [], outgoing: false },
    answer,
    DONE,
  );
  for (const row of rows) beside.apply(row, entry);
  return entry;
}
