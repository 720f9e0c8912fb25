/** What others see of a video job: its row, its answers, and what it announces. Pure. */
import { type Effect, emitOn, type Stamped } from '../runtime/index.ts';
import { plain, reply } from '../terms/chart-tools.ts';
import { putFeedEvent } from '../terms/feed-event.ts';
import { announceWebhook } from '../terms/webhook.ts';
import { submittedOf, type VideoJobState } from './job.ts';
import { type JobRecord, jobDocument, type VideoStatus } from './job-record.ts';

/** The status that a state of the chart is shown as. */
interface ShownAs {
  readonly status: VideoStatus;
}

function recordOf(state: VideoJobState, status: VideoStatus): JobRecord {
  const { id, account, key, generation, model, createdAt, assets, candidates } = submittedOf(state);
  const { processed, renderedAt, endedAt, clipSeconds, usage, error, fault, run, candidate } = state;
  return {
    id,
    account,
    key,
    generation,
    model,
    status,
    processed,
    createdAt,
    renderedAt,
    endedAt,
    clipSeconds,
    usage,
    error,
    fault,
    run,
    candidate,
    candidates: candidates.map(({ tag }) => tag),
    assets: endedAt === null ? assets : null,
  };
}

function putJob(state: VideoJobState, _: Stamped, { status }: ShownAs): Effect {
  const record = recordOf(state, status);
  return { type: 'put', collection: 'job', id: record.id, body: plain(record) };
}

/** For the account's feed of events: the document of the job differs from the last one there. */
function publishChange(state: VideoJobState, { at }: Stamped, { status }: ShownAs): Effect {
  const record = recordOf(state, status);
  const { id, account } = record;
  return putFeedEvent({ id, account, type: 'video.updated', at, object: { ...record, assets: null } });
}

function answerJob(state: VideoJobState, _: Stamped, { status }: ShownAs): Effect {
  return reply(recordOf(state, status));
}

export type AnnouncedStatus = 'completed' | 'expired';

/** Creates the webhook of the event, if the job has a callback. */
export function announce(
  state: VideoJobState,
  { at }: Stamped,
  { status }: { readonly status: AnnouncedStatus },
): Effect[] {
  const { account, id: job, callbackUrl: url, bounds } = submittedOf(state);
  if (url === null) return [];
  const type = `video.generation.${status}` as const;
  const document = jobDocument(recordOf(state, status));
  return [announceWebhook({ account, job, type, at, url, document, retentionMs: bounds.retentionMs })];
}

export const actions = {
  put: emitOn('*', putJob),
  publishChange: emitOn('*', publishChange),
  answer: emitOn('*', answerJob),
  announce: emitOn('*', announce),
};
