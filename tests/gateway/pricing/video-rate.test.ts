import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Tariff, VideoTier } from '../../../actors/terms/tariff.ts';
import { chargeOf } from '../../../actors/terms/usd.ts';
import { type RenderTerms, videoRate } from '../../../gateway/pricing/video-rate.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);
/** Thursday 1970-01-01, 12:00 UTC. */
const NOON = 12 * 3_600_000;
const TERMS: RenderTerms = { at: NOON, resolution: null, size: null, audio: false, adapters: [] };

function tariff(videoTiers: readonly VideoTier[]): Tariff {
  return { id: 't', discount: 0, videoTiers };
}

it('one unconditional rate applies; without any price the render is unpriced, never free (rule V16)', () => {
  // rule V16
  assert.equal(videoRate({ id: 't', discount: 0, videoSecond: '0.1' }, TERMS), { rate: '0.1' });
  assert.is(videoRate({ id: 't', discount: 0 }, TERMS), 'unpriced');
  assert.is(videoRate({ id: 't', discount: 0, videoSecond: '0.1' }, { ...TERMS, adapters: ['ink'] }), 'undecided');
});

it('the last matching rate applies, and a size never matches the rate of a resolution (rule V16)', () => {
  const tiered = tariff([
    { rate: '0.02' },
    { rate: '0.05', resolution: '1080p' },
    { rate: '0.03', audio: true },
    { rate: '0.075', resolution: '1080p', audio: true },
  ]);
  assert.equal(videoRate(tiered, TERMS), { rate: '0.02' });
  assert.equal(videoRate(tiered, { ...TERMS, resolution: '1080p' }), { rate: '0.05' });
  assert.equal(videoRate(tiered, { ...TERMS, resolution: '1080p', audio: true }), { rate: '0.075' });
  assert.equal(videoRate(tiered, { ...TERMS, size: '1920x1080' }), { rate: '0.02' });
  // The soundtrack decides the rate and is not known.
  assert.is(videoRate(tiered, { ...TERMS, audio: null }), 'undecided');
  assert.equal(videoRate(tariff([{ rate: '1' }]), { ...TERMS, audio: null }), { rate: '1' });
});

it('a partial declaration is not free: without a matching rate nothing is decided (rule V16)', () => {
  const partial = tariff([
    { rate: '0.05', resolution: '720p' },
    { rate: '0.04', size: '640x640' },
  ]);
  assert.is(videoRate(partial, { ...TERMS, size: '1280x720' }), 'undecided');
  assert.is(videoRate(partial, TERMS), 'undecided');
  assert.equal(videoRate(partial, { ...TERMS, size: '640x640' }), { rate: '0.04' });
});

it('an adapter with a price of its own is charged by it; two of them have no common price', () => {
  const priced = tariff([{ rate: '0.1' }, { rate: '0.2', adapter: 'ink' }, { rate: '0.3', adapter: 'wash' }]);
  assert.equal(videoRate(priced, { ...TERMS, adapters: ['ink'] }), { rate: '0.2' });
  assert.is(videoRate(priced, { ...TERMS, adapters: ['ink', 'wash'] }), 'undecided');
  assert.is(videoRate(priced, { ...TERMS, adapters: ['other'] }), 'undecided');
  const shadowed = tariff([{ rate: '0.1' }, { rate: '0.2', adapter: 'ink' }, { rate: '0.05', resolution: '720p' }]);
  assert.is(videoRate(shadowed, { ...TERMS, resolution: '720p', adapters: ['ink'] }), 'undecided');
});

it('an open window wins', () => {
  const windowed = tariff([{ rate: '0.1' }, { rate: '0.05', utcStart: 1100, utcEnd: 1300 }]);
  assert.equal(videoRate(windowed, TERMS), { rate: '0.05' });
  assert.equal(videoRate(windowed, { ...TERMS, at: NOON + 3_600_000 }), { rate: '0.1' });
});

/** The price list read by a separate rule: filter, then the last. */
function oracle(tiers: readonly VideoTier[], terms: RenderTerms): string | null {
  let rate: string | null = null;
  for (const tier of tiers) {
    const wanted = { resolution: terms.resolution, size: terms.size, audio: terms.audio };
    const fits = Object.entries(wanted).every(([name, value]) => !(name in tier) || tier[name as 'size'] === value);
    if (fits) rate = tier.rate;
  }
  return rate;
}

/** floor24(rate x seconds) with integers alone. */
function charged(rate: string, seconds: string): string {
  const [a = '', b = ''] = rate.split('.');
  const [c = '', d = ''] = seconds.split('.');
  const places = b.length + d.length;
  const units = BigInt(a + b) * BigInt(c + d);
  const at24 = places <= 24 ? units * 10n ** BigInt(24 - places) : units / 10n ** BigInt(places - 24);
  const text = at24.toString().padStart(25, '0');
  const decimals = text.slice(-24).replace(/0+$/, '');
  return decimals === '' ? text.slice(0, -24) : `${text.slice(0, -24)}.${decimals}`;
}

it('the rate and the charge agree with an oracle in integers', () => {
  // rule V15
  const price = fc
    .tuple(fc.nat(9), fc.bigInt({ min: 0n, max: 10n ** 30n - 1n }))
    .map(([whole, part]) => `${whole}.${part.toString().padStart(30, '0')}`);
  const tier = fc.record(
    {
      rate: price,
      resolution: fc.constantFrom('480p', '720p', '1080p'),
      size: fc.constantFrom('1280x720', '640x640'),
      audio: fc.boolean(),
    },
    { requiredKeys: ['rate'] },
  );
  const terms = fc.record({
    resolution: fc.constantFrom(null, '480p', '720p', '1080p'),
    size: fc.constantFrom(null, '1280x720', '640x640'),
    audio: fc.boolean(),
  });
  const seconds = fc
    .tuple(fc.nat(600), fc.nat(999_999))
    .map(([whole, part]) => `${whole}.${`${part}`.padStart(6, '0')}`);
  fc.assert(
    fc.property(fc.array(tier, { minLength: 1, maxLength: 6 }), terms, seconds, (tiers, asked, length) => {
      const rate = videoRate(tariff(tiers as VideoTier[]), { ...TERMS, ...asked });
      const expected = oracle(tiers as VideoTier[], { ...TERMS, ...asked });
      assert.equal(rate, expected === null ? 'undecided' : { rate: expected });
      if (expected !== null) assert.is(chargeOf([{ rate: expected, units: length }]), charged(expected, length));
    }),
    { numRuns: 300 },
  );
});

test.run();
