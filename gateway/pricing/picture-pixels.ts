/** How large a picture is, read from its first bytes alone: a header may lie, so callers bound what they believe. */
import { disableTypes, imageSize, types } from 'image-size';

/** What image models draw; every other kind is unread, and its reader is never run on a provider's bytes. */
const READ: readonly string[] = ['png', 'jpg', 'webp', 'gif', 'bmp', 'heif'];
disableTypes(types.filter((type) => !READ.includes(type)));

/**
 * Bytes of a picture that are looked at: its size stands in the first hundreds, in a JPEG possibly behind a colour
 * profile. Bounded because a reader may walk a hostile file byte by byte (measured: 256 KiB of the worst in 20 ms).
 */
const HEADER_BYTES = 16_384;
const JPEG_HEADER_BYTES = 262_144;
const JPEG_FIRST_BYTE = 0xff;
/** Characters of a `data:` URL before its bytes. */
const PREFIX_CHARACTERS_MAX = 256;

/** Pixels of the picture in a base64 `data:` URL; null when it is none, or of no readable size. Never throws. */
export function picturePixels(url: string): number | null {
  const at = url.slice(0, PREFIX_CHARACTERS_MAX).indexOf(',') + 1;
  if (at === 0 || !/^data:[^,]*;base64,$/i.test(url.slice(0, at))) return null;
  const header = bytesOf(url, at, HEADER_BYTES);
  return pixelsOf(header) ?? (header[0] === JPEG_FIRST_BYTE ? pixelsOf(bytesOf(url, at, JPEG_HEADER_BYTES)) : null);
}

function bytesOf(url: string, at: number, bytesMax: number): Uint8Array {
  // A copy of its own: the reader looks at the whole buffer behind a view.
  return new Uint8Array(Buffer.from(url.slice(at, at + Math.ceil(bytesMax / 3) * 4), 'base64'));
}

function pixelsOf(header: Uint8Array): number | null {
  try {
    const { width, height } = imageSize(header);
    const pixels = width * height;
    return Number.isSafeInteger(pixels) && width > 0 && height > 0 ? pixels : null;
  } catch {
    return null;
  }
}
