import type { ActorEvent, Json } from '../event.ts';
import type { AttemptEnd } from './activity-record.ts';

/**
 * A system message: an input from the runtime to an actor that cannot be refused, with the data to record in the entry
 * of its step. `last`: the last try; one more failure makes it a dead letter. The types travel between nodes, so their
 * names are fixed.
 */
export type SystemMessage =
  /** A message from an actor of another shard. */
  | { readonly type: 'message'; readonly from: string; readonly number: string; readonly last: boolean }
  /** The end of an attempt of an activity. */
  | {
      readonly type: 'result';
      readonly id: string;
      readonly attempt: number;
      /** The key of its record, which differs when the id was used again. */
      readonly key: string;
      readonly end: AttemptEnd;
      readonly last: boolean;
    }
  /** The runtime's own event for an actor: its activation, or the death of a node named in its open rows. */
  | { readonly type: 'notice'; readonly last: boolean }
  /** The runner is about to call the handler. It is recorded first, because a death counts only from then on. */
  | { readonly type: 'begin'; readonly id: string; readonly attempt: number; readonly runner: string }
  /** An operator's command to step a dead letter once more, or to drop it. */
  | { readonly type: 'retry' | 'skip'; readonly id: string }
  /** An operator's command to record every step until this store time, ms; a past one ends the recording. */
  | { readonly type: 'record'; readonly until: number };

/** The outcome of a system message, which is the answer to its sender. These texts travel between nodes. */
export type InputOutcome =
  | 'taken'
  /** Received before; nothing happened. */
  | 'repeat'
  /** From an older attempt, or of an activity that has ended; refused for good. */
  | 'stale'
  /** Recorded as a dead letter. */
  | 'dead-letter'
  /** The actor is absent or has ended, and the message needs no receiver. */
  | 'dropped'
  /** There is no such dead letter, or no such actor to record. */
  | 'none';

/** Characters of the JSON of one message or result; as UTF-8 it stays below the envelope bound of a link. */
export const MESSAGE_CHARS_MAX = 256 * 1024;

/** Prefix of the runtime's own event types, which no actor may send. */
const MARK = '$';

export function isReserved(type: string): boolean {
  return type.startsWith(MARK);
}

/** Encodes a system message for transport: an event with a reserved type. */
export function encodeSystemMessage(systemMessage: SystemMessage, event: ActorEvent | null): ActorEvent {
  const { type, ...rest } = systemMessage;
  return { ...(rest as Record<string, Json>), type: `${MARK}${type}`, event: event as Json };
}

/** Null for an event that is not a valid system message. */
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
        typeof systemMessage.key === 'string' &&
        typeof systemMessage.end === 'object'
      );
    case 'begin':
      return (
        typeof systemMessage.id === 'string' &&
        typeof systemMessage.attempt === 'number' &&
        typeof systemMessage.runner === 'string'
      );
    case 'retry':
    case 'skip':
      return typeof systemMessage.id === 'string';
    case 'record':
      return Number.isFinite(systemMessage.until);
    // A notice never travels between nodes: each owner of a shard creates its own.
    default:
      return false;
  }
}
