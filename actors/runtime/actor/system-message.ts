import type { AttemptEnd } from './activity-record.ts';
import type { ActorEvent, Json } from './event.ts';

/**
 * What the runtime itself brings to an actor: an input that cannot be refused, with what has to be recorded in the entry
 * of its step. `last`: it has failed so often that it is set aside if it fails once more.
 */
export type SystemMessage =
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
export type InputOutcome =
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
export const MESSAGE_CHARS_MAX = 256 * 1024;

/** Event types of the runtime itself begin with this; nobody else may send one. */
const MARK = '$';

export function isReserved(type: string): boolean {
  return type.startsWith(MARK);
}

/** A parcel as it travels: an event like any other, told from them by its type. */
export function encodeSystemMessage(systemMessage: SystemMessage, event: ActorEvent | null): ActorEvent {
  const { type, ...rest } = systemMessage;
  return { ...(rest as Record<string, Json>), type: `${MARK}${type}`, event: event as Json };
}

/** Null for what is none. */
export function decodeSystemMessage(
  wrapped: ActorEvent,
): { readonly systemMessage: SystemMessage; readonly event: ActorEvent } | null {
  const { type, event, ...rest } = wrapped;
  const systemMessage = { ...rest, type: type.slice(MARK.length) } as unknown as SystemMessage;
  if (!isSystemMessage(systemMessage)) return null;
  if (systemMessage.type !== 'message') return { systemMessage, event: { type } };
  const inner = event as unknown as ActorEvent | null;
  return typeof inner?.type === 'string' && inner.type !== '' ? { systemMessage, event: inner } : null;
}

function isSystemMessage(systemMessage: SystemMessage): boolean {
  switch (systemMessage.type) {
    case 'message':
      return typeof systemMessage.from === 'string' && typeof systemMessage.number === 'string';
    case 'result':
      return (
        typeof systemMessage.id === 'string' &&
        typeof systemMessage.attempt === 'number' &&
        typeof systemMessage.end === 'object'
      );
    case 'alone':
      return typeof systemMessage.id === 'string' && typeof systemMessage.attempt === 'number';
    case 'retry':
    case 'skip':
      return typeof systemMessage.id === 'string';
    // A notice never travels: each owner of a shard makes its own.
    default:
      return false;
  }
}
