/**
 * One AES-256-GCM encryption as one byte string: nonce, ciphertext, tag. Every nonce is 96 fresh random bits, and no
 * secret encrypts more than 2^32 times (rule B50): an hour's key only wraps secrets, and each secret encrypts one value
 * or blob.
 */
import { type CipherKey, createCipheriv, createDecipheriv } from 'node:crypto';
import type { Random } from '../ports/clock.ts';
import { freeBytes } from './free-bytes.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export const aead = { addedBytes: NONCE_BYTES + TAG_BYTES, close, closeInto, open };

function close(secret: CipherKey, plain: Uint8Array, bound: Uint8Array, random: Random): Buffer {
  const closed = Buffer.alloc(plain.length + aead.addedBytes);
  closeInto(closed, secret, plain, bound, random);
  return closed;
}

/** The same into the beginning of `target`; returns the number of bytes written. */
function closeInto(
  target: Uint8Array,
  secret: CipherKey,
  plain: Uint8Array,
  bound: Uint8Array,
  random: Random,
): number {
  const nonce = random.bytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, secret, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(bound);
  const body = cipher.update(plain);
  cipher.final();
  target.set(nonce, 0);
  target.set(body, NONCE_BYTES);
  target.set(cipher.getAuthTag(), NONCE_BYTES + plain.length);
  freeBytes(body);
  return plain.length + aead.addedBytes;
}

/** @throws SealBroken unless secret, bytes and associated data are exactly those of `close`. */
function open(secret: CipherKey, closed: Uint8Array, bound: Uint8Array): Buffer {
  if (closed.length < aead.addedBytes) throw new SealBroken('it is truncated');
  const decipher = createDecipheriv(CIPHER, secret, closed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(bound);
  decipher.setAuthTag(closed.subarray(closed.length - TAG_BYTES));
  const plain = decipher.update(closed.subarray(NONCE_BYTES, closed.length - TAG_BYTES));
  try {
    decipher.final();
  } catch {
    plain.fill(0);
    throw new SealBroken('it was changed, or it is bound to another place');
  }
  return plain;
}

/** A sealed value was changed, truncated, reordered or moved from another place. No part of it is used. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken';
  constructor(fault: string) {
    super(`a sealed value does not open: ${fault}`);
  }
}
