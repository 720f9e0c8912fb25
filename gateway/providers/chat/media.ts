import type { Envelopes } from '../../../actors/terms/endpoint.ts';
import { isEmpty } from '../../terms/exact-decimal.ts';
import { LongText } from '../../terms/long-text.ts';
import { declaredSpelling, isLeftToEndpoint, pictureFrame } from '../../terms/picture-frame.ts';
import type { TurnEvent } from '../../terms/turn-event.ts';
import { IMAGES_MAX, pictureUrl } from '../json-text.ts';
import { ProviderFailure } from '../provider-failure.ts';

const AUDIO_ID_CHARACTERS_MAX = 256;
/** The largest accepted `expires_at` in seconds: the end of the year 9999. */
const SECONDS_MAX = 253_402_300_799;

/** Generated pictures and speech of one reply, whole or in pieces. (rule I48) */
export class Media {
  #images = 0;
  #speaks = false;

  /** Adds the events of an `images` member. */
  readImages(images: unknown, events: TurnEvent[]): void {
    if (images == null) return;
    if (!Array.isArray(images)) throw new ProviderFailure('garbage', 'images is not a list');
    for (const image of images) this.#readImage(image, events);
  }

  /** Adds the event of an `audio` member unless the member is empty: the end of an id alone is the end of speech, not speech. */
  readAudio(audio: unknown, events: TurnEvent[]): void {
    if (audio == null) return;
    if (typeof audio !== 'object') throw new ProviderFailure('garbage', 'audio is not an object');
    const { id, data, transcript, expires_at: expiresAt } = audio as Record<string, unknown>;
    const piece: { id?: string; data?: string | LongText; transcript?: string; expiresAt?: number } = {};
    if (typeof id === 'string' && id !== '') piece.id = id.slice(0, AUDIO_ID_CHARACTERS_MAX);
    if (data instanceof LongText || (typeof data === 'string' && data !== '')) piece.data = base64(data);
    if (typeof transcript === 'string' && transcript !== '') piece.transcript = transcript;
    if (Number.isSafeInteger(expiresAt) && (expiresAt as number) >= 0 && (expiresAt as number) <= SECONDS_MAX) {
      piece.expiresAt = expiresAt as number;
    }
    this.#speaks ||= piece.id !== undefined || piece.data !== undefined || piece.transcript !== undefined;
    if (this.#speaks && !isEmpty(piece)) events.push({ type: 'audio-delta', ...piece });
  }

  #readImage(image: unknown, events: TurnEvent[]): void {
    const { image_url: at, index } = (image ?? {}) as { image_url?: unknown; index?: unknown };
    if (this.#images >= IMAGES_MAX) throw new ProviderFailure('garbage', 'too many images');
    const own = this.#images++;
    const isAddress = typeof at !== 'object' || at === null || at instanceof LongText;
    const url = pictureUrl(isAddress ? at : (at as { url?: unknown }).url);
    const given = Number.isSafeInteger(index) && (index as number) >= 0 && (index as number) < IMAGES_MAX;
    events.push({ type: 'image', url, index: given ? (index as number) : own });
  }
}

function base64(data: string | LongText): string | LongText {
  const isBase64 = data instanceof LongText ? data.isBase64 : /^[A-Za-z0-9+/]*={0,2}$/.test(data);
  if (!isBase64) throw new ProviderFailure('garbage', 'audio data is not base64');
  return data;
}

type Config = Readonly<Record<string, unknown>>;

/**
 * The picture settings of a request in the endpoint's own spelling, with its frame in the form that the endpoint
 * declares. Omits settings left to the endpoint; sends settings that its envelope does not mention unchanged.
 * (rule I24)
 */
export function imageConfig(requested: Config, envelope: Envelopes['image']): Config {
  const entries = Object.entries(requested).filter(([member, value]) => !isLeftToEndpoint(member, value));
  const { resolution, aspect_ratio, size, output_format: format, ...rest } = Object.fromEntries(entries);
  const config = {
    ...rest,
    output_format: typeof format === 'string' ? (declaredSpelling(format, envelope?.formats ?? []) ?? format) : format,
    ...pictureFrame({ resolution, aspect_ratio, size }, envelope),
  };
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));
}
