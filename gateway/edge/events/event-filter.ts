import { FEED_EVENT_TYPES } from '../../../actors/terms/feed-event.ts';
import { invalid } from '../../terms/gateway-error.ts';
import type { FeedEvent } from './feed-event.ts';

export const EVENT_TYPES: readonly FeedEvent['type'][] = [...FEED_EVENT_TYPES, 'balance.updated'];
/** Ids that one filter names. */
const IDS_MAX = 100;
const ID_CHARACTERS_MAX = 96;

/** Which events a client receives. Null: all. */
export interface EventFilter {
  readonly types: ReadonlySet<string> | null;
  /** Objects; events without an object, such as the balance, pass if their type does. */
  readonly ids: ReadonlySet<string> | null;
}

/** Throws 400 for an unknown type, or for more ids than are allowed. A type may be a whole kind: `batch`, `file`. */
export function parseFilter(types: readonly string[], ids: readonly string[]): EventFilter {
  if (ids.length > IDS_MAX || ids.some((id) => id.length > ID_CHARACTERS_MAX)) {
    throw invalid(`ids must be at most ${IDS_MAX} ids of at most ${ID_CHARACTERS_MAX} characters`);
  }
  return {
    types: types.length === 0 ? null : new Set(types.flatMap(typesOf)),
    ids: ids.length === 0 ? null : new Set(ids),
  };
}

export function passes({ types, ids }: EventFilter, event: FeedEvent): boolean {
  if (types !== null && !types.has(event.type)) return false;
  return ids === null || event.type === 'balance.updated' || ids.has(event.change.id);
}

function typesOf(name: string): readonly string[] {
  const found = EVENT_TYPES.filter((type) => type === name || type.startsWith(`${name}.`));
  if (found.length === 0) {
    const kinds = [...new Set(EVENT_TYPES.map((type) => type.split('.', 1)[0]))];
    throw invalid(`types must be of ${[...kinds, ...EVENT_TYPES].join(', ')}`);
  }
  return found;
}
