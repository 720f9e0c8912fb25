import type { Collection, Effect, Json } from '../runtime/index.ts';
import { plain } from './chart-tools.ts';

/**
 * The newest change of an object that its account can follow (`GET /events`). The actor writes it in the commit of the
 * change, so a change is never shown before it is durable. One row per object: a later change replaces an earlier one.
 */
export interface FeedEventRow {
  /** The object's id: of a file, a batch, a key, or of the account itself. */
  readonly id: string;
  /** Account id, without the kind. */
  readonly account: string;
  readonly type: FeedEventType;
  /** Store time, ms. */
  readonly at: number;
  /** The object after the change, as its kind describes it. */
  readonly object: Json;
}

export const FEED_EVENT_TYPES = [
  ...(['batch.updated', 'file.stored', 'file.deleted', 'file.expired', 'key.updated'] as const),
  ...(['video.updated', 'balance.low'] as const),
] as const;
export type FeedEventType = (typeof FEED_EVENT_TYPES)[number];

/** The collection's name in every kind that declares it: one query reads the changes of all kinds of an account. */
export const FEED_EVENTS = 'feed-event';
export const FEED_EVENT_ACCOUNT = 0;
/** A client may resume from a cursor of this age at least, ms. */
export const FEED_EVENT_RETENTION_MS = 15 * 60_000;

export const feedEventCollection: Collection = {
  sort: (row: FeedEventRow) => row.at,
  index: [(row: FeedEventRow) => row.account],
  retentionMs: FEED_EVENT_RETENTION_MS,
};

export function putFeedEvent(change: Omit<FeedEventRow, 'object'> & { readonly object: object }): Effect {
  return { type: 'put', collection: FEED_EVENTS, id: change.id, body: plain(change) };
}
