/** The row of a video job, and its document as the API shows it. */
import type { Collection, SealedBlob } from '../runtime/index.ts';
import { timeOfId } from '../terms/ids.ts';
import type { ErrorType } from '../terms/refusal.ts';
import { toJsonNumberText } from '../terms/usd.ts';

/** The states of a job. (rule V1) */
export const VIDEO_STATUSES = ['pending', 'in_progress', 'completed', 'failed', 'cancelled', 'expired'] as const;

export type VideoStatus = (typeof VIDEO_STATUSES)[number];

/** Why a job failed, for its owner. `code` is the HTTP status that a live route would have answered. */
export interface JobError {
  readonly code: number;
  readonly message: string;
  readonly error_type: ErrorType;
}

export function errorOf(code: number, error_type: ErrorType, message: string): JobError {
  return { code, message, error_type };
}

/** The charge, as recorded with the job's generation. */
export interface JobUsage {
  /** USD, exact decimal text; null where the rendered seconds carry no declared price. */
  readonly cost: string | null;
  /** Measured, exact decimal text. */
  readonly videoSeconds: string;
}

/** The row of a job: what the API shows of it. Rows of ended jobs stay for the configured retention. */
export interface JobRecord {
  /** `vjob_` and 32 hex digits. */
  readonly id: string;
  /** Account id, without the kind. */
  readonly account: string;
  /** Address of the submitting key. */
  readonly key: string;
  readonly generation: string;
  readonly model: string;
  readonly status: VideoStatus;
  /** A render has begun at least once. */
  readonly processed: boolean;
  /** Store times, ms. The time of the id is the time of creation. */
  readonly createdAt: number;
  readonly renderedAt: number | null;
  readonly endedAt: number | null;
  /** Measured durations of the clips, exact decimal text; null before they exist. */
  readonly clipSeconds: readonly string[] | null;
  readonly usage: JobUsage | null;
  readonly error: JobError | null;
  readonly fault: 'marketplace' | null;
  /** The current run of the render, from 1. */
  readonly run: number;
  /** Tags of the endpoints that may render it, in order, and the position of the one that does. */
  readonly candidates: readonly string[];
  readonly candidate: number;
  /** The assets as one blob; null without assets and once the job has ended. */
  readonly assets: SealedBlob | null;
}

/** Index columns of the job collection. */
export const JOB_ACCOUNT = 0;

/** For lists over all accounts. */
export const JOB_STATUS_OF_ALL = 2;

/** Jobs sort by the time in their ids, so that a page can continue after a job that no longer exists. */
export const jobCollection: Collection = {
  sort: (row: JobRecord) => timeOfId(row.id),
  index: [(row: JobRecord) => row.account, (row: JobRecord) => row.assets?.id ?? null, (row: JobRecord) => row.status],
  blob: 1,
};

const PREFIX = '/api/v1/videos';

/** Path of the job. */
export function jobPath(id: string): string {
  return `${PREFIX}/${id}`;
}

function contentPath(id: string, index: number): string {
  return `${jobPath(id)}/content?index=${index}`;
}

/** The text of the document; a fact that is not established yet has no member. */
export function jobDocument(job: JobRecord): string {
  const { id, status, processed, generation, clipSeconds, usage, error, fault } = job;
  const members = [textMember('id', id), textMember('polling_url', jobPath(id)), textMember('status', status)];
  if (processed) members.push(textMember('generation_id', generation));
  if (clipSeconds !== null) {
    const urls = clipSeconds.map((_, index) => contentPath(id, index));
    const seconds = clipSeconds.map(toJsonNumberText);
    members.push(`"unsigned_urls":${JSON.stringify(urls)}`, `"clip_durations_seconds":[${seconds.join(',')}]`);
  }
  if (usage !== null) members.push(`"usage":${usageText(usage)}`);
  if (error !== null) members.push(`"error":${JSON.stringify(error)}`);
  if (fault !== null) members.push(textMember('fault', fault));
  return `{${members.join(',')}}`;
}

function usageText({ cost, videoSeconds }: JobUsage): string {
  const amount = cost === null ? 'null' : toJsonNumberText(cost);
  return `{"cost":${amount},"is_byok":false,"video_seconds":${toJsonNumberText(videoSeconds)}}`;
}

function textMember(name: string, value: string): string {
  return `"${name}":${JSON.stringify(value)}`;
}
