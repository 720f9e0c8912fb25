import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { EmbeddingsReader } from '../../../../gateway/providers/embeddings/reply-reader.ts';
import { ProviderFailure } from '../../../../gateway/providers/provider-failure.ts';
import type { TurnEvent } from '../../../../gateway/terms/turn-event.ts';
import { bounded } from '../../../support/bounded.ts';
import { turnOf } from '../scene.ts';

const it = bounded(test);
const USAGE = { prompt_tokens: 9, total_tokens: 9 };

const entry = (embedding: unknown, index?: number): object => ({
  object: 'embedding',
  embedding,
  ...(index === undefined ? {} : { index }),
});

/** Two inputs, of the requested width if one is given. */
function read(answer: object, dimensions?: number): { reader: EmbeddingsReader; events: TurnEvent[] } {
  const messages = ['a', 'b'].map((text) => ({ role: 'user' as const, text }));
  const sampling = dimensions === undefined ? {} : { dimensions };
  const reader = new EmbeddingsReader(turnOf({ messages, sampling }));
  const events: TurnEvent[] = [];
  reader.readWhole(answer as Readonly<Record<string, unknown>>, events);
  return { reader, events };
}

function failure(answer: object, dimensions?: number): ProviderFailure {
  try {
    read(answer, dimensions);
  } catch (error) {
    if (error instanceof ProviderFailure) return error;
    throw error;
  }
  throw new Error('it did not fail');
}

it('vectors come in the order of the inputs, with an index or at their place (rule I106)', () => {
  for (const data of [
    [entry([1, 2], 0), entry([3, 4], 1)],
    [entry([3, 4], 1), entry([1, 2], 0)],
    [entry([1, 2]), entry([3, 4])],
  ]) {
    const { reader, events } = read({ id: 'up-1', data, usage: USAGE }, 2);
    assert.equal(events, [
      {
        type: 'embeddings',
        vectors: [
          [1, 2],
          [3, 4],
        ],
      },
      { type: 'finish', reason: 'stop', native: null },
    ]);
    assert.equal([reader.finished, reader.upstreamId], [true, 'up-1']);
    assert.equal(reader.usage, { promptTokens: 9, completionTokens: 0 });
  }
});

it('base64 is decoded to the same vectors', () => {
  const encoded = (...values: number[]): string => Buffer.from(Float32Array.from(values).buffer).toString('base64');
  const { events } = read({ data: [entry(encoded(1, -0.5), 0), entry([0.25, 3], 1)] }, 2);
  const [first] = events;
  assert.equal(first?.type === 'embeddings' && first.vectors.map((vector) => [...vector]), [
    [1, -0.5],
    [0.25, 3],
  ]);
});

for (const [usage, expected] of [
  [{ total_tokens: 4 }, 4],
  [{ input_tokens: 5 }, 5],
  [{ prompt_tokens: 3, total_tokens: 9 }, 3],
  [undefined, undefined],
  [null, undefined],
  ['12', undefined],
  [{ prompt_tokens: '12' }, undefined],
  [{ prompt_tokens: -1 }, undefined],
  [{ prompt_tokens: 1e18 }, undefined],
] as const) {
  it(`usage ${JSON.stringify(usage)} is ${expected} tokens of the prompt and none of an answer`, () => {
    const { reader } = read({ data: [entry([1], 0), entry([2], 1)], usage });
    assert.is(reader.usage.promptTokens, expected);
    assert.is(reader.usage.completionTokens, 0);
  });
}

const NAN = Buffer.from(Float32Array.of(Number.NaN, 1).buffer).toString('base64');
for (const [name, data, dimensions] of [
  ['no data', undefined],
  ['data that is no list', {}],
  ['no vector', []],
  ['one vector too few', [entry([1], 0)]],
  ['one vector too many', [entry([1], 0), entry([2], 1), entry([3], 2)]],
  ['a repeated index', [entry([1], 0), entry([2], 0)]],
  ['an index beyond the inputs', [entry([1], 0), entry([2], 2)]],
  ['a negative index', [entry([1], 0), entry([2], -1)]],
  ['an index that is a text', [entry([1], 0), { index: '1', embedding: [2] }]],
  ['an entry that is null', [entry([1], 0), null]],
  ['an entry without a vector', [entry([1], 0), { index: 1 }]],
  ['an empty vector', [entry([], 0), entry([], 1)]],
  ['vectors of two widths', [entry([1, 2], 0), entry([3], 1)]],
  ['vectors of another width than requested', [entry([1, 2], 0), entry([3, 4], 1)], 3],
  ['a null in a vector', [entry([1, null], 0), entry([3, 4], 1)]],
  ['a text in a vector', [entry([1, '2'], 0), entry([3, 4], 1)]],
  ['an infinite number', [entry([1, Number.POSITIVE_INFINITY], 0), entry([3, 4], 1)]],
  ['an encoded NaN', [entry(NAN, 0), entry([3, 4], 1)]],
  ['half a number', [entry(Buffer.alloc(6).toString('base64'), 0), entry([3], 1)]],
  ['an object for a vector', [entry({ int8: [1] }, 0), entry([3], 1)]],
  ['a vector that is too wide', [entry(Array(65_537).fill(1), 0), entry(Array(65_537).fill(1), 1)]],
] as const) {
  it(`${name}: garbage (rule I108)`, () => {
    assert.is(failure({ data, usage: USAGE }, dimensions).reason, 'garbage');
  });
}

it('an error instead of an answer is classified as everywhere, and a frame is garbage', () => {
  assert.is(failure({ error: { code: 429, message: 'slow down' } }).reason, 'overloaded');
  assert.throws(
    () => new EmbeddingsReader(turnOf()).readFrame(),
    (error: ProviderFailure) => error.reason === 'garbage',
  );
});

test.run();
