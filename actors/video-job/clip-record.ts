/**
 * The rows of a job's clips and of the downloads that read them. The row of a clip exists exactly as long as its bytes
 * may be read, or are being read.
 */
import type { Collection, SealedBlob, SealPlace } from '../runtime/index.ts';

/** Clips of one job. */
export const CLIPS_MAX = 8;

/** A clip as it was delivered and measured. Seconds and frames per second are exact decimal text. */
export interface RenderedClip {
  readonly blob: SealedBlob;
  readonly durationSeconds: string;
  readonly frames: number;
  readonly width: number;
  readonly height: number;
  readonly fps: string;
  readonly bytes: number;
  readonly audio: boolean;
}

/** The row; its id is the index as text. */
export interface ClipRecord extends RenderedClip {
  /** From 0. */
  readonly index: number;
  /** Store time, ms, of the first delivery; null before it. */
  readonly deliveredAt: number | null;
}

export const clipCollection: Collection = {
  sort: (row: ClipRecord) => row.index,
  index: [(row: ClipRecord) => row.blob.id],
  open: () => true,
  blob: 0,
};

/** A download under way; the row's id is chosen by the node that serves it. */
export interface ReaderRecord {
  readonly index: number;
  /** Incarnation of the node: its death ends the download. */
  readonly node: string;
  /** Store time, ms, by which the download has ended. */
  readonly until: number;
}

export const READER_NODE = 0;

export const readerCollection: Collection = {
  sort: (row: ReaderRecord) => row.until,
  index: [(row: ReaderRecord) => row.node],
  open: () => true,
};

/** A clip opens only as this clip of this job of this account. (rule B48) */
export function placeOfClip(account: string, job: string, index: number): SealPlace {
  return { owner: account, object: job, kind: `clip-${index}` };
}

/** The prompt of a job opens only as that of this job of this account. */
export function placeOfPrompt(account: string, job: string): SealPlace {
  return { owner: account, object: job, kind: 'video-prompt' };
}

/** The assets of a job open only as those of this job of this account. */
export function placeOfAssets(account: string, job: string): SealPlace {
  return { owner: account, object: job, kind: 'video-assets' };
}
