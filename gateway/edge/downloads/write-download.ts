import type { ServerResponse } from 'node:http';
import { freeBytes } from '../../../actors/runtime/index.ts';
import type { FileServices } from '../../files/file-services.ts';
import { writeStream } from '../../http/write-stream.ts';

/** What downloads take of their node. */
export interface Downloading {
  readonly files: FileServices;
  /** A client that reads nothing for so long is disconnected. */
  readonly streamStalledMs: number;
}

/**
 * Writes stored bytes of an account to its client, in the background: a download gives way to live requests. The pieces
 * must share their buffers with nobody: each is freed once it is written.
 */
export function writeDownload(
  response: ServerResponse,
  source: AsyncIterable<Uint8Array>,
  { files, streamStalledMs: stalledMs }: Downloading,
  account: string,
): Promise<void> {
  const run = <T>(step: () => Promise<T>): Promise<T> => files.background.step(account, step);
  return writeStream(response, source, { clock: files.clock, stalledMs, run, written: freeBytes });
}
