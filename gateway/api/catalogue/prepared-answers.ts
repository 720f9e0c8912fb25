import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { type Listing, listingDigest, listingText } from '../../catalogue/listing.ts';
import { JSON_TYPE, type RouteAnswer } from '../../http/write-answer.ts';

/** Bytes of all prepared answers of a node, plain and compressed. */
const PREPARED_BYTES_MAX = 32 * 1024 * 1024;
/** A smaller answer fits one packet: it is neither kept nor compressed. */
const COMPRESSED_BYTES_MIN = 1_400;
/** Compressions under way on a node. Beyond that, answers go out as they are. */
const COMPRESSIONS_MAX = 2;

interface Prepared {
  readonly bytes: Buffer;
  readonly zipped: Buffer | null;
}

const compress = promisify(gzip);

/**
 * Answers of public reads, with an entity tag that is equal for equal answers, so that a client revalidates with
 * `If-None-Match` (304), and compressed where the client accepts gzip. Bytes are kept by their tag: an answer is written
 * and compressed once, however many queries and clients share it, until it changes or the bound evicts it.
 */
export class PreparedAnswers {
  readonly #kept = new LRUCache<string, Prepared>({
    maxSize: PREPARED_BYTES_MAX,
    sizeCalculation: ({ bytes, zipped }) => bytes.length + (zipped?.length ?? 0),
  });
  readonly #compressing = new Map<string, Promise<Buffer>>();

  /** `caching` is the value of `Cache-Control`. */
  answer(request: IncomingMessage, listing: Listing, caching: string): RouteAnswer | Promise<RouteAnswer> {
    const digest = listingDigest(listing);
    const tag = `W/"${digest}"`;
    const headers = ['etag', tag, 'cache-control', caching, 'vary', 'accept-encoding, origin'];
    if (isHeld(request.headers['if-none-match'], tag)) return { status: 304, type: JSON_TYPE, body: '', headers };
    const prepared = this.#prepare(digest, listing);
    if (prepared.bytes.length < COMPRESSED_BYTES_MIN || !acceptsGzip(request.headers['accept-encoding'])) {
      return { type: JSON_TYPE, body: prepared.bytes, headers };
    }
    if (prepared.zipped !== null) return zippedAnswer(prepared.zipped, headers);
    const zipping = this.#compressing.get(digest) ?? this.#compress(digest, prepared.bytes);
    if (zipping === null) return { type: JSON_TYPE, body: prepared.bytes, headers };
    return zipping.then((zipped) => zippedAnswer(zipped, headers));
  }

  #prepare(digest: string, listing: Listing): Prepared {
    const known = this.#kept.get(digest);
    if (known) return known;
    const prepared = { bytes: Buffer.from(listingText(listing)), zipped: null };
    if (prepared.bytes.length >= COMPRESSED_BYTES_MIN) this.#kept.set(digest, prepared);
    return prepared;
  }

  /** Null while enough other answers are being compressed. */
  #compress(digest: string, bytes: Buffer): Promise<Buffer> | null {
    if (this.#compressing.size >= COMPRESSIONS_MAX) return null;
    const zipping = compress(bytes).finally(() => this.#compressing.delete(digest));
    this.#compressing.set(digest, zipping);
    return zipping.then((zipped) => {
      this.#kept.set(digest, { bytes, zipped });
      return zipped;
    });
  }
}

function zippedAnswer(body: Buffer, headers: readonly string[]): RouteAnswer {
  return { type: JSON_TYPE, body, headers: [...headers, 'content-encoding', 'gzip'] };
}

/** Compares weakly, as `If-None-Match` does. */
function isHeld(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((each) => {
    const held = each.trim();
    return held === '*' || held === tag || `W/${held}` === tag;
  });
}

function acceptsGzip(header: string | string[] | undefined): boolean {
  if (typeof header !== 'string') return false;
  const quality = (name: string): number | undefined => {
    const found = header.split(',').find((each) => each.split(';')[0]?.trim().toLowerCase() === name);
    return found === undefined ? undefined : Number(/;\s*q=([\d.]+)/i.exec(found)?.[1] ?? 1);
  };
  return (quality('gzip') ?? quality('*') ?? 0) > 0;
}
