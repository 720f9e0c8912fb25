import contentDisposition from 'content-disposition';
import type { FileRecord } from '../../../actors/file/file-record.ts';
import { type ByteRange, ownerOf } from '../../../actors/runtime/index.ts';
import { readFile, requireFile } from '../../files/read-file.ts';
import { byteRangeOf } from '../../http/byte-range.ts';
import { generationHeaders } from '../generation-headers.ts';
import { callerOf, paramOf, type RequestContext } from '../request-context.ts';
import { type Downloading, writeDownload } from './write-download.ts';

/** `GET /files/:id/content`: the bytes, streamed; one range of them with `Range`. */
export async function sendFileContent(context: RequestContext, downloads: Downloading): Promise<null> {
  const account = ownerOf(callerOf(context).key);
  return sendFile(context, downloads, await requireFile(downloads.files, account, paramOf(context, 'id')));
}

export async function sendFile(context: RequestContext, downloads: Downloading, file: FileRecord): Promise<null> {
  const range = byteRangeOf(context.request.headers.range, file.bytes);
  const source = await readFile(downloads.files, file, range ?? undefined);
  const { response } = context;
  // A download waits for its client.
  context.place?.leave();
  response.writeHead(range === null ? 200 : 206, [...generationHeaders(context.id), ...contentHeaders(file, range)]);
  await writeDownload(response, source, downloads, file.account);
  return null;
}

function contentHeaders({ filename, mimeType, bytes }: FileRecord, range: ByteRange | null): string[] {
  const length = range === null ? bytes : range.to - range.from;
  const headers = ['content-type', mimeType, 'content-length', String(length), 'accept-ranges', 'bytes'];
  if (range !== null) headers.push('content-range', `bytes ${range.from}-${range.to - 1}/${bytes}`);
  // A stored file never runs in a browser as a document of this origin.
  headers.push('content-disposition', contentDisposition(filename, { fallback: asciiOf(filename) }));
  headers.push('x-content-type-options', 'nosniff');
  headers.push('cache-control', 'private, no-store');
  return headers;
}

/** Latin-1 in this header behind a `Content-Length` makes Node throw, so other scripts travel in `filename*` alone. */
function asciiOf(filename: string): string {
  return filename.replace(/[^\x20-\x7e]/g, '?');
}
