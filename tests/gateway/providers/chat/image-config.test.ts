import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { imageConfig } from '../../../../gateway/providers/chat/image-config.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test, 5_000);

const ENVELOPE = {
  resolutions: ['1K', '2K'],
  aspectRatios: ['1:1', '16:9'],
  sizes: ['1024x1024'],
  formats: ['png', 'webp'],
};

const ROWS: readonly (readonly [string, object, object])[] = [
  ['a tier as the endpoint spells it', { resolution: '2k' }, { resolution: '2K' }],
  [
    'a ratio and a format',
    { aspect_ratio: '16:9', output_format: 'PNG' },
    { aspect_ratio: '16:9', output_format: 'png' },
  ],
  ['a size', { size: '1024X1024' }, { size: '1024x1024' }],
  ['a size that names a tier', { size: '1k' }, { resolution: '1K' }],
  ['settings left to the endpoint', { quality: 'auto', n: 1, background: 'auto' }, {}],
  ['everything else', { n: 2, quality: 'high', seed: 7 }, { n: 2, quality: 'high', seed: 7 }],
];
for (const [what, requested, sent] of ROWS) {
  it(`resolves against the endpoint: ${what}`, () => {
    assert.equal(imageConfig(requested as Record<string, unknown>, ENVELOPE), sent);
  });
}

const IN_SIZES = { sizes: ['1024x1024', '2048x2048', '1344x768', '2688x1536'] };
const IN_TIERS = { resolutions: ['1K', '2K', '4K'], aspectRatios: ['1:1', '16:9'] };
const TURNED: readonly (readonly [string, object, object, object])[] = [
  ['a tier into the nearest square size', { resolution: '2K' }, IN_SIZES, { size: '2048x2048' }],
  [
    'a tier and a ratio into a size',
    { resolution: '2k', aspect_ratio: '16:9', seed: 1 },
    IN_SIZES,
    { seed: 1, size: '2688x1536' },
  ],
  ['a ratio alone into the first size of it', { aspect_ratio: '16:9' }, IN_SIZES, { size: '1344x768' }],
  ['a ratio of no size into nothing', { aspect_ratio: '21:9' }, IN_SIZES, {}],
  ['a size into a tier and a ratio', { size: '2048x2048' }, IN_TIERS, { resolution: '2K', aspect_ratio: '1:1' }],
  ['a size of no ratio into a tier', { size: '2000x500' }, IN_TIERS, { resolution: '1K' }],
  ['no size at all', { size: 'huge' }, IN_TIERS, { size: 'huge' }],
];
for (const [what, requested, envelope, sent] of TURNED) {
  it(`converts to the form of the endpoint: ${what}`, () => {
    assert.equal(imageConfig(requested as Record<string, unknown>, envelope), sent);
  });
}

it('sends the settings unchanged without an envelope', () => {
  assert.equal(imageConfig({ resolution: '2k', size: '1k' }, undefined), { resolution: '2k', size: '1k' });
});

test.run();
