/** The kind of video jobs and its client functions. Lists and look-ups read rows from the store, on any node. */
import {
  type ActorEvent,
  AskError,
  type Cluster,
  type Json,
  type Kind,
  type RowReader,
  type RowRef,
} from '../runtime/index.ts';
import { ask, plain } from '../terms/chart-tools.ts';
import { FEED_EVENTS, feedEventCollection } from '../terms/feed-event.ts';
import { EVERY_STEP } from '../terms/history.ts';
import { timeOfId, videoJobAddress } from '../terms/ids.ts';
import { byMember, type Principal } from '../terms/principal.ts';
import type { RefusedAnswer } from '../terms/refusal.ts';
import { clipCollection, type OpenedClip, READER_NODE, readerCollection, type ShownClip } from './clips.ts';
import { explainVideoJob, redactVideoJob } from './explain.ts';
import type { NewVideoJob, VideoBounds } from './job.ts';
import { JOB_ACCOUNT, type JobRecord, jobCollection } from './job-record.ts';
import type { BegunRender } from './render.ts';
import type { RemoteRender } from './render-ask.ts';
import { type VideoJobEvent, videoJobMachine } from './video-job.machine.ts';

export const videoJobKind: Kind = {
  name: 'video-job',
  machine: videoJobMachine,
  version: 1,
  creates: ['job.submit'],
  finishes: ['job.cancel', 'render.begin', 'render.submitted', 'render.moved', 'clip.close'],
  volatile: ['clip.show'],
  activities: ['render', 'abort', 'removal'],
  collections: {
    job: jobCollection,
    clip: clipCollection,
    reader: readerCollection,
    [FEED_EVENTS]: feedEventCollection,
  },
  rows: rowsOf,
  leaseRows: { collection: 'reader', column: READER_NODE, event: 'reader.lost' },
  history: EVERY_STEP,
  explain: explainVideoJob,
  redact: (context: Json) => redactVideoJob(context),
};

const ALL_CLIPS: RowRef = { as: 'clips', collection: 'clip', open: true };
const ALL_READERS: RowRef = { as: 'readers', collection: 'reader', open: true };

function rowsOf(event: ActorEvent): readonly RowRef[] {
  const typed = event as unknown as VideoJobEvent;
  switch (typed.type) {
    case 'clip.show':
      return [clipOf(typed.index)];
    case 'clip.open':
    case 'clip.close':
      return [clipOf(typed.index), ALL_CLIPS, ALL_READERS];
    case 'clip.expire':
    case 'reader.expire':
    case 'reader.lost':
    case 'job.window':
      return [ALL_CLIPS, ALL_READERS];
    default:
      return [];
  }
}

function clipOf(index: number): RowRef {
  return { as: 'clip', collection: 'clip', id: String(index), mayBeStored: false };
}

interface SubmitVideoOptions {
  readonly bounds: VideoBounds;
  readonly withinMs: number;
}

/**
 * Creates a job whose assets are in the blob store, and holds its money, in one commit. The id is the natural id: a
 * repeat returns what was recorded, and so does the repeat of an idempotency key with the same body. Rejects with
 * AskError `rejected` with a refusal: 401, 402 (`metadata.available`), 403, 422 for an idempotency key that was used
 * with another body. Nothing is stored then.
 */
export async function submitVideo(
  cluster: Cluster,
  job: NewVideoJob,
  { bounds, withinMs }: SubmitVideoOptions,
): Promise<JobRecord> {
  const event = { type: 'job.submit', job: plain(job), bounds: plain(bounds) };
  try {
    return await ask<JobRecord>(cluster, videoJobAddress(job.account, job.id), event, withinMs);
  } catch (thrown) {
    const recorded = await recordedBefore(cluster, job.account, thrown);
    if (recorded === null) throw thrown;
    return recorded;
  }
}

/** The job that the idempotency key of a refused submission names; null for any other failure. */
async function recordedBefore(cluster: Cluster, account: string, thrown: unknown): Promise<JobRecord | null> {
  if (!(thrown instanceof AskError) || thrown.failure.code !== 'rejected') return null;
  const { recorded } = (thrown.failure.refusal.body ?? {}) as { readonly recorded?: string };
  return recorded === undefined ? null : findVideoJob(cluster, account, recorded);
}

/** A job of the account; null for one that is unknown, another account's or no longer shown. */
export async function findVideoJob(cluster: Cluster, account: string, id: string): Promise<JobRecord | null> {
  const row = await cluster.rows.row(videoJobAddress(account, id), 'job', id);
  return row === null ? null : (JSON.parse(row.body) as JobRecord);
}

/** Names a job: its account and its id. */
interface JobName {
  readonly account: string;
  readonly id: string;
}

/**
 * Cancels a job. One that is cancelled, or is being cancelled, is returned unchanged. Refused: 404, 409 for other ended
 * ones and where the endpoint cannot abort the render. `by` is the operator who cancels for the account, and `reason` why:
 * both are recorded.
 */
