import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeBlob } from '../../../../actors/runtime/bytes/write-blob.ts';
import { type ByteAccess, systemClock, systemRandom } from '../../../../actors/runtime/index.ts';
import { placeOfClip } from '../../../../actors/video-job/clips.ts';
import { storeClip } from '../../../../gateway/jobs/video/store-clip.ts';
import type { OutboundBody } from '../../../../gateway/outbound/outbound.ts';
import { clip } from '../../../../gateway/simulator/video/clip.ts';
import { bounded } from '../../../support/bounded.ts';
import { bytesHeld } from '../../../support/bytes-held.ts';
import { MemoryKeyStore } from '../../../support/memory-key-store.ts';

const it = bounded(test);
const MIB = 1024 * 1024;
const PARTS = { clock: systemClock, random: systemRandom };
/** As a connection delivers them: each in memory of its own. */
const READ_BYTES = 64 * 1024;

function bodyOf(pieces: Iterable<Uint8Array>): OutboundBody {
  const reads = (function* () {
    for (const piece of pieces) {
      for (let at = 0; at < piece.length; at += READ_BYTES) yield new Uint8Array(piece.subarray(at, at + READ_BYTES));
    }
  })();
  return {
    read: async () => {
      const next = reads.next();
      return next.done ? null : [next.value];
    },
    ...{ text: async () => '', progressed: () => {}, abort: () => {} },
  };
}

it('a clip of 32 MiB is received with 4 MiB of buffers, whenever the collector runs', async () => {
  const made = clip({
    ...{ seconds: 2, fps: 24, width: 320, height: 240 },
    ...{ audio: false, bytesMin: 32 * MIB, headLast: false },
  });
  const stored = async (source: AsyncIterable<Uint8Array>) => {
    const draft = { id: 'a', append: async () => {}, finish: async () => {}, discard: async () => {} };
    return writeBlob(async () => draft, source, { ...PARTS, bytesMax: 64 * MIB });
  };
  let [before, highest] = [0, 0];
  const watched = async function* (source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    for await (const piece of source) {
      yield piece;
      highest = Math.max(highest, process.memoryUsage().arrayBuffers - before);
    }
  };
  const blobs = { put: (source) => stored(watched(source)) } as ByteAccess['blobs'];
  const pieces = [...made.pieces()];
  bytesHeld();
  before = process.memoryUsage().arrayBuffers;
  const received = await storeClip(bodyOf(pieces), {
    ...{ ...PARTS, bytes: { blobs, keys: new MemoryKeyStore(PARTS) } },
    ...{ place: placeOfClip('acct_1', `vjob_${'1'.repeat(32)}`, 0), keeps: () => true },
  });
  assert.equal([received.bytes, received.measure.frames], [made.bytes, 48]);
  assert.ok(highest < 4 * MIB, `${highest} bytes of buffers`);
});

test.run();
