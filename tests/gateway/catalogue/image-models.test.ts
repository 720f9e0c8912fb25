import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Descriptor, Endpoint } from '../../../actors/terms/endpoint.ts';
import { imageEndpoints } from '../../../gateway/catalogue/image-endpoints.ts';
import { listImageModels } from '../../../gateway/catalogue/image-models.ts';
import { type Listing, listingText } from '../../../gateway/catalogue/listing.ts';
import { bounded } from '../../support/bounded.ts';
import { board, boardEndpoint } from '../../support/model/endpoints.ts';

const it = bounded(test);

function drawing(
  slug: string,
  properties: Readonly<Record<string, Descriptor>>,
  more: Partial<Endpoint> = {},
): Endpoint {
  return {
    ...boardEndpoint(slug, 'http://x/v1', { id: 'm/draws', name: 'Draws', created: 5 }),
    ...{ outputModalities: ['image'], description: null },
    descriptors: { image_config: { type: 'object', properties } },
    ...more,
  };
}

const parametersOf = (...endpoints: readonly Endpoint[]): unknown =>
  listImageModels(board(...endpoints))[0]?.supported_parameters;

it('lists the models that draw, and no other (rule I104)', () => {
  const writes = boardEndpoint('a', 'http://x/v1', { id: 'm/writes' });
  assert.equal(listImageModels(board(writes)), []);
  assert.equal(listImageModels(board(writes, drawing('b', {}))), [
    {
      ...{ id: 'm/draws', name: 'Draws', description: '', created: 5 },
      architecture: { input_modalities: ['text'], output_modalities: ['image'] },
      endpoints: '/api/v1/images/models/m/draws/endpoints',
      supported_parameters: {},
      supports_streaming: true,
    },
  ]);
});

it('a parameter is what some endpoint declares of it (rule I104)', () => {
  const one = drawing('a', {
    n: { type: 'integer', min: 1, max: 2 },
    size: { type: 'enum', values: ['1x1', '2x2'] },
    seed: { type: 'integer' },
  });
  const other = drawing('b', {
    n: { type: 'range', min: 1, max: 4 },
    size: { type: 'enum', values: ['2x2', 3] },
    upscale: { type: 'boolean' },
    notes: { type: 'array', items: { type: 'unknown' } },
  });
  assert.equal(parametersOf(one, other), {
    n: { type: 'range', min: 1, max: 4 },
    size: { type: 'enum', values: ['2x2', '3', '1x1'] },
    seed: { type: 'unknown' },
    upscale: { type: 'boolean' },
    notes: { type: 'unknown' },
  });
});

it('an endpoint that declares no settings, or does not draw, adds none', () => {
  const plain = drawing('a', {}, { descriptors: {} });
  const opaque = drawing('b', {}, { descriptors: { image_config: { type: 'unknown' } } });
  const text = drawing('c', { n: { type: 'integer', min: 1, max: 9 } }, { outputModalities: ['text'] });
  assert.equal(parametersOf(plain, opaque, text), {});
});

it('lists the endpoints of a model that draw, with every digit of their prices', () => {
  const tariff = { id: 'tar_1', discount: 0, imageMegapixel: '0.020', prompt: '0.00000000000000012345678901234567891' };
  const draws = drawing('b', { n: { type: 'integer', min: 1, max: 2 } }, { tariff });
  const text = listingText(
    imageEndpoints(board(drawing('a', {}, { outputModalities: ['text'] }), draws), 'm/draws') as Listing,
  );
  assert.match(text, '"cost_usd":0.00000000000000012345678901234567891}');
  const { id, endpoints } = JSON.parse(text);
  assert.is(id, 'm/draws');
  assert.equal(endpoints, [
    {
      ...{ provider_name: 'B', provider_slug: 'b', provider_tag: 'b' },
      supported_parameters: { n: { type: 'range', min: 1, max: 2 } },
      allowed_passthrough_parameters: [],
      supports_streaming: true,
      pricing: [
        { billable: 'output_image', unit: 'megapixel', cost_usd: 0.02 },
        { billable: 'input_text', unit: 'token', cost_usd: Number(tariff.prompt) },
      ],
    },
  ]);
  assert.is(imageEndpoints(board(drawing('a', {}, { outputModalities: ['text'] })), 'm/draws'), null);
  assert.is(imageEndpoints(board(draws), 'm/other'), null);
});

test.run();
