import type { Clock } from '../../actors/runtime/index.ts';
import { decimalText } from '../pricing/decimal-text.ts';
import { imagePixels } from '../pricing/image-pixels.ts';
import type { MediaBounds } from '../pricing/media-bounds.ts';
import { SpeechMeter } from '../pricing/speech-meter.ts';
import type { LongText } from '../terms/long-text.ts';
import type { MediaUnits } from '../terms/usage.ts';

const PIXEL_DIGITS = 6;
/** Images of one answer whose headers are read, more than any request admits; further ones count as unread. */
const IMAGES_READ_MAX = 16;

/** Measured media, and whether it exceeded the admitted bounds; the excess is not charged. (rule K79) */
export interface MeasuredMedia {
  readonly media: MediaUnits;
  readonly beyond: boolean;
}

/** Measures the images and the speech of one answer from their bytes as they pass. (rule K78) */
export class MediaMeter {
  readonly #pixels: (number | null)[] = [];
  readonly #speech: SpeechMeter;
  #imageCount = 0;

  /** `format` of the speech as requested; null where none was requested. */
  constructor(format: string | null) {
    this.#speech = new SpeechMeter(format);
  }

  get onlyImagePixels(): number | null {
    return this.#imageCount === 1 ? (this.#pixels[0] ?? null) : null;
  }

  addImage(url: string | LongText): void {
    this.#imageCount += 1;
    this.#pixels.push(this.#imageCount > IMAGES_READ_MAX ? null : imagePixels(url));
  }

  addSpeech(base64: string | LongText): void {
    for (const piece of typeof base64 === 'string' ? [base64] : base64.texts()) this.#speech.add(piece);
  }

  /**
   * Called at the end of the answer. Returns a promise only where compressed speech must be decoded; it never rejects.
   */
  measured(bounds: MediaBounds | null, clock: Clock): MeasuredMedia | Promise<MeasuredMedia> {
    const seconds = this.#speech.seconds(clock);
    if (seconds instanceof Promise) return seconds.then((read) => this.#bounded(bounds, read));
    return this.#bounded(bounds, seconds);
  }

  #bounded(bounds: MediaBounds | null, seconds: string | null | undefined): MeasuredMedia {
    const images = this.#boundedImages(bounds);
    const speech = boundedSpeech(bounds, seconds);
    return { media: { ...images.media, ...speech.media }, beyond: images.beyond || speech.beyond };
  }

  #boundedImages(bounds: MediaBounds | null): MeasuredMedia {
    if (this.#imageCount === 0) return { media: {}, beyond: false };
    const images = Math.min(this.#imageCount, bounds?.images ?? 0);
    const pixelsMax = bounds?.pixelsPerImage ?? 0;
    const admitted = this.#pixels.slice(0, images);
    const read = admitted.filter((pixels) => pixels !== null);
    const pixels = read.reduce((sum, each) => sum + Math.min(each, pixelsMax), 0);
    const unread = this.#imageCount - read.length;
    return {
      media: {
        images,
        ...(read.length === 0 ? {} : { megapixels: decimalText(pixels, PIXEL_DIGITS) }),
        ...(unread === 0 ? {} : { imagesUnread: unread }),
      },
      beyond: this.#imageCount > images || read.some((each) => each > pixelsMax),
    };
  }
}

function boundedSpeech(bounds: MediaBounds | null, seconds: string | null | undefined): MeasuredMedia {
  if (seconds === undefined) return { media: {}, beyond: false };
  if (seconds === null || bounds === null || bounds.audioSeconds === 0) {
    return { media: { audioUnread: true }, beyond: seconds !== null };
  }
  const beyond = Number.parseInt(seconds, 10) >= bounds.audioSeconds && seconds !== String(bounds.audioSeconds);
  return { media: { audioSeconds: beyond ? String(bounds.audioSeconds) : seconds }, beyond };
}
