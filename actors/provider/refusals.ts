/**
 * The operator's record of raw refusals of one provider: requested for a bounded time, redacted by the gateway that
 * received them, the newest 100 kept, for a day.
 */
import type { Cluster, Collection, Effect } from '../runtime/index.ts';
import { plain } from '../terms/chart-tools.ts';
import { providerAddress } from '../terms/ids.ts';

/** Board topic; keys are slugs, values `RefusalRecording`. A provider that is not recorded is not on it. */
export const RECORDINGS_TOPIC = 'refusal-recordings';
export const REFUSALS_COLLECTION = 'refusals';

const MINUTE_MS = 60_000;
export const RECORDED_MINUTES_MAX = 24 * 60;
const REFUSALS_MAX = 100;
const RETENTION_MS = 24 * 60 * MINUTE_MS;

export interface RefusalRecording {
  /** Store time in ms. */
  readonly until: number;
}

/** One raw refusal, redacted. */
export interface NotedRefusal {
  /** Store time in ms. */
  readonly at: number;
  readonly endpoint: string;
  readonly generation: string;
  /** Upstream HTTP status; null for an error inside an answer. */
  readonly status: number | null;
  readonly code: string;
  readonly text: string;
}

/** Part of the provider's state: until when refusals are recorded, null for not at all, and how many ever were. */
export interface RefusalState {
  readonly until: number | null;
  readonly noted: number;
}

export const refusalCollection: Collection = {
  sort: (body: NotedRefusal) => body.at,
  retentionMs: RETENTION_MS,
};

/** The state after a request to record for so many minutes; 0 ends it. */
export function recorded(state: RefusalState | undefined, minutes: number, at: number): RefusalState {
  const bounded = Math.min(RECORDED_MINUTES_MAX, Math.max(0, Math.floor(minutes)));
  return { until: bounded === 0 ? null : at + bounded * MINUTE_MS, noted: state?.noted ?? 0 };
}

export function isRecording(state: RefusalState | undefined, at: number): boolean {
  return state?.until != null && at < state.until;
}

/** Publishes the recording, and sets or cancels its end. Ending it on request removes what was recorded. */
export function recordingEffects(slug: string, { until, noted }: RefusalState): readonly Effect[] {
  const reply: Effect = { type: 'reply', body: { until } };
  if (until === null) {
    const kept = Math.min(noted, REFUSALS_MAX);
    const removed = Array.from({ length: kept }, (_, n): Effect => removeRow(n));
    return [unpublished(slug), { type: 'cancel', name: 'refusals' }, ...removed, reply];
  }
  return [
    published(slug, until),
    { type: 'schedule', name: 'refusals', at: until, event: { type: 'refusals.ended' } },
    reply,
  ];
}

export function published(slug: string, until: number): Effect {
  return { type: 'publish', topic: RECORDINGS_TOPIC, key: slug, value: { until } };
}

export function unpublished(slug: string): Effect {
  return { type: 'publish', topic: RECORDINGS_TOPIC, key: slug, value: null };
}

/** The row of the next refusal: the oldest of 100 is replaced. */
export function noteEffect(refusal: NotedRefusal, { noted }: RefusalState): Effect {
  return { type: 'put', collection: REFUSALS_COLLECTION, id: rowId(noted), body: plain(refusal) };
}

function removeRow(n: number): Effect {
  return { type: 'remove', collection: REFUSALS_COLLECTION, id: rowId(n) };
}

function rowId(noted: number): string {
  return String(noted % REFUSALS_MAX);
}

/** Records the raw refusals of a provider for `minutes`, at most a day; 0 ends it. Answers with its end. */
export async function recordRefusals(
  cluster: Cluster,
  slug: string,
  minutes: number,
  withinMs: number,
): Promise<{ readonly until: number | null }> {
  const answer = await cluster.ask(providerAddress(slug), { type: 'refusals.record', minutes }, { withinMs });
  return answer as { readonly until: number | null };
}

/** Sends one refusal without waiting: a lost one is not recorded. */
export function noteRefusal(cluster: Cluster, slug: string, refusal: NotedRefusal): void {
  cluster.tell(providerAddress(slug), { type: 'refusals.note', refusal: plain(refusal) });
}
