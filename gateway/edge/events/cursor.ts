import { FEED_EVENT_RETENTION_MS } from '../../../actors/terms/feed-event.ts';
import { invalid } from '../../terms/gateway-error.ts';
import { OVERLAP_MS } from './account-feed.ts';

/** A place in an account's feed, opaque to clients: the store time of an event. Valid on every node. */
export function renderCursor(at: number): string {
  return `cur_${Math.floor(at).toString(36)}`;
}

/** The store time of a cursor. Throws 400 for text that no cursor has. */
export function parseCursor(text: string): number {
  if (!/^cur_[0-9a-z]{1,10}$/.test(text)) throw invalid('cursor must be a cursor of an earlier event');
  return Number.parseInt(text.slice('cur_'.length), 36);
}

/** True if every change since the cursor is still stored. */
export function isCovered(cursorAt: number, now: number): boolean {
  return cursorAt >= now - FEED_EVENT_RETENTION_MS + OVERLAP_MS && cursorAt <= now + OVERLAP_MS;
}