export async function cancelVideo(
  cluster: Cluster,
  name: JobName,
  withinMs: number,
  by?: Principal,
  reason?: string,
): Promise<JobRecord | RefusedAnswer> {
  const why = reason === undefined ? {} : { reason };
  return (await askOrAbsent(cluster, name, { type: 'job.cancel', ...byMember(by), ...why }, withinMs)) as
    | JobRecord
    | RefusedAnswer;
}

/** A clip that a download could read now. Refused: 404, 409 (not completed), 410 (gone). */
export async function showClip(
  cluster: Cluster,
  name: JobName,
  index: number,
  withinMs: number,
): Promise<ShownClip | RefusedAnswer> {
  return (await askOrAbsent(cluster, name, { type: 'clip.show', index }, withinMs)) as ShownClip | RefusedAnswer;
}

/**
 * Begins a download. `reader` is chosen by the caller and unique; the clip is kept until `closeClip`, at most until
 * `until`. Refused: 404, 409 (not completed), 410 (gone), 429 (too many downloads of the job at once).
 */
export async function openClip(
  cluster: Cluster,
  name: JobName,
  { index, reader, withinMs }: { readonly index: number; readonly reader: string; readonly withinMs: number },
): Promise<OpenedClip | RefusedAnswer> {
  const event = { type: 'clip.open', index, reader, node: cluster.self.incarnation };
  return (await askOrAbsent(cluster, name, event, withinMs)) as OpenedClip | RefusedAnswer;
}

/** Ends a download. `delivered`: it was written from the first byte of the clip through the last. */
export async function closeClip(
  cluster: Cluster,
  name: JobName,
  closed: { readonly index: number; readonly reader: string; readonly delivered: boolean; readonly withinMs: number },
): Promise<void> {
  const { withinMs, ...event } = closed;
  await askOrAbsent(cluster, name, { type: 'clip.close', ...event }, withinMs);
}

/** One run of the activity `render`. */
export interface RenderRun extends JobName {
  readonly run: number;
  readonly withinMs: number;
}

/**
 * From the runner, before it calls a provider: the job is `in_progress` from this commit on. Answers how far an earlier
 * run came. Null: another run renders the job, or it has ended; the runner stops.
 */
export async function beginRender(cluster: Cluster, current: RenderRun): Promise<BegunRender | null> {
  return report(cluster, current, { type: 'render.begin', run: current.run });
}

/** From the runner: a provider has accepted the render. A later run polls it instead of rendering again. */
export async function reportSubmitted(
  cluster: Cluster,
  current: RenderRun,
  remote: RemoteRender,
): Promise<BegunRender | null> {
  return report(cluster, current, { type: 'render.submitted', run: current.run, remote: plain(remote) });
}

/** From the runner: the candidate before failed without a charge, and this one is tried next. */
export async function reportMoved(
  cluster: Cluster,
  current: RenderRun,
  candidate: number,
): Promise<BegunRender | null> {
  return report(cluster, current, { type: 'render.moved', run: current.run, candidate });
}

async function report(cluster: Cluster, run: RenderRun, event: ActorEvent): Promise<BegunRender | null> {
  const answer = (await askOrAbsent(cluster, run, event, run.withinMs)) as BegunRender | RefusedAnswer;
  return 'refusal' in answer ? null : answer;
}

async function askOrAbsent(cluster: Cluster, name: JobName, event: ActorEvent, withinMs: number): Promise<unknown> {
  try {
    return await ask(cluster, videoJobAddress(name.account, name.id), event, withinMs);
  } catch (thrown) {
    if (!(thrown instanceof AskError) || thrown.failure.code !== 'absent') throw thrown;
    return { refusal: { status: 404, type: 'not_found', message: 'No such video job' } } satisfies RefusedAnswer;
  }
}

interface Reader {
  readonly rows: Pick<RowReader, 'rows'>;
}

interface JobQuery {
  /** 1 to 999. */
  readonly limit: number;
  /** Continues after this job id, which need not exist; null begins. */
  readonly after: string | null;
}

interface JobPage {
  readonly jobs: readonly JobRecord[];
  readonly hasMore: boolean;
}

/** Video jobs of an account, newest first. */
export async function listVideoJobs(
  { rows: store }: Reader,
  account: string,
  { limit, after }: JobQuery,
): Promise<JobPage> {
  const cursor = after === null ? {} : { after: { sort: timeOfId(after), id: after } };
  const where = { column: JOB_ACCOUNT, equals: account } as const;
  // One more than a page, which tells whether there is another page.
  const rows = await store.rows({ collection: 'job', where, order: 'descending', limit: limit + 1, ...cursor });
  const jobs = rows.map(({ body }) => JSON.parse(body) as JobRecord);
  return { jobs: jobs.slice(0, limit), hasMore: jobs.length > limit };
}
