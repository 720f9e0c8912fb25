import type { OpenBlob } from '../ports/blobs.ts';
import type { SealingKey } from '../ports/key-store.ts';
import type { Random } from '../ports/random.ts';
import type { Place } from './place.ts';
import { sealHead } from './seal-head.ts';

/**
 * A row's reference to a blob: plain JSON of some 160 characters. The row also names `id` in the index column that its
 * collection declares as `blob`.
 */
export type SealedBlob = {
  readonly id: string;
  /** Length of the plain bytes. */
  readonly bytes: number;
  /** The blob's secret, wrapped by the key of an hour and bound to place, id and bytes; base64. */
  readonly head: string;
};

/**
 * Seals a written blob for its place. Get the key before the blob is put: while the key store is out of reach nothing
 * may be stored.
 */
export function sealBlob(key: SealingKey, place: Place, { id, bytes, secret }: OpenBlob, random: Random): SealedBlob {
  const exported = secret.export();
  const head = sealHead.close({ form: 'blob', place, words: [id, bytes] }, key, exported, random);
  exported.fill(0);
  return { id, bytes, head: head.toString('base64') };
}
