import type { SealingKey } from '../ports/key-store.ts';
import type { Random } from '../ports/random.ts';
import { aead } from './aead.ts';
import type { Place } from './place.ts';
import { rechunk } from './rechunk.ts';
import { sealHead } from './seal-head.ts';
import { segment } from './segment.ts';
import { withLast } from './with-last.ts';

/** Bytes of any length, sealed as they pass: never more than two segments are held. Read once. */
export async function* sealStream(
  key: SealingKey,
  place: Place,
  plain: AsyncIterable<Uint8Array>,
  random: Random,
): AsyncGenerator<Uint8Array> {
  const { head, secret } = sealHead.close('stream', key, place, random);
  try {
    yield head;
    let position = 0;
    for await (const { piece, last } of withLast(rechunk(plain, segment.plainBytes))) {
      yield aead.close(secret, piece, segment.bound(place, position++, last), random);
    }
  } finally {
    secret.fill(0);
  }
}
