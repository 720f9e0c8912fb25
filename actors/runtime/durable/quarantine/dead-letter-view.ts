import type { DeadLetterBody } from '../../actor/dead-letter.ts';
import { systemCollections } from '../../actor/system-collections.ts';
import type { RowQuery, RowRecord } from '../../ports/store.ts';
import type { DeadLetterView } from '../engine/engine.ts';

/** How many an operator is shown at once. */
const SHOWN_MAX = 100;

/** The newest inputs set aside, of one actor or of all. */
export function deadLettersOf(address: string | null): RowQuery {
  const query = { collection: systemCollections.aside.name, order: 'descending', limit: SHOWN_MAX } as const;
  return address === null ? query : { ...query, address };
}

/** What an operator sees of one: never the event's members, which may be secret. */
export function viewOfDeadLetter({ address, id, body }: RowRecord): DeadLetterView {
  const { source, from, event, failure, times, at } = JSON.parse(body) as DeadLetterBody;
  return { address, id, source, from, event: event.type, failure, times, at };
}
