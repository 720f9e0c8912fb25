/** Video jobs of every account as the operator sees them: read from the store, without a customer's key. */

import { isVideoJobId } from '../../../../actors/terms/ids.ts';
import { type JobRecord, jobDocument, VIDEO_STATUSES } from '../../../../actors/video-job/job-record.ts';
import { cancelVideo, listAllVideoJobs } from '../../../../actors/video-job/video-job.ts';
import { ConfigError } from '../../config/config-error.ts';
import { absentWords } from '../frame/absent.ts';
import type { GlobalOptions } from '../frame/global-options.ts';
import { ASK_MS, type Session, withSession } from '../frame/session.ts';
import { type AllOptions, cursorFrom, limitFrom, statusesFrom } from './all-jobs.ts';
import type { ShownVideo } from './shown-video.ts';

/** With what the API, which speaks to the account itself, leaves out. */
export interface OperatorVideo extends ShownVideo {
  readonly account: string;
  /** Address of the submitting key. */
  readonly key: string;
  readonly model: string;
  /** Unix seconds. */
  readonly created_at: number;
}

export interface OperatorVideos {
  readonly data: readonly OperatorVideo[];
  readonly has_more: boolean;
}

/** Newest first. @throws ConfigError */
export async function allVideos(options: AllOptions & GlobalOptions): Promise<OperatorVideos> {
  const statuses = statusesFrom(options, VIDEO_STATUSES);
  const query = { limit: limitFrom(options), after: cursorFrom(options, isVideoJobId) };
  const { jobs, hasMore } = await withSession(options, ({ operator }) =>
    listAllVideoJobs({ rows: operator }, statuses, query),
  );
  return { data: jobs.map(shown), has_more: hasMore };
}

/** @throws ConfigError */
export async function videoOf(id: string, options: GlobalOptions): Promise<OperatorVideo> {
  return shown(await withSession(options, (session) => stored(session, id)));
}

/** @throws ConfigError */
export async function cancelAnyVideo(id: string, options: GlobalOptions): Promise<OperatorVideo> {
  return withSession(options, async (session) => {
    const { account } = await stored(session, id);
    const answer = await cancelVideo(session.cluster, { account, id }, ASK_MS);
    if ('refusal' in answer) throw new ConfigError(`${id}: ${answer.refusal.message}`);
    return shown(answer);
  });
}

async function stored({ operator }: Session, id: string): Promise<JobRecord> {
  const row = await operator.rowById('job', id);
  if (row === null) throw new ConfigError(absentWords(`video-job:${id}`));
  return JSON.parse(row.body) as JobRecord;
}

function shown(record: JobRecord): OperatorVideo {
  const { account, key, model, createdAt } = record;
  const video = JSON.parse(jobDocument(record)) as ShownVideo;
  return { account, key, model, created_at: Math.floor(createdAt / 1_000), ...video };
}
