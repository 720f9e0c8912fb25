import type { DeadLetterBody } from '../actor/cascade/dead-letter.ts';
import { systemCollections } from '../actor/cascade/row-writes.ts';
import type { RowQuery, RowRecord } from '../ports/store.ts';
import type { DeadLetterView } from './engine.ts';

/** Dead letters that one operator request returns. */
const SHOWN_MAX = 100;

/** Query for the newest dead letters of one actor, or of all for null. */
export function deadLettersOf(address: string | null): RowQuery {
  const query = { collection: systemCollections.deadLetters.name, order: 'descending', limit: SHOWN_MAX } as const;
  return address === null ? query : { ...query, address };
}

/** The operator's view of a dead letter. It omits the event's members, which may be secret. */
export function viewOfDeadLetter({ address, id, body }: RowRecord): DeadLetterView {
  const { source, from, event, failure, times, at } = JSON.parse(body) as DeadLetterBody;
  return { address, id, source, from, event: event.type, failure, times, at };
}
