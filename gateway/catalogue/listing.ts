import { createHash } from 'node:crypto';

/** One entry of a list as JSON text, with a digest of it. */
export interface ListingEntry {
  readonly text: string;
  readonly digest: string;
}

/**
 * A JSON answer with a list in it, in parts: `before`, the entries separated by commas, `after`. Entries keep their text
 * between requests, so that an answer is named without being written, and written without rendering its entries.
 */
export interface Listing {
  readonly before: string;
  readonly entries: readonly ListingEntry[];
  readonly after: string;
}

export function entryOf(value: object): ListingEntry {
  const text = JSON.stringify(value);
  return { text, digest: digestOf(text) };
}

/** An answer that is rendered as a whole. */
export function listingOf(value: object): Listing {
  return { before: JSON.stringify(value), entries: [], after: '' };
}

export function listingText({ before, entries, after }: Listing): string {
  return `${before}${entries.map(({ text }) => text).join(',')}${after}`;
}

const digests = new WeakMap<Listing, string>();

/** Equal for equal answers, from the digests alone; computed once per listing. */
export function listingDigest(listing: Listing): string {
  const known = digests.get(listing);
  if (known !== undefined) return known;
  const { before, entries, after } = listing;
  const digest = digestOf(`${before}\n${entries.map((entry) => entry.digest).join()}\n${after}`);
  digests.set(listing, digest);
  return digest;
}

/** 132 bits of SHA-256. */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
