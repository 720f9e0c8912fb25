import { EventStreamCodec } from '@smithy/core/event-streams';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Framing } from '../../../../gateway/providers/adapter.ts';
import { amazonFrames } from '../../../../gateway/providers/framing/amazon-frames.ts';
import { jsonLines } from '../../../../gateway/providers/framing/json-lines.ts';
import { serverSentEvents } from '../../../../gateway/providers/framing/server-sent-events.ts';
import { ProviderFailure } from '../../../../gateway/providers/provider-failure.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);

type Frame = readonly [name: string | undefined, data: string];

/** The frames of an answer that arrives in these pieces. */
function cut(framing: Framing, pieces: readonly Uint8Array[], frameMax = 4_096): Frame[] {
  const frames: Frame[] = [];
  const cutter = framing.cutter((name, data) => frames.push([name, data]), frameMax);
  for (const piece of pieces) cutter.feed(piece);
  cutter.end();
  return frames;
}

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString('utf8'),
  (text) => Buffer.from(text),
);

function amazonFrame(header: string, name: string, data: string): Uint8Array {
  const headers = { [header]: { type: 'string' as const, value: name } };
  return codec.encode({ headers, body: Buffer.from(data) });
}

const AMAZON = Buffer.concat([
  amazonFrame(':event-type', 'messageStart', '{"role":"assistant"}'),
  amazonFrame(':event-type', 'contentBlockDelta', '{"delta":{"text":"é日🚀"}}'),
  amazonFrame(':exception-type', 'throttlingException', '{"message":"slow down"}'),
]);

interface Row {
  readonly framing: Framing;
  readonly bytes: Buffer;
  readonly frames: readonly Frame[];
  /** The begin of a frame that has no end. */
  readonly endless: Uint8Array;
}

const ROWS: readonly (readonly [string, Row])[] = [
  [
    'server-sent events',
    {
      framing: serverSentEvents,
      bytes: Buffer.from(': comment\r\n\r\nevent: a\r\ndata: é日🚀\r\n\r\ndata: 2\n\n'),
      frames: [
        ['a', 'é日🚀'],
        [undefined, '2'],
      ],
      endless: Buffer.from('data: 3 and no more'),
    },
  ],
  [
    'lines of JSON',
    {
      framing: jsonLines,
      bytes: Buffer.from('{"a":"é日🚀"}\r\n\n{"b":2}\n{"last":true}'),
      frames: [
        [undefined, '{"a":"é日🚀"}'],
        [undefined, '{"b":2}'],
        [undefined, '{"last":true}'],
      ],
      endless: Buffer.from('{"text":"never ends'),
    },
  ],
  [
    'frames of Amazon',
    {
      framing: amazonFrames,
      bytes: AMAZON,
      frames: [
        ['messageStart', '{"role":"assistant"}'],
        ['contentBlockDelta', '{"delta":{"text":"é日🚀"}}'],
        ['throttlingException', '{"message":"slow down"}'],
      ],
      endless: AMAZON.subarray(0, 20),
    },
  ],
];

for (const [name, { framing, bytes, frames, endless }] of ROWS) {
  it(`${name}: the same frames, split at any byte (rule I61)`, () => {
    for (let at = 0; at <= bytes.length; at++) {
      assert.equal(cut(framing, [bytes.subarray(0, at), bytes.subarray(at)]), frames, `split at ${at}`);
    }
    assert.equal(
      cut(
        framing,
        [...bytes].map((byte) => Buffer.from([byte])),
      ),
      frames,
    );
  });

  it(`${name}: a frame above the bound is an invalid answer`, () => {
    const failure = failureOf(() => cut(framing, [endless], 16));
    assert.is(failure.reason, 'garbage');
  });
}

it('frames of Amazon: an error that no schema lists is named like an exception', () => {
  const headers = {
    ':message-type': { type: 'string' as const, value: 'error' },
    ':error-code': { type: 'string' as const, value: 'InternalFailure' },
    ':error-message': { type: 'string' as const, value: 'broken' },
  };
  const bytes = codec.encode({ headers, body: new Uint8Array() });
  assert.equal(cut(amazonFrames, [bytes]), [['InternalFailureException', '{"message":"broken"}']]);
});

it('frames of Amazon: a wrong checksum or a cut last frame is an invalid answer', () => {
  const broken = Buffer.from(AMAZON);
  broken[30] = (broken[30] ?? 0) ^ 1;
  assert.is(failureOf(() => cut(amazonFrames, [broken])).reason, 'garbage');
  assert.is(failureOf(() => cut(amazonFrames, [AMAZON.subarray(0, -1)])).reason, 'garbage');
  assert.is(failureOf(() => cut(amazonFrames, [Buffer.from('HTTP/1.1 500')])).reason, 'garbage');
});

function failureOf(read: () => unknown): ProviderFailure {
  try {
    read();
  } catch (error) {
    if (error instanceof ProviderFailure) return error;
    throw error;
  }
  throw new Error('nothing failed');
}

test.run();
