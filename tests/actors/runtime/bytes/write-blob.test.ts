import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeBlob } from '../../../../actors/runtime/bytes/write-blob.ts';
import { systemClock, systemRandom } from '../../../../actors/runtime/system/clock.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
const MIB = 1024 * 1024;
const PIECE_BYTES = 64 * 1024;

/** Writes a blob on a clock that a piece moves by `appendMs` and the sender by `sendMs`; returns the rests, in ms. */
async function restsOf(bytes: number, { appendMs, sendMs }: { appendMs: number; sendMs: number }): Promise<number[]> {
  const rests: number[] = [];
  let now = 0;
  const clock = {
    ...systemClock,
    monotonic: () => now,
    after: (ms: number, run: () => void) => {
      rests.push(ms);
      queueMicrotask(run);
      return () => {};
    },
  };
  const draft = {
    id: 'blob',
    append: async () => {
      now += appendMs;
    },
    finish: async () => {},
    discard: async () => {},
  };
  async function* source(): AsyncIterable<Uint8Array> {
    for (let sent = 0; sent < bytes; sent += PIECE_BYTES) {
      now += sendMs;
      yield new Uint8Array(PIECE_BYTES);
    }
  }
  await writeBlob(async () => draft, source(), { bytesMax: bytes, random: systemRandom, clock });
  return rests;
}

it('a long write rests after each MiB as long as it worked on it', async () => {
  const rests = await restsOf(4 * MIB, { appendMs: 3, sendMs: 0 });
  assert.is(rests.length, 4);
  // Four pieces of four segments are a MiB; a full segment waits for the next byte.
  for (const ms of rests) assert.ok(ms >= 9 && ms <= 12, String(ms));
});

it('a rest is bounded, and the time of a slow sender is none of it', async () => {
  assert.equal(await restsOf(MIB + PIECE_BYTES, { appendMs: 1_000, sendMs: 0 }), [20]);
  assert.equal(await restsOf(4 * MIB, { appendMs: 0, sendMs: 500 }), []);
});

it('a write below a MiB never rests', async () => {
  assert.equal(await restsOf(MIB - PIECE_BYTES, { appendMs: 50, sendMs: 0 }), []);
});

test.run();
