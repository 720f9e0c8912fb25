import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { base64Characters, base64Of } from '../../../../gateway/providers/video/render-body.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);

async function* each(pieces: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* pieces;
}

it('the base64 of pieces is that of the whole, and its length is known beforehand', () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 20 }), async (pieces) => {
      const encoded: Buffer[] = [];
      for await (const piece of base64Of(each(pieces))) encoded.push(piece);
      const whole = Buffer.concat(pieces);
      assert.is(Buffer.concat(encoded).toString(), whole.toString('base64'));
      assert.is(base64Characters(whole.length), whole.toString('base64').length);
    }),
    { numRuns: 200 },
  ));

test.run();
