import { ProviderFailure } from './provider-failure.ts';

/** Pictures in one reply; a reply with more is invalid. */
export const IMAGES_MAX = 64;

const ADDRESS_CHARACTERS_MAX = 8_192;

/**
 * Validates the address of a generated picture: a `data:` URL of a picture, or a web address, which the gateway never
 * fetches. Throws for anything else, because the picture cannot be delivered.
 */
export function pictureUrl(url: unknown): string {
  if (typeof url === 'string') {
    if (/^data:image\/[a-z0-9.+-]{1,64}[;,]/i.test(url)) return url;
    if (url.length <= ADDRESS_CHARACTERS_MAX && /^https?:\/\/[^\s"<>\\]+$/i.test(url)) return url;
  }
  throw new ProviderFailure('garbage', 'an image without a valid URL');
}
