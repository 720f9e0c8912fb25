import type { BatchRecord } from '../../../actors/batch/batch-record.ts';
import { type Downloading, writeDownload } from '../../edge/downloads/write-download.ts';
import { generationHeaders } from '../../edge/generation-headers.ts';
import type { RequestContext } from '../../edge/request-context.ts';
import { JSON_TYPE } from '../../http/write-answer.ts';
import { resultsOf } from '../../jobs/batch/read-sealed.ts';
import { batchObject } from './batch-object.ts';

/**
 * Sends a batch with its result lines as text, streamed, because they may have 32 MiB. False, and nothing sent, for a
 * batch without results: it runs, or its results file ended.
 */
export async function sendResults(
  { response, id, place }: RequestContext,
  downloads: Downloading,
  batch: BatchRecord,
): Promise<boolean> {
  const lines = await resultsOf(downloads.files, batch);
  if (lines === null) return false;
  // It waits for its client.
  place?.leave();
  response.writeHead(200, [...generationHeaders(id), 'content-type', JSON_TYPE]);
  await writeDownload(response, textOf(batch, lines), downloads, batch.account);
  return true;
}

async function* textOf(batch: BatchRecord, lines: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const { results: _, ...members } = batchObject(batch);
  yield Buffer.from(`${JSON.stringify(members).slice(0, -1)},"results":"`);
  // The decoder keeps an incomplete character for the next piece.
  const decoder = new TextDecoder();
  for await (const piece of lines) yield escaped(decoder.decode(piece, { stream: true }));
  yield Buffer.from('"}');
}

/** Text as the inside of a JSON string. */
function escaped(text: string): Buffer {
  return Buffer.from(JSON.stringify(text).slice(1, -1));
}
