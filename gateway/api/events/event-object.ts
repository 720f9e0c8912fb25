import type { LowBalance } from '../../../actors/account/low-balance.ts';
import type { BatchRecord } from '../../../actors/batch/batch-record.ts';
import type { FileRecord } from '../../../actors/file/file-record.ts';
import type { KeyView } from '../../../actors/key/statement.ts';
import type { FeedEventRow } from '../../../actors/terms/feed-event.ts';
import type { JobRecord } from '../../../actors/video-job/job-record.ts';
import { jobDocument } from '../../../actors/video-job/job-record.ts';
import { renderCursor } from '../../edge/events/cursor.ts';
import type { FeedEvent } from '../../edge/events/feed-event.ts';
import type { FeedTexts } from '../../edge/events/feed-texts.ts';
import { exactNumber, exactText, renderExact } from '../../json/exact-json.ts';
import type { GatewayError } from '../../terms/gateway-error.ts';
import { batchObject } from '../batches/batch-object.ts';
import { fileObject } from '../files/file-object.ts';
import { creditsObject } from '../money/credits.ts';

/** What a client of `GET /events` receives, as one JSON text: an event of its account, or one about the feed itself. */
interface SentEvent {
  readonly type: string;
  /** Null for an event that no client can resume from. */
  readonly cursor: string | null;
  readonly text: string;
  /** The same as a server-sent event. */
  readonly frame: string;
}

/** Rendered once, however many clients receive it. */
const RENDERED = new WeakMap<FeedEvent, SentEvent>();

export function sentEvent(event: FeedEvent): SentEvent {
  const known = RENDERED.get(event);
  if (known !== undefined) return known;
  const data = event.type === 'balance.updated' ? creditsObject(event.view) : objectOf(event.change);
  const rendered = sent(event.type, event.at, data);
  RENDERED.set(event, rendered);
  return rendered;
}

/**
 * The first event of a stream, at a store time; `resumed` is false where the cursor is too old and the client has to read
 * anew. `cursorAt`: what the client still misses begins there, so that it resumes from there if the stream breaks now.
 */
export function feedOpened(at: number, resumed: boolean, cursorAt: number = at): SentEvent {
  return sent(resumed ? 'feed.opened' : 'feed.start_over', at, {}, cursorAt);
}

/** The last event of a stream that the node ends. */
export function feedEnded({ status, type, message }: GatewayError): SentEvent {
  const error = { code: status, message, metadata: { error_type: type } };
  const text = JSON.stringify({ type: 'error', error });
  return { type: 'error', cursor: null, text, frame: `event: error\ndata: ${text}\n\n` };
}

/** The same over a WebSocket. */
export const FEED_TEXTS: FeedTexts = {
  event: (event) => sentEvent(event).text,
  opened: (at, resumed) => feedOpened(at, resumed).text,
  reply: (type, data) => JSON.stringify({ type, data }),
  ended: (error) => feedEnded(error).text,
};

function sent(type: string, at: number, data: object, cursorAt = at): SentEvent {
  const cursor = renderCursor(cursorAt);
  const text = renderExact({ type, created_at: Math.floor(at / 1_000), cursor, data });
  return { type, cursor, text, frame: `id: ${cursor}\nevent: ${type}\ndata: ${text}\n\n` };
}

function objectOf({ type, id, object }: FeedEventRow): object {
  switch (type) {
    case 'file.stored':
      return fileObject(object as unknown as FileRecord);
    case 'file.deleted':
      return { id, object: 'file', deleted: true };
    case 'file.expired':
      return { id, object: 'file', expired: true };
    case 'key.updated':
      return keyObject(id, object as unknown as KeyView);
    case 'batch.updated':
      return batchObject(object as unknown as BatchRecord);
    case 'balance.low':
      return lowBalanceObject(object as unknown as LowBalance);
    case 'video.updated':
      return exactText(jobDocument(object as unknown as JobRecord));
    default:
      throw new Error(`an event of the unknown type ${type satisfies never}`);
  }
}

function lowBalanceObject({ balance, threshold }: LowBalance): object {
  return { balance: exactNumber(balance), threshold: exactNumber(threshold) };
}

function keyObject(id: string, view: KeyView): object {
  return {
    id,
    object: 'key',
    label: view.label,
    name: view.name,
    status: view.status,
    limit: exactNumber(view.limit),
    limit_remaining: exactNumber(view.limitRemaining),
    limit_reset: view.limitWindow,
    usage: exactNumber(view.usage),
    expires_at: view.expiresAt === null ? null : new Date(view.expiresAt).toISOString(),
  };
}
