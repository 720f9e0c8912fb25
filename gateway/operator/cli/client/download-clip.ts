import { open, rename, rm } from 'node:fs/promises';
import { ConfigError, lineOf } from '../../config/config-error.ts';
import { progressFor } from '../frame/progress.ts';
import type { PublicApi } from './public-api.ts';

interface Clip {
  readonly id: string;
  readonly index: number;
  readonly file: string;
}

/**
 * Downloads a clip to a file, which appears when it is whole. Returns its bytes. `out` receives the progress. A whole
 * download is the clip's delivery: it can be fetched for 10 more minutes.
 */
export async function downloadClip(
  api: PublicApi,
  { id, index, file }: Clip,
  out: NodeJS.WriteStream | null,
): Promise<number> {
  const { length, pieces } = await api.bytes({
    method: 'GET',
    path: `/videos/${encodeURIComponent(id)}/content?index=${index}`,
  });
  const part = `${file}.part`;
  const handle = await open(part, 'w').catch((error: unknown) => {
    throw new ConfigError(`${part} cannot be written: ${lineOf(error)}`);
  });
  const progress = progressFor(out);
  let bytes = 0;
  try {
    for await (const piece of pieces) {
      await handle.write(piece);
      bytes += piece.length;
      // Only a terminal follows the bytes: elsewhere each piece would be a line.
      if (out?.isTTY) out.write(progress.show(stateOf(bytes, length)));
    }
    if (length !== null && bytes !== length)
      throw new ConfigError(`the download ended after ${bytes} of ${length} bytes`);
    await handle.close();
    await rename(part, file);
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(part, { force: true });
    throw error;
  }
  if (out?.isTTY) out.write(progress.end());
  return bytes;
}

function stateOf(bytes: number, length: number | null) {
  const of = length === null ? '' : ` of ${mebibytes(length)}`;
  return { done: length === null ? 0 : bytes / length, summary: `${mebibytes(bytes)}${of} MiB` };
}

function mebibytes(bytes: number): string {
  return (bytes / (1024 * 1024)).toFixed(1);
}
