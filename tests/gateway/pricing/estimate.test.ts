import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import type { Tariff } from '../../../actors/terms/tariff.ts';
import { compare } from '../../../actors/terms/usd.ts';
import { charge } from '../../../gateway/pricing/charge.ts';
import { type EstimateTerms, estimate } from '../../../gateway/pricing/estimate.ts';
import { inputImages, mediaBounds } from '../../../gateway/pricing/media-bounds.ts';
import type { Turn } from '../../../gateway/terms/turn.ts';
import { bounded } from '../../support/bounded.ts';
import { boardEndpoint } from '../../support/model/endpoints.ts';
import { Dice, randomCharge, randomTariff } from './random-charge.ts';

const it = bounded(test);

function endpoint(tariff: Partial<Tariff>, more: Partial<Endpoint> = {}): Endpoint {
  const plain = boardEndpoint('a', 'http://127.0.0.1:1', { contextLength: 1_000 });
  return { ...plain, ...more, tariff: { id: 't', discount: 0, ...tariff } };
}

function terms(
  promptTokensHeld: number,
  completionTokensMax: number,
  more: Partial<EstimateTerms> = {},
): EstimateTerms {
  return { at: 0, promptTokensHeld, completionTokensMax, media: null, inputImages: 0, ...more };
}

function turn(more: Partial<Turn> = {}): Turn {
  return {
    kind: 'conversation',
    models: ['a/b'],
    messages: [],
    stream: false,
    sampling: {},
    preferences: { allowFallbacks: true },
    ...more,
  };
}

it('the estimate holds the bound of the prompt, at most the window, plus the ceiling and the request (rule K57)', () => {
  const plain = endpoint({ prompt: '0.01', completion: '0.02', request: '0.5' });
  assert.is(estimate(plain, terms(500, 100)), '7.5');
  assert.is(estimate(plain, terms(5_000, 100)), '12.5');
});

it('an embeddings prompt may fill as many windows as it has inputs', () => {
  const two = endpoint({ prompt: '1' }, { contextLength: 1_000 });
  assert.is(estimate(two, terms(2_500, 0, { windows: 2 })), '2000');
  assert.is(estimate(two, terms(1_500, 0, { windows: 2 })), '1500');
});

it('the tier is read from the estimate, strictly above its length (rule K75)', () => {
  const tiered = endpoint({ prompt: '1', overrides: [{ minPromptTokens: 100, prompt: '2' }] });
  assert.is(estimate(tiered, terms(100, 0)), '100');
  assert.is(estimate(tiered, terms(101, 0)), '202');
});

it('if long prompts are cheaper, the more expensive tier below the bound is held', () => {
  const tiered = endpoint({ prompt: '10', overrides: [{ minPromptTokens: 100, prompt: '1' }] });
  assert.is(estimate(tiered, terms(500, 0)), '1000');
});

it('the highest price that a token may have is held', () => {
  const cached = endpoint({ prompt: '1', inputCacheRead: '0.1', inputCacheWrite1h: '2', completion: '1' });
  assert.is(estimate(cached, terms(10, 10)), '30');
  assert.is(estimate(endpoint({ completion: '1', internalReasoning: '3' }), terms(10, 10)), '30');
});

it('a price window counts if it is open at admission', () => {
  const windowed = endpoint({ prompt: '1', overrides: [{ utcStart: 100, utcEnd: 200, prompt: '5' }] });
  assert.is(estimate(windowed, terms(1, 0, { at: 3_600_000 })), '5');
  assert.is(estimate(windowed, terms(1, 0, { at: 7_200_000 })), '1');
});

it('requested images and speech are held by the piece, by size, by the second', () => {
  const makesImages = { outputModalities: ['text', 'image', 'audio'] as const };
  const requested = turn({ imageConfig: { n: 2, size: '1000x2000' } });
  const prices = { imageOutput: '1', imageMegapixel: '10', audioSecond: '0.001' };
  const media = mediaBounds(requested, endpoint(prices, makesImages), 980);
  assert.equal(media, { images: 2, pixelsPerImage: 2_000_000, audioSeconds: 500, imageTokens: 13_000 });
  assert.is(estimate(endpoint(prices, makesImages), terms(1, 980, { media })), '42.5');
  assert.is(mediaBounds(requested, endpoint(prices), 980), null);
});

