import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { imagePixels } from '../../../gateway/pricing/image-pixels.ts';
import { bounded } from '../../support/bounded.ts';
import { dataUrl, gif, jpeg, png, webp } from './images.ts';

const it = bounded(test);

it('the size of an image is read from its bytes, whatever media type it has', () => {
  assert.is(imagePixels(dataUrl(png(1_024, 1_536))), 1_572_864);
  assert.is(imagePixels(dataUrl(jpeg(640, 480), 'image/jpeg')), 307_200);
  assert.is(imagePixels(dataUrl(webp(1_024, 1_024), 'image/png')), 1_048_576);
  assert.is(imagePixels(dataUrl(gif(16, 9), 'text/plain')), 144);
});

it('the size of a JPEG may follow a long colour profile', () => {
  assert.is(imagePixels(dataUrl(jpeg(640, 480, [60_000, 60_000]), 'image/jpeg')), 307_200);
});

it('a crafted JPEG costs a bounded number of steps', () => {
  // One byte at a time: a parser that searches for the next marker takes 60 to 90 ms for each of these.
  const crafted = dataUrl(Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 2]), Buffer.alloc(190_000)]));
  const filled = dataUrl(Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(190_000, 0xff)]));
  for (let times = 0; times < 1_000; times++) {
    assert.is(imagePixels(crafted), null);
    assert.is(imagePixels(filled), null);
  }
  const many = jpeg(640, 480, Array(300).fill(4));
  assert.is(imagePixels(dataUrl(many, 'image/jpeg')), null, 'more segments than the bound');
});

it('text that is no image, a truncated image, and a URL are unread', () => {
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"></svg>');
  for (const url of [
    ...['', 'data:', 'data:image/png;base64,', 'data:image/png,abc', 'https://example.org/a.png', dataUrl(svg)],
    ...[dataUrl(png(0, 10)), dataUrl(png(1, 1).subarray(0, 20)), dataUrl(Buffer.from('GIF89a'))],
    `data:${'x'.repeat(300)};base64,${png(1, 1).toString('base64')}`,
  ]) {
    assert.is(imagePixels(url), null, url.slice(0, 40));
  }
});

it('any bytes give null or a count of pixels (rule K79)', () => {
  const heads = [png(9, 9), jpeg(9, 9), webp(9, 9), gif(9, 9), Buffer.from('\0\0\0\x18ftypavif\0\0\0\0avif', 'latin1')];
  fc.assert(
    fc.property(fc.constantFrom(...heads), fc.nat(40), fc.uint8Array({ maxLength: 400 }), (head, keep, rest) => {
      const pixels = imagePixels(dataUrl(Buffer.concat([head.subarray(0, keep), rest])));
      return pixels === null || (Number.isSafeInteger(pixels) && pixels > 0);
    }),
    { numRuns: 3_000 },
  );
});

it('only the first bytes of a large hostile file are parsed (rule K79)', () => {
  const boxes = Buffer.from('\0\0\0\x14ispe\0\0\0\0\0\0\0\x01\0\0\0\x01', 'latin1');
  const many = Buffer.concat(Array.from({ length: 200_000 }, () => boxes));
  const meta = Buffer.alloc(12);
  meta.writeUInt32BE(many.length + 12, 0);
  meta.write('meta', 4);
  const files = [
    Buffer.concat([Buffer.from('\0\0\0\x18ftypavif\0\0\0\0avifavif', 'latin1'), meta, many]),
    Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(8_000_000)]),
    Buffer.alloc(8_000_000, 0xff),
  ];
  // Parsed 200 times each within the test's time limit: parsing all of it would take minutes.
  for (const file of files) {
    const url = dataUrl(file);
    for (let times = 0; times < 200; times++) imagePixels(url);
  }
});

test.run();
