import type { KeyStore } from '../ports/key-store.ts';
import { aead } from './aead.ts';
import type { Place } from './place.ts';
import { rechunk } from './rechunk.ts';
import { SealBroken } from './seal-broken.ts';
import { sealHead } from './seal-head.ts';
import { segment } from './segment.ts';
import { withLast } from './with-last.ts';

/**
 * What `sealStream` sealed for this place, piece by piece; each piece has proved itself before it comes, and the stream
 * ends without an error only when nothing of it is missing. Throws SealBroken, KeyDestroyed or KeyStoreUnreachable.
 */
export async function* openStream(
  keys: KeyStore,
  place: Place,
  sealed: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const bytes = sealed[Symbol.asyncIterator]();
  try {
    const { head, rest } = await splitHead(bytes);
    const secret = await sealHead.open('stream', keys, place, head);
    try {
      let position = 0;
      for await (const { piece, last } of withLast(rechunk(remaining(rest, bytes), segment.sealedBytes))) {
        const plain = aead.open(secret, piece, segment.bound(place, position++, last));
        if (plain.length > 0) yield plain;
      }
    } finally {
      secret.fill(0);
    }
  } finally {
    await bytes.return?.();
  }
}

/** The head, whole, and what came with it. */
async function splitHead(bytes: AsyncIterator<Uint8Array>): Promise<{ head: Uint8Array; rest: Uint8Array }> {
  let gathered = Buffer.alloc(0);
  while (gathered.length < sealHead.bytes) {
    const { done, value } = await bytes.next();
    if (done) throw new SealBroken('it is cut short');
    gathered = Buffer.concat([gathered, value]);
  }
  return { head: gathered.subarray(0, sealHead.bytes), rest: gathered.subarray(sealHead.bytes) };
}

async function* remaining(rest: Uint8Array, bytes: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield rest;
  for (let next = await bytes.next(); !next.done; next = await bytes.next()) yield next.value;
}
