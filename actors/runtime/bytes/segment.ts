import { aead } from './aead.ts';
import { boundTo } from './bound-to.ts';
import type { Place } from './place.ts';

const PLAIN_BYTES = 64 * 1024;

/**
 * A sealed stream is a head and segments, each an encryption of its own that is bound to its position and to whether it
 * is the last: a cut, a reordered or a doubled stream does not open. All but the last are full.
 */
export const segment = {
  plainBytes: PLAIN_BYTES,
  sealedBytes: PLAIN_BYTES + aead.addedBytes,
  bound: (place: Place, position: number, last: boolean): Buffer => boundTo('segment', place, position, last ? 1 : 0),
};
