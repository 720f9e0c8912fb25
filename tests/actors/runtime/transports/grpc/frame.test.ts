import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packFrame, unpackFrame } from '../../../../../actors/runtime/transports/grpc/frame.ts';
import { bounded } from '../../../../support/bounded.ts';

const it = bounded(test);
const uint = fc.integer({ min: 0, max: 0xffff_ffff });
const envelope = fc.record(
  {
    kind: fc.constantFrom('ask' as const, 'tell' as const, 'reply' as const, 'failure' as const),
    id: uint,
    to: fc.string(),
    body: fc.string({ unit: 'binary' }),
    remainingMs: uint,
    trace: fc.string(),
  },
  { noNullPrototype: true },
);

it('unpacking returns the packed envelopes', () => {
  fc.assert(
    fc.property(fc.array(envelope, { maxLength: 30 }), (batch) => {
      assert.equal(unpackFrame(packFrame(batch)), batch);
    }),
    { numRuns: 500 },
  );
});

it('heads that are truncated or do not match the text are refused', () => {
  const frame = packFrame([{ kind: 'ask', id: 1, to: 'a:b', body: '{}', remainingMs: 5, trace: '' }]);
  const broken = [
    { ...frame, text: frame.text.slice(1) },
    { ...frame, text: `${frame.text}x` },
    { ...frame, heads: frame.heads.slice(0, 20) },
    { ...frame, heads: frame.heads.with(0, 9) },
    { ...frame, heads: new Uint8Array(0) },
  ];
  for (const it of broken)
    assert.throws(
      () => unpackFrame(it),
      (error: unknown) => error instanceof RangeError,
    );
});

test.run();
