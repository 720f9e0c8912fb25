/**
 * The operator's record of raw refusals of one provider: requested for a bounded time, redacted by the gateway that
 * received them, the newest 100 kept, for a day.
 */
import {
  assignOn,
  type Cluster,
  type Collection,
  type Effect,
  emitOn,
  guardOn,
  type Stamped,
} from '../runtime/index.ts';
import { plain } from '../terms/chart-tools.ts';
import { providerAddress } from '../terms/ids.ts';

/** Board topic; keys are slugs, values `RefusalRecording`. A provider that is not recorded is not on it. */
export const RECORDINGS_TOPIC = 'refusal-recordings';
export const REFUSALS_COLLECTION = 'refusals';

const MINUTE_MS = 60_000;
const RECORDED_MINUTES_MAX = 24 * 60;
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
function recorded(state: RefusalState | undefined, minutes: number, at: number): RefusalState {
  const bounded = Math.min(RECORDED_MINUTES_MAX, Math.max(0, Math.floor(minutes)));
  return { until: bounded === 0 ? null : at + bounded * MINUTE_MS, noted: state?.noted ?? 0 };
}

export function isRecording(state: RefusalState | undefined, at: number): boolean {
  return state?.until != null && at < state.until;
}

/** Publishes the recording, and sets or cancels its end. Ending it on request removes what was recorded. */
function recordingEffects(slug: string, { until, noted }: RefusalState): readonly Effect[] {
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

function published(slug: string, until: number): Effect {
  return { type: 'publish', topic: RECORDINGS_TOPIC, key: slug, value: { until } };
}

function unpublished(slug: string): Effect {
  return { type: 'publish', topic: RECORDINGS_TOPIC, key: slug, value: null };
}

/** The row of the next refusal: the oldest of 100 is replaced. */
function noteEffect(refusal: NotedRefusal, { noted }: RefusalState): Effect {
  return { type: 'put', collection: REFUSALS_COLLECTION, id: rowId(noted), body: plain(refusal) };
}

function removeRow(n: number): Effect {
  return { type: 'remove', collection: REFUSALS_COLLECTION, id: rowId(n) };
}

function rowId(noted: number): string {
  return String(noted % REFUSALS_MAX);
}

type RefusalsRecord = Stamped & { readonly type: 'refusals.record'; readonly minutes: number };
type RefusalsNote = Stamped & { readonly type: 'refusals.note'; readonly refusal: NotedRefusal };
export type RefusalsEvent = RefusalsRecord | RefusalsNote | (Stamped & { readonly type: 'refusals.ended' });

interface Recording {
  readonly slug: string;
  readonly refusals?: RefusalState;
}

/** The parts of the provider's chart. */
export const refusalsGuards = {
  isRecording: guardOn('*', ({ refusals }: Recording, { at }) => isRecording(refusals, at)),
};

export const refusalsActions = {
  record: assignOn('refusals.record', ({ refusals }: Recording, { minutes, at }: RefusalsRecord) => ({
    refusals: recorded(refusals, minutes, at),
  })),
  publishRecording: emitOn('*', ({ slug, refusals }: Recording) => recordingEffects(slug, refusals as RefusalState)),
  putRefusal: emitOn('refusals.note', ({ refusals }: Recording, { refusal }: RefusalsNote) =>
    noteEffect(refusal, refusals as RefusalState),
  ),
  countRefusal: assignOn('*', ({ refusals }: Recording) => ({
    refusals: { until: refusals?.until ?? null, noted: (refusals?.noted ?? 0) + 1 },
  })),
  endRecording: assignOn('*', ({ refusals }: Recording) => ({
    refusals: { until: null, noted: refusals?.noted ?? 0 },
  })),
  unpublishRecording: emitOn('*', ({ slug }: Recording) => unpublished(slug)),
  republishRecording: emitOn('*', ({ slug, refusals }: Recording) =>
    refusals?.until == null ? [] : published(slug, refusals.until),
  ),
};

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
