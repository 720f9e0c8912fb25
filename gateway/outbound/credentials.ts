import type { Clock } from '../../actors/runtime/index.ts';
import type { CredentialForm } from '../../actors/terms/wire.ts';
import type { Outbound, OutboundCall } from './outbound.ts';

/**
 * What authenticates calls to a provider, in alternating header names and values: the same for every call, or made for
 * one call (its signature, a token that ends). Never logged.
 */
export type Credentials = readonly string[] | ((call: UnsignedCall) => Promise<readonly string[]>);

/** A call as far as its signature depends on it. */
interface UnsignedCall extends Pick<OutboundCall, 'method' | 'url' | 'headers' | 'body'> {
  readonly clock: Clock;
  /** Where the call will be sent: an exchange for a token goes the same way. */
  readonly outbound: Pick<Outbound, 'send'>;
}

/** The forms of a key that are the same for every call. */
const KEY_HEADERS = {
  bearer: (key: string) => ['authorization', `Bearer ${key}`],
  'api-key': (key: string) => ['api-key', key],
  'x-api-key': (key: string) => ['x-api-key', key],
  'x-goog-api-key': (key: string) => ['x-goog-api-key', key],
  none: () => [],
};
export type KeyForm = keyof typeof KEY_HEADERS;

/** A secret that only signs: an access key of Amazon, or a key file. */
const SIGNING = /^(?:\{|A[A-Z0-9]{15,127}:)/;

/**
 * A provider's key in one of these forms; nothing for a provider without a key, and for a form that signs each call. A
 * secret that only signs is never sent, whatever form a models document names.
 */
export function keyHeaders(form: CredentialForm, apiKey: string | null): readonly string[] {
  if (apiKey === null || !Object.hasOwn(KEY_HEADERS, form) || SIGNING.test(apiKey)) return [];
  return KEY_HEADERS[form as KeyForm](apiKey);
}

/** The headers of a call, with what authenticates it where that is made for each call. */
export async function signedHeaders(credentials: Credentials, call: UnsignedCall): Promise<readonly string[]> {
  return call.headers.concat(typeof credentials === 'function' ? await credentials(call) : credentials);
}
