/** A video job as the API shows it: JSON text with exact digits. (rule V29) */
import { toJsonNumberText } from '../terms/usd.ts';
import type { JobRecord, JobUsage } from './job-record.ts';

const PREFIX = '/api/v1/videos';

/** Path of the job. */
export function jobPath(id: string): string {
  return `${PREFIX}/${id}`;
}

export function contentPath(id: string, index: number): string {
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
