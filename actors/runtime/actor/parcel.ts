import type { ActorEvent, Json } from './event.ts';
import type { AttemptEnd } from './intent.ts';

/**
 * What the runtime itself brings to an actor: an input that cannot be refused, with what has to be recorded in the entry
 * of its step. `last`: it has failed so often that it is set aside if it fails once more.
 */
export type Parcel =
  /** A message of an actor of another shard. */
  | { readonly type: 'message'; readonly from: string; readonly number: string; readonly last: boolean }
  /** How an attempt of an intent ended. */
  | {
      readonly type: 'result';
      readonly id: string;
      readonly attempt: number;
      readonly end: AttemptEnd;
      readonly last: boolean;
    }
  /** The runner of a suspect is about to start it, with nothing else beside it. */
  | { readonly type: 'alone'; readonly id: string; readonly attempt: number }
  /** The runtime's own event for an actor: its activation, or the death of a node that it has open rows for. */
  | { readonly type: 'notice'; readonly last: boolean }
  /** An operator wants an input that was set aside stepped again, or dropped. */
  | { readonly type: 'retry' | 'skip'; readonly id: string };

/** What became of it; the answer to whoever sent it. */
export type Receipt =
  | 'taken'
  /** Heard before: nothing happened again. */
  | 'repeat'
  /** Of an older attempt, or of an intent that has ended: refused for good. */
  | 'stale'
  | 'aside'
  /** The actor is absent or has ended, and nobody misses it. */
  | 'dropped'
  /** There is no such input set aside. */
  | 'none';

/** Characters of the JSON that one message or result may take: also in UTF-8 it stays below what a link carries. */
export const LETTER_CHARS_MAX = 256 * 1024;

/** Event types of the runtime itself begin with this; nobody else may send one. */
const MARK = '$';

export function isReserved(type: string): boolean {
  return type.startsWith(MARK);
}

/** A parcel as it travels: an event like any other, told from them by its type. */
export function wrap(parcel: Parcel, event: ActorEvent | null): ActorEvent {
  const { type, ...rest } = parcel;
  return { ...(rest as Record<string, Json>), type: `${MARK}${type}`, event: event as Json };
}

/** Null for what is none. */
export function unwrap(wrapped: ActorEvent): { readonly parcel: Parcel; readonly event: ActorEvent } | null {
  const { type, event, ...rest } = wrapped;
  const parcel = { ...rest, type: type.slice(MARK.length) } as unknown as Parcel;
  if (!isParcel(parcel)) return null;
  if (parcel.type !== 'message') return { parcel, event: { type } };
  const inner = event as unknown as ActorEvent | null;
  return typeof inner?.type === 'string' && inner.type !== '' ? { parcel, event: inner } : null;
}

function isParcel(parcel: Parcel): boolean {
  switch (parcel.type) {
    case 'message':
      return typeof parcel.from === 'string' && typeof parcel.number === 'string';
    case 'result':
      return typeof parcel.id === 'string' && typeof parcel.attempt === 'number' && typeof parcel.end === 'object';
    case 'alone':
      return typeof parcel.id === 'string' && typeof parcel.attempt === 'number';
    case 'retry':
    case 'skip':
      return typeof parcel.id === 'string';
    // A notice never travels: each owner of a shard makes its own.
    default:
      return false;
  }
}
