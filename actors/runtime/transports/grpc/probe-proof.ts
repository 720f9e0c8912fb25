import { createHmac, timingSafeEqual } from 'node:crypto';

const NONCE = /^[0-9a-f]{32}$/;

/** Proves the cluster secret to the port that is probed. */
export function probeProof(secret: string, nonce: string): string {
  return createHmac('sha256', secret)
    .update(JSON.stringify(['probe', nonce]))
    .digest('hex');
}

export function provesProbe(secret: string, { nonce, proof }: { nonce?: unknown; proof?: unknown }): boolean {
  if (typeof nonce !== 'string' || !NONCE.test(nonce) || typeof proof !== 'string') return false;
  const expected = Buffer.from(probeProof(secret, nonce));
  const given = Buffer.from(proof);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
