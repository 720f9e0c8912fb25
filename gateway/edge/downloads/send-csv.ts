import { generationHeaders } from '../generation-headers.ts';
import type { RequestContext } from '../request-context.ts';
import { type Downloading, writeDownload } from './write-download.ts';

interface CsvFile {
  /** Id or address of its account, whose downloads take turns with those of others. */
  readonly account: string;
  /** Without its ending. */
  readonly name: string;
  readonly source: AsyncIterable<Uint8Array>;
}

/** Sends lines of CSV as a download that no cache keeps. */
export async function sendCsv(
  context: RequestContext,
  downloads: Downloading,
  { account, name, source }: CsvFile,
): Promise<null> {
  const { response } = context;
  // A download waits for its client.
  context.place?.leave();
  response.writeHead(200, [
    ...generationHeaders(context.id),
    'content-type',
    'text/csv; charset=utf-8',
    'cache-control',
    'private, no-store',
    'content-disposition',
    `attachment; filename="${name}.csv"`,
    'x-content-type-options',
    'nosniff',
  ]);
  await writeDownload(response, source, downloads, account);
  return null;
}
