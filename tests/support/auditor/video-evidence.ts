import type { DeliveryRecord } from '../../../actors/webhook/delivery-record.ts';

/** What a run recorded about video jobs and their webhooks. Times are wall ms of the machine. */
export interface VideoEvidence {
  readonly submissions: readonly VideoSubmission[];
  readonly polls: readonly VideoPoll[];
  readonly contents: readonly ContentSeen[];
  readonly cancels: readonly VideoCancel[];
  /** The jobs that `GET /videos` lists for each account at the end. */
  readonly listed: readonly { readonly account: string; readonly id: string }[];
  /** Jobs that have a clip's row in the store at the end. */
  readonly clips: ReadonlySet<string>;
  /** Charges of the ledger, by generation. */
  readonly charges: readonly { readonly generation: string; readonly amount: string }[];
  /** The receiver's own log, in the order of arrival. */
  readonly posts: readonly HookPost[];
  /** The rows of deliveries at the end. */
  readonly deliveries: readonly DeliveryRecord[];
  /** The signing secret that each account reads, on each of several reads. */
  readonly secrets: readonly { readonly account: string; readonly secret: string }[];
  /** USD for each second, by model. */
  readonly rates: Readonly<Record<string, string>>;
  /** How long a clip that nobody fetched can be read, ms. */
  readonly windowMs: number;
  /** Present where jobs are short enough to meet their deadline: from the submission to it, ms. */
  readonly jobMs?: number;
  /** How much a node's clock and the machine's may differ, ms. */
  readonly slackMs: number;
}

export interface VideoSubmission {
  readonly account: string;
  /** Unique; also the id in the provider's log. */
  readonly name: string;
  readonly model: string;
  readonly at: number;
  readonly endAt: number;
  /** Null: the outcome is unknown. */
  readonly status: number | null;
  readonly id: string | null;
  readonly callback: boolean;
  /** What the provider was told to do with it. */
  readonly expects: 'completed' | 'failed';
}

/** The members of a job document; an absent one is a fact that is not established. */
export interface VideoDocument {
  readonly id: string;
  readonly status: string;
  readonly polling_url: string;
  readonly generation_id?: string;
  readonly unsigned_urls?: readonly string[];
  readonly clip_durations_seconds?: readonly number[];
  readonly usage?: { readonly cost: number | null; readonly video_seconds: number };
  readonly error?: { readonly message: string; readonly error_type: string };
  readonly fault?: string;
}

/** One answer of `GET /videos/{id}`. */
export interface VideoPoll {
  readonly id: string;
  readonly at: number;
  readonly endAt: number;
  readonly document: VideoDocument;
  /** The digits of `usage.cost` as they were sent. */
  readonly cost: string | null;
}

export interface ContentSeen {
  readonly id: string;
  readonly way: 'whole' | 'part' | 'head';
  readonly at: number;
  readonly endAt: number;
  /** Null: no answer. */
  readonly status: number | null;
  readonly bytes: number;
  /** Of a body that arrived whole; null for any other. */
  readonly digest: string | null;
}

export interface VideoCancel {
  readonly id: string;
  readonly at: number;
  readonly endAt: number;
  readonly status: number | null;
}

/** One post as the receiver saw it. */
export interface HookPost {
  readonly at: number;
  readonly id: string;
  readonly body: string;
  readonly signature: string;
  /** What the receiver answered. */
  readonly status: number;
}
