import type { Cluster } from '../../../actors/runtime/index.ts';
import { FEED_EVENT_ACCOUNT, FEED_EVENTS, type FeedEventRow } from '../../../actors/terms/feed-event.ts';

const PAGE = 1_000;
const PAGES_MAX = 10;

interface ChangesSince {
  readonly changes: readonly FeedEventRow[];
  /** False: more objects changed than are read at once. */
  readonly complete: boolean;
}

/** The newest change of every object of the account that changed at or after a store time (ms), oldest first. */
export async function changesSince(
  cluster: Pick<Cluster, 'rows'>,
  account: string,
  since: number,
): Promise<ChangesSince> {
  const changes: FeedEventRow[] = [];
  let after = { sort: since - 1, id: '' };
  for (let page = 0; page < PAGES_MAX; page++) {
    const rows = await cluster.rows.rows({
      collection: FEED_EVENTS,
      where: { column: FEED_EVENT_ACCOUNT, equals: account },
      after,
      limit: PAGE,
    });
    for (const { body } of rows) changes.push(JSON.parse(body) as FeedEventRow);
    const last = rows.at(-1);
    if (rows.length < PAGE || last === undefined) return { changes, complete: true };
    after = { sort: last.sort, id: last.id };
  }
  return { changes, complete: false };
}
