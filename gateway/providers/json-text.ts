import { LongText } from '../terms/long-text.ts';
import type { MediaSource } from '../terms/turn.ts';
import { ProviderFailure } from './provider-failure.ts';

/**
 * A JSON list of texts that are JSON already. Uses concatenation, because `join` copies each text and a picture is
 * large.
 */
export function listText<T>(items: readonly T[], textOf: (item: T) => string): string {
  let text = '[';
  for (const item of items) text += text === '[' ? textOf(item) : `,${textOf(item)}`;
  return `${text}]`;
}

/** A member with its leading comma; empty where the value is undefined. */
export function memberText(name: string, value: string | undefined): string {
  return value === undefined ? '' : `,"${name}":${JSON.stringify(value)}`;
}

/** A medium as one URL, in JSON: its own, or a `data:` URL with its bytes. Base64 is already checked: no escapes. */
export function addressText(source: MediaSource): string {
  if (source.kind === 'url') return JSON.stringify(source.url);
  const { mediaType, base64 } = attached(source);
  const head = JSON.stringify(`data:${mediaType ?? ''};base64,`);
  return `${head.slice(0, -1)}${base64}"`;
}

/** The bytes of a part that is about to be sent. Throws for a stored file that was not read: no caller causes it. */
export function attached(source: Exclude<MediaSource, { kind: 'url' }>): MediaSource & { readonly kind: 'data' } {
  if (source.kind === 'stored') throw new Error('a stored file is sent without its bytes');
  return source;
}

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
