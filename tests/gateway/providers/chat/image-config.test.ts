import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { imageConfig } from '../../../../gateway/providers/chat/media.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);

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
  it(`resolves against the endpoint: ${what} (rule I24)`, () => {
    assert.equal(imageConfig(requested as Record<string, unknown>, ENVELOPE), sent);
  });
}

const IN_SIZES = { sizes: ['1024x1024', '2048x2048', '1344x768', '2688x1536'] };
const IN_BOTH = { resolutions: ['1K', '2K'], aspectRatios: ['1:1'], sizes: ['1024x1024', '1280x720'] };
const TURNED: readonly (readonly [string, object, object, object])[] = [
  ['a tier into the nearest square size', { resolution: '2K' }, IN_SIZES, { size: '2048x2048' }],
  [
    'a tier and a ratio into a size',
    { resolution: '2k', aspect_ratio: '16:9', seed: 1 },
    IN_SIZES,
    { seed: 1, size: '2688x1536' },
  ],
  ['a ratio alone into the first size of it', { aspect_ratio: '16:9' }, IN_SIZES, { size: '1344x768' }],
  ['a tier beside the size it belongs to', { resolution: '1K', size: '1024X1024' }, IN_SIZES, { size: '1024x1024' }],
  ['a tier into a declared size of that name', { resolution: '2k' }, { sizes: ['1K', '2K'] }, { size: '2K' }],
  [
    'a tier without a square size into the nearest',
    { resolution: '1K' },
    { sizes: ['832x1216'] },
    { size: '832x1216' },
  ],
  ['a ratio that no tier declares', { resolution: '1K', aspect_ratio: '16:9' }, IN_BOTH, { size: '1280x720' }],
  ['a ratio with a fraction', { aspect_ratio: '9:19.5' }, { sizes: ['945x2048'] }, { size: '945x2048' }],
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
