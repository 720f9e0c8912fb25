/**
 * How an actor announces an event to the URL that its account named. The effects are those of the step that changes the
 * state, so that the event is created in that commit or not at all. (rule V40)
 */
import type { Effect } from '../runtime/index.ts';
import { plain } from './chart-tools.ts';
import { signingAddress, webhookAddress, webhookEventId } from './ids.ts';

export const WEBHOOK_TYPES = ['video.generation.completed', 'video.generation.expired'] as const;
export type WebhookType = (typeof WEBHOOK_TYPES)[number];

interface Announcement {
  /** Account id, without the kind. */
  readonly account: string;
  /** Id of the job that the event is about: each type is announced at most once per job. */
  readonly job: string;
  readonly type: WebhookType;
  /** Store time of the change, ms. */
  readonly at: number;
  /** The job's `callback_url`, as `readCallbackUrl` accepted it. */
  readonly url: string;
  /** JSON text of the job document, as `GET` of the job answers at this moment. */
  readonly document: string;
  /** How long the record of the delivery is shown: as long as its job. */
  readonly retentionMs: number;
}

/** What the webhook's actor is created with. */
export interface NewWebhook {
  /** `evt_` and 32 hex digits. */
  readonly id: string;
  readonly account: string;
  readonly job: string;
  readonly type: WebhookType;
  readonly url: string;
  /** The exact text to post, the same for every attempt. */
  readonly body: string;
  readonly retentionMs: number;
}

/**
 * Creates the webhook of this event. The id follows from job and type, so that a repeat of the announcement meets the
 * webhook that exists and changes nothing.
 */
export function announceWebhook({ account, job, type, at, url, document, retentionMs }: Announcement): Effect {
  const id = webhookEventId(job, type);
  const created = Math.floor(at / 1_000);
  // The document is text of ours with exact digits, so it is not parsed.
  const body = `{"id":${JSON.stringify(id)},"type":${JSON.stringify(type)},"created":${created},"data":${document}}`;
  const webhook = { id, account, job, type, url, body, retentionMs } satisfies NewWebhook;
  return { type: 'send', to: webhookAddress(account, id), event: { type: 'webhook.create', webhook: plain(webhook) } };
}

/**
 * Mints the signing secret of the account if it has none. Sent in the commit that accepts the first job with a
 * callback; every later one changes nothing. (rule V42)
 */
export function mintSigningSecret(account: string): Effect {
  return { type: 'send', to: signingAddress(account), event: { type: 'secret.mint' } };
}
