import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compareDecimals, isOnSteps, plusPeriod, wholeProduct } from '../../../gateway/terms/exact-decimal.ts';
import { parseSize, sizeOf, sizeText, tierOf } from '../../../gateway/terms/video-geometry.ts';
import { ASPECT_RATIOS, RESOLUTIONS } from '../../../gateway/terms/video-request.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);

/** The published sizes of the named resolutions, by resolution and ratio. */
const LISTED: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL('../../fixtures/video-sizes.json', import.meta.url), 'utf8'),
);

it('a resolution and an aspect ratio name the sizes of the published list, and only 1K names none', () => {
  const named = RESOLUTIONS.flatMap((resolution) =>
    ASPECT_RATIOS.map((ratio) => [`${resolution} ${ratio}`, sizeOf(resolution, ratio)] as const),
  );
  for (const [name, size] of named) assert.is(size && sizeText(size), LISTED[name] ?? null, name);
  assert.is(named.filter(([, size]) => size === null).length, ASPECT_RATIOS.length);
  assert.is(sizeOf('720p', '0:1'), null);
  assert.is(sizeOf('toString', '16:9'), null);
});

it('a size and its resolution with ratio are each other, for every pair and for no other size', () => {
  const pair = fc.tuple(fc.constantFrom(...RESOLUTIONS), fc.constantFrom(...ASPECT_RATIOS));
  fc.assert(
    fc.property(pair, fc.integer({ min: -2, max: 2 }), ([resolution, aspectRatio], off) => {
      const size = sizeOf(resolution, aspectRatio);
      if (size === null) return;
      assert.equal(parseSize(sizeText(size)), size);
      assert.equal(tierOf(size), { resolution, aspectRatio });
      const longer = size.width >= size.height ? 'width' : 'height';
      const moved = tierOf({ ...size, [longer]: size[longer] + off });
      if (off !== 0) assert.is(moved, null);
    }),
    { numRuns: 200 },
  );
  for (const text of ['1280', 'x720', '1280x', '01280x720', '1280x720 ', '1e3x10', '-1x1'])
    assert.is(parseSize(text), null, text);
});

const decimal = fc
  .tuple(fc.nat(99_999), fc.nat(999_999), fc.nat(6))
  .map(([whole, part, places]) =>
    places === 0 ? `${whole}` : `${whole}.${`${part}`.padStart(6, '0').slice(0, places)}`,
  );

/** An independent reading: every number in millionths. */
function millionths(text: string): bigint {
  const [whole = '', part = ''] = text.split('.');
  return BigInt(whole) * 1_000_000n + BigInt(part.padEnd(6, '0'));
}

it('decimal arithmetic agrees with integers of millionths', () => {
  fc.assert(
    fc.property(decimal, decimal, decimal, (a, b, step) => {
      const [x, y, s] = [millionths(a), millionths(b), millionths(step)];
      assert.is(Math.sign(compareDecimals(a, b)), x < y ? -1 : x > y ? 1 : 0);
      const product = x * y;
      assert.is(wholeProduct(a, b), product % 1_000_000_000_000n === 0n ? product / 1_000_000_000_000n : null);
      assert.is(isOnSteps(a, b, step), s > 0n && x >= y && (x - y) % s === 0n);
      if (y === 0n) return;
      // value + 1/rate: the smallest number of millionths that is not below it.
      const sum = millionths(plusPeriod(a, b));
      assert.ok((sum - x) * y >= 1_000_000_000_000n && (sum - x - 1n) * y < 1_000_000_000_000n);
    }),
    { numRuns: 300 },
  );
  assert.is(wholeProduct('0.1', '30'), 3n);
  assert.is(isOnSteps('0.7', '0.1', '0.1'), true);
  assert.is(plusPeriod('4', '24'), '4.041667');
  assert.throws(() => compareDecimals('1e3', '1'));
});

test.run();
