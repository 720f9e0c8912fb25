import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Endpoint } from '../../../../actors/terms/endpoint.ts';
import { embeddingsWriter } from '../../../../gateway/providers/embeddings/adapter.ts';
import type { Turn } from '../../../../gateway/terms/turn.ts';
import { bounded } from '../../../support/bounded.ts';
import { endpointOf } from '../../../support/model/endpoints.ts';
import { turnOf } from '../scene.ts';

const it = bounded(test);

function written(requested: Partial<Turn>, declared: Partial<Endpoint> = {}): unknown {
  const target = { dialect: 'embeddings', baseUrl: 'https://alpha.example/v1', upstreamId: 'great-1' } as const;
  return JSON.parse(
    embeddingsWriter(endpointOf({ target, supportedParameters: [], ...declared }))(turnOf(requested), 0),
  );
}

it('inputs are a list of texts or of token ids, and no ceiling is sent', () => {
  const messages = [
    { role: 'user' as const, text: 'a' },
    { role: 'user' as const, text: '', tokens: [1, 2] },
  ];
  assert.equal(written({ messages }), { model: 'great-1', encoding_format: 'float', input: ['a', [1, 2]] });
});

it('declared settings, the user and the declared options of the provider are sent', () => {
  const sampling = { dimensions: 8, input_type: 'search_query' };
  const own = endpointOf().provider.slug;
  const options = {
    [own]: { truncate: 'END', other: 1, model: 'x', input: 'x', encoding_format: 'x' },
    foreign: { a: 1 },
  };
  const passthrough = {
    truncate: { type: 'unknown' },
    model: { type: 'unknown' },
    input: { type: 'unknown' },
  } as const;
  assert.equal(
    written(
      { sampling, user: 'u', preferences: { allowFallbacks: true, options } },
      { supportedParameters: ['dimensions'], passthrough },
    ),
    { model: 'great-1', encoding_format: 'float', input: ['Hi'], dimensions: 8, user: 'u', truncate: 'END' },
  );
});

it('vectors are asked for encoded where the endpoint declares that', () => {
  const formatOf = (values: readonly string[]): unknown =>
    (written({}, { descriptors: { encoding_format: { type: 'enum', values } } }) as { encoding_format: string })
      .encoding_format;
  assert.is(formatOf(['float', 'base64']), 'base64');
  assert.is(formatOf(['float', 'int8']), 'float');
});

test.run();
