/** The simulated blob store meets the contract of the Blobs port. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BlobsRefused } from '../../../../actors/runtime/ports/blobs.ts';
import { systemRandom } from '../../../../actors/runtime/system/clock.ts';
import { BLOB_BYTES_MAX, BLOB_WRITES_MAX } from '../../../contracts/blobs/clause.ts';
import { blobsContract } from '../../../contracts/blobs.contract.ts';
import { bounded } from '../../../support/bounded.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { MemoryBlobs } from '../../../support/memory-blobs.ts';
import { pieces } from '../../../support/pieces.ts';
import { HandClock } from '../durable/hand-clock.ts';

const it = bounded(test);
const bounds = { bytesMax: BLOB_BYTES_MAX, writesMax: BLOB_WRITES_MAX };

blobsContract('memory', async (clock) => {
  const blobs = new MemoryBlobs({ clock, random: systemRandom, ...bounds });
  return {
    blobs,
    other: blobs.connect(),
    touched: () => blobs.reads.splice(0),
    damage: async (id, change) => blobs.replace(id, change(blobs.stored(id) as Buffer)),
    close: async () => {},
  };
});

it('a connection cut during a write leaves the blob unfinished and invisible to other nodes', async () => {
  const clock = new HandClock();
  const blobs = new MemoryBlobs({ clock, random: systemRandom, ...bounds });
  const other = blobs.connect();
  async function* source() {
    yield new Uint8Array(300_000);
    blobs.cut = true;
    yield new Uint8Array(300_000);
  }
  assert.instance(await failureOf(blobs.put(source())), BlobsRefused);
  assert.equal(await other.list({ after: null, before: clock.now() + 1, limit: 9 }), []);
  assert.is(await other.sweepUnfinished(clock.now() + 1, 9), 1);
  assert.is((await other.put(pieces.of(Uint8Array.of(1)))).bytes, 1);
});

test.run();
