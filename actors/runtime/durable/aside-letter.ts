import type { Answer } from '../actor/answer.ts';
import type { ActorEvent, Json } from '../actor/event.ts';
import { HeldRows } from '../actor/held-rows.ts';
import { removeRow } from '../actor/remove-row.ts';
import type { SetAside } from '../actor/set-aside.ts';
import { systemCollections, systemRow } from '../actor/system-collections.ts';
import { Entry } from './entry.ts';
import type { HeldShard } from './held-shard.ts';

const DONE: Answer = { ok: true, body: null };

/** A message that its receiver neither takes nor can set aside. */
export interface DeadLetter {
  readonly from: string;
  readonly to: string;
  readonly event: ActorEvent;
  readonly number: string;
  readonly times: number;
  readonly failure: string;
}

/** The entry that moves it from its sender's outbox to what is set aside beside its sender. */
export function asideLetter(
  home: HeldShard,
  { from, to, event, number, times, failure }: DeadLetter,
  { order, at }: { readonly order: number; readonly at: number },
  answer: (answer: Answer) => void,
): Entry {
  const beside = new HeldRows(from);
  const body: SetAside = { source: 'letter', from, to, event, failure: `to ${to}: ${failure}`, times, at };
  const place = { beside, shard: home.shard, open: false, sort: at };
  const rows = [
    removeRow(beside, systemCollections.outbox, number),
    systemRow(place, systemCollections.aside, number, body as Json),
  ];
  const entry = new Entry(order, home, { changes: [], rows, timers: [], publishes: [], errands: false }, answer, DONE);
  for (const row of rows) beside.apply(row, entry);
  return entry;
}
