/**
 * A process that writes one blob without an end into a folder: `blob-writer.ts PATH`. Prints `writing` once the first
 * mebibyte is taken and `refused REASON` when the disk takes no more. For tests that kill it or take its space away.
 */
import { BlobsRefused } from '../../actors/runtime/ports/blobs.ts';
import { openBlobDirectory } from '../../actors/runtime/stores/directory/open-blob-directory.ts';
import { systemClock } from '../../actors/runtime/system/clock.ts';
import { systemRandom } from '../../actors/runtime/system/random.ts';

const PIECE_BYTES = 64 * 1024;

async function* endless(): AsyncGenerator<Uint8Array> {
  for (let piece = 0; ; piece++) {
    if (piece === 32) process.stdout.write('writing\n');
    yield new Uint8Array(PIECE_BYTES);
  }
}

// The limit on a file's size comes as a signal first; without a listener it would end the process.
process.on('SIGXFSZ', () => {});
const ports = { clock: systemClock, random: systemRandom };
const blobs = await openBlobDirectory({ path: process.argv[2] ?? '', bytesMax: Number.MAX_SAFE_INTEGER, ...ports });
try {
  await blobs.put(endless());
} catch (error) {
  process.stdout.write(`refused ${error instanceof BlobsRefused ? error.reason : String(error)}\n`);
}