it('unrequested media have a bound as well', () => {
  const image = { sizes: ['512x512', '1024x1536'], imagesMax: 2 };
  const makesImages = endpoint({}, { outputModalities: ['text', 'image'], envelopes: { image } });
  const requested = turn({ modalities: { input: [], output: ['image'] } });
  const two = { images: 2, pixelsPerImage: 1_572_864, audioSeconds: 0, imageTokens: 13_000 };
  assert.equal(mediaBounds(requested, makesImages, 10), two);
  assert.is(estimate(makesImages, terms(0, 10, { media: two })), '0');
  assert.is(
    estimate({ ...makesImages, tariff: { id: 't', discount: 0, completion: '1' } }, terms(0, 10, { media: two })),
    '13010',
  );
  assert.equal(mediaBounds(turn(), makesImages, 10)?.images, 1);
  for (const imageConfig of [{ n: 1e9, size: '999999x999999' }, { n: -1, size: 7 }, { resolution: '4K' }, {}]) {
    const bounds = mediaBounds(turn({ imageConfig }), makesImages, 1_048_576);
    assert.ok(bounds && bounds.images >= 1 && bounds.images <= 100 && Number.isSafeInteger(bounds.pixelsPerImage));
    assert.ok(Number.isSafeInteger(bounds.images * bounds.pixelsPerImage));
  }
});

it('images of the prompt are held by the piece', () => {
  const imagePart = { type: 'image', source: { kind: 'url', url: 'https://a/b.png' } } as const;
  const messages = [{ role: 'user', text: '', parts: [imagePart, imagePart, { type: 'text', text: 'x' }] }] as const;
  const requested = turn({ messages, modalities: { input: ['image'], output: [] } });
  assert.is(inputImages(requested, messages), 2);
  assert.is(inputImages(turn(), messages), 0);
  assert.is(estimate(endpoint({ image: '0.5' }), terms(1, 0, { inputImages: 2 })), '1');
});

it('characters and seconds of audio of the prompt are held as measured', () => {
  const promptUnits = { inputCharacters: 10, inputAudioSeconds: '1.5' };
  const priced = { prompt: '1', character: '0.5', audioSecond: '2' };
  assert.is(estimate(endpoint(priced), terms(1, 0, { promptUnits })), '9');
  assert.is(estimate(endpoint({ ...priced, audioSecondOf: 'completion' }), terms(1, 0, { promptUnits })), '6');
});

it('an image is bounded by its largest possible size, whatever the name of its tier (rule K57)', () => {
  const drawing = (image: object): Endpoint => endpoint({}, { outputModalities: ['image'], envelopes: { image } });
  const pixels = (image: object, imageConfig?: Turn['imageConfig']): number | undefined =>
    mediaBounds(turn(imageConfig ? { imageConfig } : {}), drawing(image), 10)?.pixelsPerImage;
  const tiers = { resolutions: ['1K', '1.5K', '8K', '512'] };
  assert.ok((pixels(tiers, { resolution: '8K' }) ?? 0) >= 8_192 ** 2);
  assert.ok((pixels(tiers, { resolution: '1.5K' }) ?? 0) >= 1_536 ** 2);
  assert.is(pixels(tiers, { resolution: '512' }), 512 ** 2 * 1.25);
  assert.ok((pixels(tiers) ?? 0) >= 8_192 ** 2, 'the largest without a requested size');
  assert.ok((pixels({ resolutions: ['1K', 'large'] }, { resolution: 'large' }) ?? 0) >= 2_048 ** 2);
  const sizes = { sizes: ['1024x1024', '1536x1024'] };
  assert.is(
    pixels(sizes, { resolution: '1K', aspect_ratio: '3:2' }),
    1_536 * 1_024,
    'the endpoint receives one of its sizes',
  );
  assert.is(pixels(sizes, { resolution: '1K' }), 1_024 ** 2, 'the endpoint receives its square size');
  assert.is(pixels(sizes, { size: '1024x1024' }), 1_024 ** 2);
});

it('a charge never exceeds the estimate while the reply stays within the admitted bounds (rule K57)', () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const dice = new Dice(seed);
      const tariff = randomTariff(dice);
      const { used, terms: reply } = randomCharge(dice, tariff);
      const { media } = reply;
      const held = estimate(endpoint(tariff, { contextLength: 1e9 }), {
        at: reply.at,
        promptTokensHeld: (used.promptTokens ?? 0) + dice.below(2_000),
        completionTokensMax: (used.completionTokens ?? 0) + dice.below(100),
        media: { images: media.images ?? 0, pixelsPerImage: 50e6, audioSeconds: 3_600, imageTokens: 0 },
        inputImages: media.inputImages ?? 0,
        promptUnits: media,
      });
      const within = (media.images ?? 0) > 0 ? media : { ...media, megapixels: '0' };
      return compare(charge(tariff, used, { ...reply, media: within }).cost, held) <= 0;
    }),
    { numRuns: 3_000 },
  );
});

test.run();
