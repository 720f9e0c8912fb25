import type { Clock } from '../../actors/runtime/index.ts';
import { decimalText } from '../pricing/decimal-text.ts';
import type { MediaBounds } from '../pricing/media-bounds.ts';
import { picturePixels } from '../pricing/picture-pixels.ts';
import { SpeechMeter } from '../pricing/speech-meter.ts';
import type { MediaUnits } from '../terms/usage.ts';

const PIXEL_DIGITS = 6;
/** Images of one answer whose headers are read; further ones count as unread. */
const PICTURES_READ_MAX = 100;

/** Measured media, and whether it exceeded the admitted bounds; the excess is not charged. (reliability, attack 76) */
export interface MeasuredMedia {
  readonly media: MediaUnits;
  readonly beyond: boolean;
}

/** Measures the images and the speech of one answer from their bytes as they pass. (spec: inference, Routing rules 8) */
export class MediaMeter {
  readonly #pixels: (number | null)[] = [];
  readonly #speech: SpeechMeter;
  #pictures = 0;

  /** `format` of the speech as requested; null where none was requested. */
  constructor(format: string | null) {
    this.#speech = new SpeechMeter(format);
  }

  addPicture(url: string): void {
    this.#pictures += 1;
    this.#pixels.push(this.#pictures > PICTURES_READ_MAX ? null : picturePixels(url));
  }

  addSpeech(base64: string): void {
    this.#speech.add(base64);
  }

  /** Called at the end of the answer. Returns a promise only where compressed speech must be decoded; it never rejects. */
  measured(bounds: MediaBounds | null, clock: Clock): MeasuredMedia | Promise<MeasuredMedia> {
    const seconds = this.#speech.seconds(clock);
    if (seconds instanceof Promise) return seconds.then((read) => this.#bounded(bounds, read));
    return this.#bounded(bounds, seconds);
  }

  #bounded(bounds: MediaBounds | null, seconds: string | null | undefined): MeasuredMedia {
    const pictures = this.#boundedPictures(bounds);
    const speech = boundedSpeech(bounds, seconds);
    return { media: { ...pictures.media, ...speech.media }, beyond: pictures.beyond || speech.beyond };
  }

  #boundedPictures(bounds: MediaBounds | null): MeasuredMedia {
    if (this.#pictures === 0) return { media: {}, beyond: false };
    const images = Math.min(this.#pictures, bounds?.images ?? 0);
    const edge = bounds?.pixelsPerImage ?? 0;
    const admitted = this.#pixels.slice(0, images);
    const read = admitted.filter((pixels) => pixels !== null);
    const pixels = read.reduce((sum, each) => sum + Math.min(each, edge), 0);
    const unread = this.#pictures - read.length;
    return {
      media: {
        images,
        ...(read.length === 0 ? {} : { megapixels: decimalText(pixels, PIXEL_DIGITS) }),
        ...(unread === 0 ? {} : { imagesUnread: unread }),
      },
      beyond: this.#pictures > images || read.some((each) => each > edge),
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
