import type { OpenBlob } from '../ports/blobs.ts';
import type { SealingKey } from '../ports/key-store.ts';
import type { Random } from '../ports/random.ts';
import type { Place } from './place.ts';
import { sealHead } from './seal-head.ts';

/** What a row keeps of a blob. Plain JSON of some 160 characters; the row names `id` in the index column of its kind. */
export type SealedBlob = {
  readonly id: string;
  /** Bytes that were put. */
  readonly bytes: number;
  /** The blob's secret, wrapped by the key of an hour and bound to place, id and bytes; base64. */
  readonly head: string;
};

/**
 * Seals a written blob for its place. Obtain the key before the blob is put: with the key store out of reach nothing may
 * be stored.
 */
export function sealBlob(key: SealingKey, place: Place, { id, bytes, secret }: OpenBlob, random: Random): SealedBlob {
  const exported = secret.export();
  const head = sealHead.close({ form: 'blob', place, words: [id, bytes] }, key, exported, random);
  exported.fill(0);
  return { id, bytes, head: head.toString('base64') };
}
