import { LOOP_TURN_BYTES, type LoopWork } from '../../overload/loop-work.ts';
import { invalid } from '../../terms/gateway-error.ts';
import { mediaTypeName } from '../../terms/media-type-name.ts';
import type { MediaSource } from '../../terms/turn.ts';

/** Characters of a URL that an endpoint has to fetch: more than any signed URL in use. */
const URL_CHARACTERS_MAX = 8_192;
/** Characters of a `data:` URL before its comma. */
const DATA_HEAD_CHARACTERS_MAX = 256;
/** Decoded bytes of one part. */
export const PART_BYTES_MAX = 32 * 1_024 * 1_024;

const ADDRESS = /^https?:\/\/[^\s\p{Cc}]+$/iu;
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,63}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,63}$/;

/**
 * Parses a `*_url` member: a URL, forwarded unchanged and never fetched here, or the bytes of a `data:` URL. Any other
 * scheme is a 400 that names `member`. (rule I39, rule I40, rule I41)
 */
export function parseSource(url: string, member: string): MediaSource {
  if (isData(url)) return parseDataUrl(url, member);
  if (url.length > URL_CHARACTERS_MAX) throw invalid(`${member} must have at most ${URL_CHARACTERS_MAX} characters`);
  if (!ADDRESS.test(url) || !URL.canParse(url)) throw invalid(`${member} must be an https:, http: or data: URL`);
  return { kind: 'url', url };
}

/** Parses bare base64; `mediaType` is null where it is unknown. */
export function parseBytes(base64: string, mediaType: string | null, member: string): MediaSource {
  const bytes = base64Bytes(base64);
  if (bytes === null) throw invalid(`${member} must hold base64 with its padding`);
  if (bytes > PART_BYTES_MAX) throw invalid(`${member} must hold at most ${PART_BYTES_MAX} bytes`);
  return { kind: 'data', mediaType, base64 };
}

/** Parses `file_data`: a `data:` URL, or bare base64. The type of bytes other than a PDF and UTF-8 text is unknown. */
export function parseDocument(data: string, member: string): MediaSource {
  return isUrl(data) ? parseSource(data, member) : parseBytes(data, documentType(data), member);
}

/** Characters of base64 whose bytes tell a document from other bytes. */
const SIGNATURE_CHARACTERS = 4_096;
/** `%PDF-` in base64, without the bits that the next byte shares. */
const PDF = 'JVBERi';

function documentType(base64: string): string | null {
  if (base64.startsWith(PDF)) return 'application/pdf';
  const head = Buffer.from(base64.slice(0, SIGNATURE_CHARACTERS), 'base64');
  try {
    // The head may end within a character.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
  } catch {
    return null;
  }
  return head.includes(0) ? null : 'text/plain';
}

/** True for a URL of any scheme: base64 has no colon. */
function isUrl(text: string): boolean {
  return text.slice(0, DATA_HEAD_CHARACTERS_MAX).includes(':');
}

function isData(url: string): boolean {
  return url.slice(0, 5).toLowerCase() === 'data:';
}

function parseDataUrl(url: string, member: string): MediaSource {
  const { mediaType, base64 } = dataUrlParts(url, member);
  return parseBytes(base64, mediaType, member);
}

/** The parts of a `data:` URL, its base64 unchecked. `mediaType` is null where it names none. Throws the 400. */
export function dataUrlParts(url: string, member: string): { mediaType: string | null; base64: string } {
  const comma = url.slice(0, DATA_HEAD_CHARACTERS_MAX).indexOf(',');
  const head = comma < 0 ? [] : url.slice(5, comma).split(';');
  if (head.length < 2 || head.at(-1)?.toLowerCase() !== 'base64') {
    throw invalid(`${member} must be a data: URL of the form data:<media type>;base64,<bytes>`);
  }
  const named = mediaTypeName(head[0] ?? '');
  if (named !== '' && !MEDIA_TYPE.test(named)) throw invalid(`${member} has a malformed media type`);
  return { mediaType: named === '' ? null : named, base64: url.slice(comma + 1) };
}

/**
 * Strict base64, checked without decoding: Node's decoder drops foreign characters instead of refusing them, and the
 * size must be known before anything is allocated. One pass, linear. (rule I41)
 */

/** A single character class, so the search never backtracks. */
const FOREIGN = /[^A-Za-z0-9+/]/;

/** Decoded size of a text in bytes; null when it is empty or not base64 with its padding. */
export function base64Bytes(text: string): number | null {
  const { length } = text;
  if (length === 0 || length % 4 !== 0) return null;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  if (FOREIGN.test(padding === 0 ? text : text.slice(0, length - padding))) return null;
  return (length / 4) * 3 - padding;
}

/** The same in shares of the event loop: 20 MiB in one go stall it for 30 ms (measured). */
export async function base64BytesInShares(text: string, loop: LoopWork): Promise<number | null> {
  if (text.length <= LOOP_TURN_BYTES) return base64Bytes(text);
  for (let at = 0; at < text.length; at += LOOP_TURN_BYTES) {
    const isForeign = await loop.run(LOOP_TURN_BYTES, () => {
      const share = text.slice(at, at + LOOP_TURN_BYTES);
      const isLast = at + LOOP_TURN_BYTES >= text.length;
      // Every share but the last has whole groups of four and no padding.
      return isLast ? base64Bytes(share) === null : FOREIGN.test(share);
    });
    if (isForeign) return null;
  }
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  return (text.length / 4) * 3 - padding;
}
