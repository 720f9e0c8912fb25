import { ownerHash } from './address.ts';
import type { CascadeEnd } from './cascade-end.ts';
import type { Cell } from './cell.ts';
import type { ActorEvent, Json } from './event.ts';
import type { RowWrite } from './held-rows.ts';
import { afterAttempt, type Intent } from './intent.ts';
import type { Mail } from './mail.ts';
import type { TimerWrite } from './outcome.ts';
import type { Receipt } from './parcel.ts';
import { removeRow } from './remove-row.ts';
import { systemCollections, systemRow } from './system-collections.ts';

/** How often an input that cannot be refused may fail before it is set aside. */
export const FAILURES_MAX = 5;

/** An input that was set aside, as its row holds it. */
export type SetAside = {
  /** A `letter` lies beside its sender: its receiver could not even set it aside. All others lie beside their receiver. */
  readonly source: 'timer' | 'message' | 'result' | 'ask' | 'letter';
  /** The actor that sent it; null for all but a message or letter. */
  readonly from: string | null;
  /** Whom a letter goes to. */
  readonly to?: string;
  readonly event: ActorEvent;
  /** What went wrong, and how often it was tried. */
  readonly failure: string;
  readonly times: number;
  /** Store time, ms. */
  readonly at: number;
};

export interface Instead {
  readonly receipt: Receipt;
  readonly rows: readonly RowWrite[];
  readonly timers: readonly TimerWrite[];
}

interface Now {
  readonly at: number;
  readonly self: string;
  readonly detail: string;
  readonly id: string;
}

const NONE: readonly never[] = Object.freeze([]);

/**
 * What is recorded instead of the step that an input should have caused: null where it may be tried again, or where its
 * sender hears what was wrong. A message without a receiver is set aside at once; a result without one interests nobody.
 */
export function setAside(cell: Cell, mail: Mail, end: CascadeEnd, now: Now): Instead | null {
  const { firing, parcel, event } = mail;
  const gone = end === 'absent' || end === 'finished';
  if (firing !== null) {
    if (end !== 'failed' || !firing.last) return null;
    const { address } = cell;
    const timers = [{ address, name: firing.name, dueAt: 0, event: null, slot: null }];
    return { receipt: 'aside', rows: [row(cell, now, { source: 'timer', from: null, event }, FAILURES_MAX)], timers };
  }
  if (parcel?.type === 'message') {
    if (!gone && !(end === 'failed' && parcel.last)) return null;
    const { from, number } = parcel;
    const at = { beside: cell.rows, shard: cell.home.shard, open: false, sort: now.at };
    const heard = systemRow(at, systemCollections.heard, from, { number });
    // Named after the message, so that one that arrives twice is set aside once.
    const id = `${number}.${ownerHash(from).toString(36)}`;
    const detail = gone ? `${cell.address} is ${end}` : now.detail;
    const aside = row(cell, { ...now, id, detail }, { source: 'message', from, event }, gone ? 1 : FAILURES_MAX);
    return { receipt: 'aside', rows: [heard, aside], timers: NONE };
  }
  if (parcel?.type !== 'result') return null;
  if (!gone && !(end === 'failed' && parcel.last)) return null;
  const { intents } = systemCollections;
  const ended = removeRow(cell.rows, intents, parcel.id);
  const intent = cell.rows.find(intents.name, parcel.id)?.latest.body as Intent | undefined;
  if (gone || intent === undefined) return { receipt: 'dropped', rows: [ended], timers: NONE };
  const after = afterAttempt(intent, parcel.id, parcel.end, now);
  if ('next' in after) return null;
  const aside = row(cell, now, { source: 'result', from: null, event: after.event }, FAILURES_MAX);
  return { receipt: 'aside', rows: [ended, aside], timers: NONE };
}

function row(cell: Cell, now: Now, input: Pick<SetAside, 'source' | 'from' | 'event'>, times: number): RowWrite {
  const body: SetAside = { ...input, failure: now.detail, times, at: now.at };
  const at = { beside: cell.rows, shard: cell.home.shard, open: false, sort: now.at };
  return systemRow(at, systemCollections.aside, now.id, body as Json);
}
