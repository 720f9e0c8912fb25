import { createHmac, hkdfSync } from 'node:crypto';
import type { SecretVersion, SigningRecord } from '../../../actors/webhook/signing.machine.ts';

const BYTES = 32;

/**
 * The signing secret of one version: `whsec_` and 64 hex digits, derived from the pepper, so that it is the same on
 * every node and lies in no database. A new pepper changes every secret. (rule V42)
 */
export function signingSecret(pepper: Uint8Array, account: string, { version, mintedAt }: SecretVersion): string {
  const info = `troupe webhook signing ${account} ${version} ${mintedAt}`;
  return `whsec_${Buffer.from(hkdfSync('sha256', pepper, '', info, BYTES)).toString('hex')}`;
}

/** The secrets that sign at this time: the current one, and the previous one during the overlap of a rotation. */
export function secretsAt(
  pepper: Uint8Array,
  account: string,
  { signing: { current, previous }, now }: { readonly signing: SigningRecord; readonly now: number },
): readonly string[] {
  const versions = previous !== null && now < previous.validUntil ? [current, previous] : [current];
  return versions.map((version) => signingSecret(pepper, account, version));
}

/**
 * The value of `Gateway-Signature`: `t=<Unix seconds>,v1=<hex>`, with one `v1` for each secret; each is the HMAC-SHA256
 * of `<t>.<body>` with the secret's whole text as the key. (rule V42)
 */
export function signatureOf(body: string, secrets: readonly string[], atMs: number): string {
  const seconds = Math.floor(atMs / 1_000);
  const signed = secrets.map((secret) => createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex'));
  return [`t=${seconds}`, ...signed.map((hex) => `v1=${hex}`)].join(',');
}
