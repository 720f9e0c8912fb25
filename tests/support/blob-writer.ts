/**
 * A process that writes one endless blob into a folder: `blob-writer.ts PATH`. Prints `writing` after the first
 * mebibyte and `refused REASON` when the disk is full. For tests that kill it or take its space away.
 */
import { BlobsRefused } from '../../actors/runtime/ports/blobs.ts';
import { openBlobDirectory } from '../../actors/runtime/stores/directory/open-blob-directory.ts';
import { systemClock, systemRandom } from '../../actors/runtime/system/clock.ts';

const PIECE_BYTES = 64 * 1024;

async function* endless(): AsyncGenerator<Uint8Array> {
  for (let piece = 0; ; piece++) {
    if (piece === 32) process.stdout.write('writing\n');
    yield new Uint8Array(PIECE_BYTES);
  }
}

// The file size limit first raises a signal, which would end the process without a listener.
process.on('SIGXFSZ', () => {});
const ports = { clock: systemClock, random: systemRandom };
const blobs = await openBlobDirectory({ path: process.argv[2] ?? '', bytesMax: Number.MAX_SAFE_INTEGER, ...ports });
try {
  await blobs.put(endless());
} catch (error) {
  process.stdout.write(`refused ${error instanceof BlobsRefused ? error.reason : String(error)}\n`);
}
