/** Reads the size of an image from its first bytes. A header may be false, so callers bound the result. */
import { disableTypes, imageSize, types } from 'image-size';

/** The formats that image models produce; other formats are unread, and their parsers never run on a provider's bytes. */
const READ: readonly string[] = ['png', 'jpg', 'webp', 'gif', 'bmp', 'heif'];
disableTypes(types.filter((type) => !READ.includes(type)));

/**
 * Bytes of an image that are parsed: its size is in the first hundreds, in a JPEG possibly after a colour profile.
 * Bounded because a parser may walk a hostile file byte by byte (measured: 256 KiB of the worst in 20 ms).
 */
const HEADER_BYTES = 16_384;
const JPEG_HEADER_BYTES = 262_144;
const JPEG_FIRST_BYTE = 0xff;
/** Characters of a `data:` URL before its bytes. */
const PREFIX_CHARACTERS_MAX = 256;

/** Pixels of the image in a base64 `data:` URL; null for any other text and an unreadable size. Never throws. */
export function imagePixels(url: string): number | null {
  const at = url.slice(0, PREFIX_CHARACTERS_MAX).indexOf(',') + 1;
  if (at === 0 || !/^data:[^,]*;base64,$/i.test(url.slice(0, at))) return null;
  const header = bytesOf(url, at, HEADER_BYTES);
  return pixelsOf(header) ?? (header[0] === JPEG_FIRST_BYTE ? pixelsOf(bytesOf(url, at, JPEG_HEADER_BYTES)) : null);
}

function bytesOf(url: string, at: number, bytesMax: number): Uint8Array {
  // Copies the bytes: the parser reads the whole buffer behind a view.
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
