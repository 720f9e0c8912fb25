import contentDisposition from 'content-disposition';
import parseRange from 'range-parser';
import type { FileRecord } from '../../../../actors/file/file-record.ts';
import { ownerOf } from '../../../../actors/runtime/index.ts';
import { type FileRange, readFile, requireFile } from '../../../files/read-file.ts';
import { GatewayError } from '../../../terms/gateway-error.ts';
import type { EdgeRoutes } from '../../http/edge-routes.ts';
import { generationHeaders } from '../../http/generation-headers.ts';
import { writeDownload } from '../../http/write-download.ts';
import { callerOf, paramOf, type RequestContext } from '../../request-context.ts';

/** `GET /files/:id/content`: the bytes, streamed; one range of them with `Range`. */
export async function sendFileContent(context: RequestContext, edge: EdgeRoutes): Promise<null> {
  const account = ownerOf(callerOf(context).key);
  return sendFile(context, edge, await requireFile(edge.services.files, account, paramOf(context, 'id')));
}

export async function sendFile(
  context: RequestContext,
  { services }: Pick<EdgeRoutes, 'services'>,
  file: FileRecord,
): Promise<null> {
  const range = rangeOf(context.request.headers.range, file.bytes);
  const source = await readFile(services.files, file, range ?? undefined);
  const { response } = context;
  // A download waits for its client.
  context.place?.leave();
  response.writeHead(range === null ? 200 : 206, [...generationHeaders(context.id), ...contentHeaders(file, range)]);
  await writeDownload(response, source, services, file.account);
  return null;
}

function contentHeaders({ filename, mimeType, bytes }: FileRecord, range: FileRange | null): string[] {
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

/** The one range asked for. Null for the whole: no range, several, another unit, or one that cannot be read. */
function rangeOf(header: string | undefined, bytes: number): FileRange | null {
  if (header === undefined) return null;
  const ranges = parseRange(bytes, header);
  if (ranges === -1) throw unsatisfiable(bytes);
  if (ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) return null;
  const [{ start, end }] = ranges as unknown as [{ readonly start: number; readonly end: number }];
  return { from: start, to: end + 1 };
}

function unsatisfiable(bytes: number): GatewayError {
  return new GatewayError({
    status: 416,
    type: 'invalid_request',
    message: `Range does not lie within the ${bytes} bytes of the file`,
    headers: { 'content-range': `bytes */${bytes}` },
  });
}
