/**
 * The clips of a job: their rows and those of the downloads that read them, their expiry, and their removal, which never
 * cuts a download. The row of a clip exists exactly as long as its bytes may be read, or are being read. Pure.
 * (rule V32, rule V33)
 */
import {
  assignOn,
  type Collection,
  type Effect,
  emitOn,
  guardOn,
  type Repeats,
  type SealPlace,
  type Stamped,
  verdictOn,
} from '../runtime/index.ts';
import { allRows, firstRow, plain, reply } from '../terms/chart-tools.ts';
import type { Refusal, RefusedAnswer } from '../terms/refusal.ts';
import { type Failed, retryAt, submittedOf, type VideoJobState, windowEndsAt } from './job.ts';
import type { RenderDone, RenderedClip } from './outcome.ts';

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
interface ReaderRecord {
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

/** Reads whether a clip can be downloaded, and what it is, without a download. */
type ClipShow = Stamped & { readonly type: 'clip.show'; readonly index: number };

/** A download begins. `reader` is its natural id; `node` the incarnation that serves it. */
type ClipOpen = Stamped & {
  readonly type: 'clip.open';
  readonly index: number;
  readonly reader: string;
  readonly node: string;
};

/** A download has ended. `delivered`: it was written from the first byte through the last. */
type ClipClose = Stamped & {
  readonly type: 'clip.close';
  readonly index: number;
  readonly reader: string;
  readonly delivered: boolean;
};

/** Timer: a delivered clip expires. */
type ClipExpire = Stamped & { readonly type: 'clip.expire'; readonly index: number };

/** Timer: a download has not reported its end. */
type ReaderExpire = Stamped & { readonly type: 'reader.expire'; readonly reader: string };

/** The node that serves downloads is dead. */
type ReaderLost = Stamped & { readonly type: 'reader.lost'; readonly incarnation: string };

/** The activity `removal` removes the bytes of a clip that no row refers to any more; `id` is the blob. */
type RemovalFailed = Stamped & Failed & { readonly type: 'removal.failed'; readonly id: string };

type RemovalRetry = Stamped & { readonly type: 'removal.retry'; readonly id: string; readonly repeats: Repeats };

const REMOVAL_ACTIVITY = 'removal';

/** The longest run of one attempt to remove bytes. */
const REMOVAL_MS = 60_000;

/** Attempts to remove the bytes of one clip; the sweep of blobs without a row finds what remains. */
const REMOVALS_MAX = 10;

export interface ShownClip {
  readonly clip: ClipRecord;
}

/** What a download reads, and until when it may read: store time, ms. */
export interface OpenedClip extends ShownClip {
  readonly until: number;
}

/** Why a download cannot begin. */
export type ClipCase = 'open' | 'unknown' | 'gone' | 'busy';

function judgeOpen(state: VideoJobState, event: ClipOpen | ClipShow): ClipCase {
  const clip = firstRow<ClipRecord>(event, 'clip');
  if (event.index >= (state.clipSeconds?.length ?? 0)) return 'unknown';
  if (clip === null || isOver(state, clip, event.at)) return 'gone';
  if (event.type === 'clip.show') return 'open';
  const others = readersOf(event).filter(({ id }) => id !== event.reader);
  return others.length < submittedOf(state).bounds.downloadsMax ? 'open' : 'busy';
}

/** No download of the clip may begin any more. */
function isOver(state: VideoJobState, { deliveredAt }: ClipRecord, at: number): boolean {
  const { deliveredMs } = submittedOf(state).bounds;
  return at >= windowEndsAt(state) || (deliveredAt !== null && at >= deliveredAt + deliveredMs);
}

/** The rows of the clips, from the moment at which the job is completed. */
function putClips(_: VideoJobState, { result }: RenderDone): Effect[] {
  const clips = result.outcome === 'completed' ? result.clips : [];
  return clips.map((clip, index) => {
    const row: ClipRecord = { ...clip, index, deliveredAt: null };
    return { type: 'put', collection: 'clip', id: String(index), body: plain(row) };
  });
}

function openClip(state: VideoJobState, event: ClipOpen): Effect[] {
  const { at, index, reader, node } = event;
  const until = at + submittedOf(state).bounds.downloadMs;
  const clip = firstRow<ClipRecord>(event, 'clip') as ClipRecord;
  return [
    { type: 'put', collection: 'reader', id: reader, body: plain({ index, node, until } satisfies ReaderRecord) },
    { type: 'schedule', name: timerOf(reader), at: until, event: { type: 'reader.expire', reader } },
    reply({ clip, until } satisfies OpenedClip),
  ];
}

function showClip(_: VideoJobState, event: ClipShow): Effect {
  return reply({ clip: firstRow<ClipRecord>(event, 'clip') as ClipRecord } satisfies ShownClip);
}

const REFUSALS = {
  /** The job has not completed. */
  unready: { status: 409, type: 'conflict', message: 'This job has no clip yet, or none at all: its status tells' },
  unknown: { status: 404, type: 'not_found', message: 'The job has no clip with this index' },
  gone: { status: 410, type: 'gone', message: 'This clip is gone: it was delivered, or its time is over' },
  busy: {
    status: 429,
    type: 'rate_limit_exceeded',
    message: 'This job has as many downloads as it may have at once',
    retryAfterMs: 1_000,
  },
} as const satisfies Readonly<Record<Exclude<ClipCase, 'open'> | 'unready', Refusal>>;

export type ClipRefusal = keyof typeof REFUSALS;

function refuseClip(_: VideoJobState, __: Stamped, { as }: { readonly as: ClipRefusal }): Effect {
  return reply({ refusal: REFUSALS[as] } satisfies RefusedAnswer);
}

/** The download has ended; the first delivery starts the clock of the clip. */
function closeClip(state: VideoJobState, event: ClipClose): Effect[] {
  const { at, reader, index, delivered } = event;
  const clip = firstRow<ClipRecord>(event, 'clip');
  const ended = endReaders([reader]);
  const answer: Effect = { type: 'reply', body: null };
  if (clip === null) return [...ended, answer];
  const isFirst = delivered && clip.deliveredAt === null && isReading(event, reader);
  if (!isFirst) return [...ended, ...removeUnread(state, event, [reader]), answer];
  const row: ClipRecord = { ...clip, deliveredAt: at };
  if (isOver(state, row, at)) return [...ended, ...removeUnread(state, event, [reader]), answer];
  const expiresAt = at + submittedOf(state).bounds.deliveredMs;
  return [
    ...ended,
    { type: 'put', collection: 'clip', id: String(index), body: plain(row) },
    { type: 'schedule', name: `clip.expire ${index}`, at: expiresAt, event: { type: 'clip.expire', index } },
    answer,
  ];
}

/** The downloads of a dead node, and one that has not reported its end. */
function loseReaders(state: VideoJobState, event: ReaderLost | ReaderExpire): Effect[] {
  const lost = readersOf(event)
    .filter(({ id, row }) => (event.type === 'reader.lost' ? row.node === event.incarnation : id === event.reader))
    .map(({ id }) => id);
  return [...endReaders(lost), ...removeUnread(state, event, lost)];
}

/** Clips that have expired. Those that are being read go with their last download. */
export function removeOver(state: VideoJobState, event: Stamped): Effect[] {
  return removeUnread(state, event, []);
}

/** Removes every expired clip whose only readers are `ended`. */
function removeUnread(state: VideoJobState, event: Stamped, ended: readonly string[]): Effect[] {
  const reading = new Set(
    readersOf(event)
      .filter(({ id }) => !ended.includes(id))
      .map(({ row }) => row.index),
  );
  return allRows(event, 'clips')
    .map(({ body }) => body as unknown as ClipRecord)
    .filter((clip) => !reading.has(clip.index) && isOver(state, clip, event.at))
    .flatMap((clip) => removeClip(clip, event.at));
}

/** The row goes in this commit, the bytes right after it. */
function removeClip({ index, blob }: ClipRecord, at: number): Effect[] {
  return [
    { type: 'remove', collection: 'clip', id: String(index) },
    { type: 'cancel', name: `clip.expire ${index}` },
    performRemoval(blob.id, at),
  ];
}

/** Input of the activity `removal`. */
export interface RemovalInput {
  /** Id of the blob. */
  readonly blob: string;
}

function performRemoval(blob: string, at: number): Effect & { readonly type: 'perform' } {
  const input = plain({ blob } satisfies RemovalInput);
  return { type: 'perform', name: REMOVAL_ACTIVITY, id: blob, input, deadlineAt: at + REMOVAL_MS };
}

function scheduleRemoval(_: VideoJobState, event: RemovalFailed): Effect[] {
  const { id, key, attempt, failure } = event;
  if (attempt >= REMOVALS_MAX) return [];
  const repeats = { key, attempt, failure: { code: failure.code, message: failure.message } };
  const retry = { type: 'removal.retry', id, repeats };
  return [{ type: 'schedule', name: `removal.retry ${id}`, at: retryAt(event), event: retry }];
}

function repeatRemoval(_: VideoJobState, { id, repeats, at }: RemovalRetry): Effect {
  return { ...performRemoval(id, at), repeats };
}

function endReaders(readers: readonly string[]): Effect[] {
  return readers.flatMap((reader): Effect[] => [
    { type: 'remove', collection: 'reader', id: reader },
    { type: 'cancel', name: timerOf(reader) },
  ]);
}

function isReading(event: Stamped, reader: string): boolean {
  return readersOf(event).some(({ id }) => id === reader);
}

function readersOf(event: Stamped): readonly { readonly id: string; readonly row: ReaderRecord }[] {
  return allRows(event, 'readers').map(({ id, body }) => ({ id, row: body as unknown as ReaderRecord }));
}

function timerOf(reader: string): string {
  return `reader.expire ${reader}`;
}

export const guards = {
  isFetched: guardOn('*', ({ fetched }: VideoJobState) => fetched),
  clipIs: verdictOn(['clip.open', 'clip.show'], judgeOpen),
};

export const actions = {
  putClips: emitOn('render.done', putClips),
  openClip: emitOn('clip.open', openClip),
  /** A download has begun: the job never expires. */
  markFetched: assignOn('*', ({ fetched }: VideoJobState) => (fetched ? {} : { fetched: true })),
  showClip: emitOn('clip.show', showClip),
  refuseClip: emitOn('*', refuseClip),
  closeClip: emitOn('clip.close', closeClip),
  loseReaders: emitOn(['reader.lost', 'reader.expire'], loseReaders),
  removeOver: emitOn('*', removeOver),
  scheduleRemoval: emitOn('removal.failed', scheduleRemoval),
  repeatRemoval: emitOn('removal.retry', repeatRemoval),
};

export type ClipEvent =
  | ClipShow
  | ClipOpen
  | ClipClose
  | ClipExpire
  | ReaderExpire
  | ReaderLost
  | RemovalFailed
  | RemovalRetry
  | (Stamped & { readonly type: 'removal.done' | 'removal.attempt' });
