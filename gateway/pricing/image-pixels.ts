/** Reads the size of an image from its first bytes. A header may be false, so callers bound the result. */
import { disableTypes, imageSize, types } from 'image-size';
import type { LongText } from '../terms/long-text.ts';

/**
 * The formats that image models produce; other formats are unread, and their parsers never run on a provider's bytes.
 */
const READ: readonly string[] = ['png', 'jpg', 'webp', 'gif', 'bmp', 'heif'];
disableTypes(types.filter((type) => !READ.includes(type)));

/** Bytes of an image that are parsed: its size is in the first hundreds. Parsers walk a hostile file byte by byte. */
const HEADER_BYTES = 16_384;
/** The size of a JPEG may follow a colour profile; the parser gets only the segment that holds the size. */
const JPEG_HEADER_BYTES = 262_144;
const JPEG_SEGMENTS_MAX = 256;
const JPEG_START = [0xff, 0xd8] as const;
/** The start of a JPEG with one empty segment, as the parser expects it. */
const JPEG_EMPTY = [...JPEG_START, 0xff, 0xe0, 0x00, 0x02] as const;
/** Marker, length, precision, height, width and the number of components. */
const JPEG_FRAME_BYTES = 10;
/** Characters of a `data:` URL before its bytes. */
const PREFIX_CHARACTERS_MAX = 256;

/** Pixels of the image in a base64 `data:` URL; null for any other text and an unreadable size. Never throws. */
export function imagePixels(url: string | LongText): number | null {
  const at = url.slice(0, PREFIX_CHARACTERS_MAX).indexOf(',') + 1;
  if (at === 0 || !/^data:[^,]*;base64,$/i.test(url.slice(0, at))) return null;
  const header = bytesOf(url, at, HEADER_BYTES);
  if (!JPEG_START.every((byte, nth) => header[nth] === byte)) return pixelsOf(header);
  const frame = jpegFrame(header) ?? jpegFrame(bytesOf(url, at, JPEG_HEADER_BYTES));
  return frame === null ? null : pixelsOf(frame);
}

/** A JPEG of the frame segment alone. Null if the segments do not lead to one within the bytes and the bound. */
function jpegFrame(bytes: Uint8Array): Uint8Array | null {
  let at: number = JPEG_START.length;
  for (let segments = 0; segments < JPEG_SEGMENTS_MAX; segments++) {
    if (bytes[at] !== 0xff || at + JPEG_FRAME_BYTES > bytes.length) return null;
    const marker = bytes[at + 1] as number;
    if (marker >= 0xc0 && marker <= 0xc2) {
      return Uint8Array.from([...JPEG_EMPTY, ...bytes.subarray(at, at + JPEG_FRAME_BYTES)]);
    }
    const length = ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number);
    if (length < 2) return null;
    at += 2 + length;
  }
  return null;
}

function bytesOf(url: string | LongText, at: number, bytesMax: number): Uint8Array {
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
