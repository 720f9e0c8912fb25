import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { embeddingsDialect } from '../../../../gateway/dialects/embeddings/embeddings-dialect.ts';
import type { Encoding } from '../../../../gateway/dialects/embeddings/parse.ts';
import type { Closing } from '../../../../gateway/dialects/reply/reply-dialect.ts';
import type { TurnEvent, Vector } from '../../../../gateway/terms/turn-event.ts';
import { bounded } from '../../../support/bounded.ts';

/** rule I106. */
const it = bounded(test);
const HEAD = { id: 'gen-1', created: 1, model: 'a/b', provider: 'P' };
const CLOSING: Closing = {
  usage: { promptTokens: 7, completionTokens: 0 },
  cost: '0.000000000000000000000007',
  honoured: { dimensions: true },
};

function textOf(vectors: readonly Vector[], encoding: Encoding, closing: Closing | null = CLOSING): string {
  const events: TurnEvent[] = [
    { type: 'embeddings', vectors },
    { type: 'finish', reason: 'stop', native: null },
    { type: 'usage', usage: { promptTokens: 7, completionTokens: 0 } },
  ];
  const { reply } = embeddingsDialect.parse({ model: 'a/b', input: 'x', encoding_format: encoding }, null);
  const text = reply.whole(HEAD, events, closing);
  assert.is([...(reply.pieces?.(HEAD, events, closing) ?? [])].join(''), text);
  return text;
}

it('numbers are written as the provider wrote them, with every digit of the cost', () => {
  assert.is(
    textOf(
      [
        [0.1, -2e-7],
        [3, 1e21],
      ],
      'float',
    ),
    '{"id":"gen-1","object":"list","model":"a/b","data":[{"object":"embedding","index":0,"embedding":[0.1,-2e-7]},' +
      '{"object":"embedding","index":1,"embedding":[3,1e+21]}],' +
      '"usage":{"prompt_tokens":7,"total_tokens":7,"cost":0.000000000000000000000007}}',
  );
});

it('base64 is that of little-endian 32-bit floats, whatever the provider sent (rule I106)', () => {
  for (const vector of [[1, -0.5], Float32Array.of(1, -0.5)]) {
    const { data } = JSON.parse(textOf([vector], 'base64')) as { data: [{ embedding: string }] };
    assert.is(data[0].embedding, Buffer.from([0, 0, 0x80, 0x3f, 0, 0, 0, 0xbf]).toString('base64'));
    assert.equal(JSON.parse(textOf([vector], 'float')).data[0].embedding, [1, -0.5]);
  }
});

it('without a recorded charge there is no usage, and our own count stands in for an unreported one', () => {
  assert.not.ok('usage' in JSON.parse(textOf([[1]], 'float', null)));
  const counted = { ...CLOSING, usage: { completionTokens: 0 }, promptCounted: 5, cost: '0' };
  assert.equal(JSON.parse(textOf([[1]], 'float', counted)).usage, { prompt_tokens: 5, total_tokens: 5, cost: 0 });
});

test.run();
