/**
 * Ids, addresses and stored digests of what a person holds for a while: sessions, invitations, and codes of a browser
 * approval. The secret itself exists only in the person's browser or message.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Random } from '../runtime/index.ts';

const SECRET_BYTES = 32;

/** 64 hex digits: 256 random bits. */
export function oneTimeSecret(random: Random): string {
  return Buffer.from(random.bytes(SECRET_BYTES)).toString('hex');
}

type OneTimeKind = 'session' | 'invitation' | 'code';

/** What is stored of a secret: 64 hex digits of an HMAC under the pepper, never equal for two kinds. */
export function secretDigest(pepper: Uint8Array, kind: OneTimeKind, secret: string): string {
  const digest = createHash('sha256').update(secret).digest();
  return createHmac('sha256', pepper).update(`troupe ${kind} `).update(digest).digest('hex');
}

/**
 * The text of the code of an approval, 43 characters: derived from its address, so that a repeated approval answers with
 * the same code and no store contains it.
 */
export function codeText(pepper: Uint8Array, address: string): string {
  return createHmac('sha256', pepper).update(`troupe code text ${address}`).digest('base64url');
}

/** The S256 challenge of a verifier. (rule K25) */
export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

/** Compares texts in a time that tells nothing but their lengths. */
export function isSameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

export function sessionAddress(account: string, random: Random): string {
  return `session:${account}/ses_${localId(random)}`;
}

export function invitationAddress(account: string, random: Random): string {
  return `invitation:${account}/inv_${localId(random)}`;
}

/** `grant` is the natural id of the approval: 32 hex digits. */
export function issuanceCodeAddress(account: string, grant: string): string {
  return `issuance-code:${account}/code_${grant}`;
}

/** 32 hex digits: 128 random bits. */
export function localId(random: Random): string {
  return Buffer.from(random.bytes(16)).toString('hex');
}
