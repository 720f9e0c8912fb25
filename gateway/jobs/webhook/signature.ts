import { createHmac } from 'node:crypto';

/**
 * The value of `Gateway-Signature`: `t=<Unix seconds>,v1=<hex>`, with one `v1` for each secret; each is the HMAC-SHA256
 * of `<t>.<body>` with the secret's whole text as the key. (spec: catalogue, Events 1)
 */
export function signatureOf(body: string, secrets: readonly string[], atMs: number): string {
  const seconds = Math.floor(atMs / 1_000);
  const signed = secrets.map((secret) => createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex'));
  return [`t=${seconds}`, ...signed.map((hex) => `v1=${hex}`)].join(',');
}
