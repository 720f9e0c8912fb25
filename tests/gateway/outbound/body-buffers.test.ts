import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BlockBuffer } from '../../../gateway/outbound/body-buffers.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);

it('returns every byte in order, for pieces of any size', () => {
  const lengths = fc.array(fc.oneof(fc.nat(9), fc.nat(5_000), fc.constantFrom(4_095, 4_096, 65_536)), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(lengths, (all) => {
      const blocks = new BlockBuffer();
      const given = all.map((length, nth) => Buffer.alloc(length, nth + 1));
      for (const piece of given) blocks.add(piece);
      assert.ok(Buffer.concat(blocks.take()).equals(Buffer.concat(given)));
    }),
    { numRuns: 200 },
  );
});

it('copies small pieces together, so that they do not keep their read buffer alive', () => {
  const blocks = new BlockBuffer();
  const slab = Buffer.alloc(65_536, 7);
  for (let at = 0; at < 1_000; at++) blocks.add(slab.subarray(at, at + 1));
  blocks.add(slab);
  const taken = blocks.take();
  assert.equal(
    taken.map(({ length }) => length),
    [256, 256, 256, 232, 65_536],
  );
  assert.ok(taken.slice(0, 4).every((block) => block.buffer !== slab.buffer));
});

it('copies nothing while there are only a few pieces', () => {
  const blocks = new BlockBuffer();
  const pieces: Uint8Array[] = [10, 5_000, 20, 30].map((length) => Buffer.alloc(length));
  for (const piece of pieces) blocks.add(piece);
  assert.equal(
    blocks.take().map((piece) => pieces.indexOf(piece)),
    [0, 1, 2, 3],
  );
});

test.run();
