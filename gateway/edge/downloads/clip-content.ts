import { once } from 'node:events';
import contentDisposition from 'content-disposition';
import { type ByteAccess, type ByteRange, type Cluster, openBlob } from '../../../actors/runtime/index.ts';
import type { RefusedAnswer } from '../../../actors/terms/refusal.ts';
import type { OpenedClip, ShownClip } from '../../../actors/video-job/clips.ts';
import { type ClipRecord, placeOfClip } from '../../../actors/video-job/clips.ts';
import type { JobRecord } from '../../../actors/video-job/job-record.ts';
import { closeClip, openClip, showClip } from '../../../actors/video-job/video-job.ts';
import { byteFailure, isKeyLost } from '../../files/byte-failure.ts';
import { byteRangeOf } from '../../http/byte-range.ts';
import { GatewayError, refusalError } from '../../terms/gateway-error.ts';
import { generationHeaders } from '../generation-headers.ts';
import { textOf, wholeNumber } from '../query/query-values.ts';
import type { RequestContext } from '../request-context.ts';
import { type Downloading, writeDownload } from './write-download.ts';

/**
 * `GET` and `HEAD /videos/:id/content`: the bytes of one clip, streamed, whole or one range. A download is open at the
 * job from before its first byte until it ends, so that the clip is not removed under it; one that is written from the
 * first byte through the last starts the clock of the clip. (rule V30, rule V32, rule V31)
 */
export async function sendClip(context: RequestContext, downloads: Downloading, job: JobRecord): Promise<null> {
  const { cluster, askMs } = downloads.files;
  const { request, response, id } = context;
  const index = indexOf(context);
  const header = request.headers.range;
  if (request.method === 'HEAD') {
    const { clip } = required(await showClip(cluster, job, index, askMs), cluster);
    response.writeHead(200, [...generationHeaders(id), ...contentHeaders(job, clip, null)]).end();
    return null;
  }
  // Before the download is open: a range beyond the end fetches nothing of the clip.
  if (header !== undefined)
    byteRangeOf(header, required(await showClip(cluster, job, index, askMs), cluster).clip.bytes);
  const opened = required(await openClip(cluster, job, { index, reader: id, withinMs: askMs }), cluster);
  // A download waits for its client.
  context.place?.leave();
  let delivered = false;
  try {
    delivered = await download(context, downloads, { job, opened, range: byteRangeOf(header, opened.clip.bytes) });
  } finally {
    await closeClip(cluster, job, { index, reader: id, delivered, withinMs: askMs }).catch(() => {
      // The job ends the download by itself: with this node, or at its time limit.
    });
  }
  return null;
}

interface Download {
  readonly job: JobRecord;
  readonly opened: OpenedClip;
  readonly range: ByteRange | null;
}

/** True if the clip was written from the first byte through the last. */
async function download(
  { response, id }: RequestContext,
  downloads: Downloading,
  { job, opened, range }: Download,
): Promise<boolean> {
  const { clock, cluster, bytes } = downloads.files;
  const { clip, until } = opened;
  const source = await readClip(bytes, job, clip, range);
  const cut = clock.after(until - cluster.now(), () => response.destroy());
  try {
    const status = range === null ? 200 : 206;
    response.writeHead(status, [...generationHeaders(id), ...contentHeaders(job, clip, range)]);
    await writeDownload(response, source, downloads, job.account);
    await ended(response, () => clock.after(downloads.streamStalledMs, () => response.destroy()));
  } finally {
    cut();
  }
  const { from, to } = range ?? { from: 0, to: clip.bytes };
  return response.writableFinished && from === 0 && to === clip.bytes;
}

/** Resolves when the last byte is with the operating system, or the client has left. */
async function ended(response: RequestContext['response'], limit: () => () => void): Promise<void> {
  if (response.writableFinished || response.closed) return;
  const stop = limit();
  await Promise.race([once(response, 'finish'), once(response, 'close')]).catch(() => {});
  stop();
}

async function readClip(
  { keys, blobs }: ByteAccess,
  { account, id }: JobRecord,
  { index, blob }: ClipRecord,
  range: ByteRange | null,
): Promise<AsyncIterable<Uint8Array>> {
  try {
    return blobs.read(await openBlob(keys, placeOfClip(account, id, index), blob), range ?? undefined);
  } catch (thrown) {
    if (isKeyLost(thrown)) throw gone();
    throw byteFailure(thrown);
  }
}

function gone(): GatewayError {
  return new GatewayError({ status: 410, type: 'gone', message: 'This clip is gone: its key is lost' });
}

/** A clip never runs in a browser as a document of this origin. */
function contentHeaders({ id }: JobRecord, { bytes, index }: ClipRecord, range: ByteRange | null): string[] {
  const length = range === null ? bytes : range.to - range.from;
  const headers = ['content-type', 'video/mp4', 'content-length', String(length), 'accept-ranges', 'bytes'];
  if (range !== null) headers.push('content-range', `bytes ${range.from}-${range.to - 1}/${bytes}`);
  headers.push('content-disposition', contentDisposition(`${id}-${index}.mp4`), 'x-content-type-options', 'nosniff');
  headers.push('cache-control', 'private, no-store');
  return headers;
}

function indexOf({ query }: RequestContext): number {
  return wholeNumber('index', textOf(new URLSearchParams(query), 'index') ?? '0', { least: 0 });
}

function required<T extends ShownClip>(answer: T | RefusedAnswer, cluster: Cluster): T {
  if ('refusal' in answer) throw refusalError(answer.refusal, cluster.now());
  return answer;
}
