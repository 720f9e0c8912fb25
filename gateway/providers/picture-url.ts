import { ProviderFailure } from './provider-failure.ts';

/** Pictures in one reply; more is no answer. */
export const IMAGES_MAX = 64;

const ADDRESS_CHARACTERS_MAX = 8_192;

/**
 * The address of a generated picture, if it is one that may be passed on: a `data:` URL of a picture, or a web address,
 * which nobody here fetches. Throws for anything else: it was made, and cannot be delivered.
 */
export function pictureUrl(url: unknown): string {
  if (typeof url === 'string') {
    if (/^data:image\/[a-z0-9.+-]{1,64}[;,]/i.test(url)) return url;
    if (url.length <= ADDRESS_CHARACTERS_MAX && /^https?:\/\/[^\s"<>\\]+$/i.test(url)) return url;
  }
  throw new ProviderFailure('garbage', 'a picture without a usable address');
}
