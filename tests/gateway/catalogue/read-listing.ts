import { type Listing, listingText } from '../../../gateway/catalogue/listing.ts';

/** The answer as a client parses it. */
export function readListing<T = Readonly<Record<string, unknown>>>(listing: Listing | null): T {
  if (listing === null) throw new Error('there is no such listing');
  return JSON.parse(listingText(listing)) as T;
}
