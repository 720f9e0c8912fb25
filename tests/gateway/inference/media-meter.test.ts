import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/runtime/index.ts';
import { type MeasuredMedia, MediaMeter } from '../../../gateway/inference/media-meter.ts';
import type { MediaBounds } from '../../../gateway/pricing/media-bounds.ts';
import { bounded } from '../../support/bounded.ts';
import { dataUrl, png } from '../pricing/images.ts';
import { wav } from '../pricing/sounds.ts';

const it = bounded(test);
const clock = systemClock;
const BOUNDS: MediaBounds = { images: 3, pixelsPerImage: 2_000_000, audioSeconds: 10, imageTokens: 0 };

function meterOf(urls: readonly string[], base64: readonly string[] = [], format: string | null = null): MediaMeter {
  const meter = new MediaMeter(format);
  for (const url of urls) meter.addImage(url);
  for (const piece of base64) meter.addSpeech(piece);
  return meter;
}

it('images add up exactly, in megapixels of a million pixels (rule K78)', () => {
  const { media, beyond } = meterOf([dataUrl(png(1_024, 1_024)), dataUrl(png(1, 1))]).measured(
    BOUNDS,
    clock,
  ) as MeasuredMedia;
  assert.equal(media, { images: 2, megapixels: '1.048577' });
  assert.is(beyond, false);
});

it('an image of no readable size is reported as unread', () => {
  const urls = ['https://example.org/a.png', dataUrl(Buffer.from('nothing')), dataUrl(png(1_000, 1_000))];
  const { media } = meterOf(urls).measured(BOUNDS, clock) as MeasuredMedia;
  assert.equal(media, { images: 3, megapixels: '1', imagesUnread: 2 });
});

it('a header that claims more than was admitted counts up to the bound, and is reported (rule K79)', () => {
  const huge = meterOf([dataUrl(png(0xffff_ffff, 0x7fff_ffff)), dataUrl(png(65_535, 65_535))]);
  const { media, beyond } = huge.measured(BOUNDS, clock) as MeasuredMedia;
  assert.equal(media, { images: 2, megapixels: '2', imagesUnread: 1 });
  assert.is(beyond, true);
});

it('more images than were admitted are not charged, and are reported', () => {
  const many = meterOf(Array.from({ length: 300 }, () => dataUrl(png(1_000, 1_000))));
  const { media, beyond } = many.measured(BOUNDS, clock) as MeasuredMedia;
  assert.equal(media, { images: 3, megapixels: '3', imagesUnread: 297 });
  assert.is(beyond, true);
  const none = meterOf([dataUrl(png(10, 10))]).measured(null, clock) as MeasuredMedia;
  assert.equal(none.media, { images: 0, imagesUnread: 1 });
  assert.is(none.beyond, true);
});

it('speech is measured in seconds, up to the admitted seconds', async () => {
  const spoken = meterOf([], [wav(2.5).toString('base64')], 'wav');
  assert.equal((await spoken.measured(BOUNDS, clock)).media, { audioSeconds: '2.5' });
  const long = meterOf([], [Buffer.alloc(48_000 * 11).toString('base64')], 'pcm16');
  const { media, beyond } = await long.measured(BOUNDS, clock);
  assert.equal(media, { audioSeconds: '10' });
  assert.is(beyond, true);
  const exact = await meterOf([], [Buffer.alloc(480_000).toString('base64')], 'pcm16').measured(BOUNDS, clock);
  assert.equal(exact, { media: { audioSeconds: '10' }, beyond: false });
});

it('speech of no readable length is reported as unread', async () => {
  const noise = meterOf([], [Buffer.alloc(1_000, 7).toString('base64')], 'mp3');
  assert.equal((await noise.measured(BOUNDS, clock)).media, { audioUnread: true });
});

it('media that need no decoding are measured synchronously', () => {
  assert.not.instance(
    meterOf([dataUrl(png(1, 1))], [Buffer.alloc(48).toString('base64')], 'pcm16').measured(BOUNDS, clock),
    Promise,
  );
});

test.run();
