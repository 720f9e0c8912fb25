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
  ['what is left to the endpoint', { quality: 'auto', n: 1, background: 'auto' }, {}],
  ['everything else', { n: 2, quality: 'high', seed: 7 }, { n: 2, quality: 'high', seed: 7 }],
];
for (const [what, asked, sent] of ROWS) {
  it(`resolves against the endpoint: ${what}`, () => {
    assert.equal(imageConfig(asked as Record<string, unknown>, ENVELOPE), sent);
  });
}

it('without an envelope goes out as it was asked', () => {
  assert.equal(imageConfig({ resolution: '2k', size: '1k' }, undefined), { resolution: '2k', size: '1k' });
});

test.run();
