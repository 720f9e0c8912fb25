import { LongText } from '../terms/long-text.ts';
import { ProviderFailure } from './provider-failure.ts';

/** Pictures in one reply; a reply with more is invalid. */
export const IMAGES_MAX = 64;

const ADDRESS_CHARACTERS_MAX = 8_192;
const RASTER = /^data:image\/(?:png|jpe?g|webp|gif|avif|bmp|tiff|heic|heif);base64,/i;

/**
 * Validates the address of a generated picture: a base64 `data:` URL of a raster picture, or a web address, which the
 * gateway never fetches. Throws for anything else: a vector picture or a parameter of the media type can hold a script.
 * (rule I48)
 */
export function pictureUrl(url: unknown): string | LongText {
  if (url instanceof LongText && RASTER.test(url.head)) return url;
  if (typeof url === 'string') {
    if (RASTER.test(url)) return url;
    if (url.length <= ADDRESS_CHARACTERS_MAX && /^https?:\/\/[^\s"<>\\]+$/i.test(url)) return url;
  }
  throw new ProviderFailure('garbage', 'an image without a valid URL');
}
