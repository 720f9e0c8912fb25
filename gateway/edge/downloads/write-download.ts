import type { ServerResponse } from 'node:http';
import { freeBytes } from '../../../actors/runtime/index.ts';
import { writeStream } from '../../http/write-stream.ts';
import type { EdgeServices } from '../services.ts';

/**
 * Writes stored bytes of an account to its client, in the background: a download gives way to live requests. The pieces
 * must share their buffers with nobody: each is freed once it is written.
 */
export function writeDownload(
  response: ServerResponse,
  source: AsyncIterable<Uint8Array>,
  { clock, limits, files }: EdgeServices,
  account: string,
): Promise<void> {
  const run = <T>(step: () => Promise<T>): Promise<T> => files.background.step(account, step);
  return writeStream(response, source, { clock, stalledMs: limits.streamStalledMs, run, written: freeBytes });
}
