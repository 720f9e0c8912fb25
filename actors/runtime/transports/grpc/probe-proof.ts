import { createHmac, timingSafeEqual } from 'node:crypto';

const NONCE_DIGITS = 32;
const NONCE = /^[0-9a-f]{32}$/;

/** Proves the cluster secret to the port that is probed: 32 hex digits chosen by the caller, then their HMAC. */
export function probeProof(secret: string, nonce: string): string {
  const proof = createHmac('sha256', secret)
    .update(JSON.stringify(['probe', nonce]))
    .digest('hex');
  return nonce + proof;
}

export function provesProbe(secret: string, given: unknown): boolean {
  if (typeof given !== 'string') return false;
  const nonce = given.slice(0, NONCE_DIGITS);
  if (!NONCE.test(nonce)) return false;
  const [expected, shown] = [Buffer.from(probeProof(secret, nonce)), Buffer.from(given)];
  return shown.length === expected.length && timingSafeEqual(shown, expected);
}
