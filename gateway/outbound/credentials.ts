import type { Clock } from '../../actors/runtime/index.ts';
import type { OutboundCall } from './outbound.ts';

/**
 * What authenticates calls to a provider, in alternating header names and values: the same for every call, or made for
 * one call (its signature, a token that ends). Never logged.
 */
export type Credentials = readonly string[] | ((call: UnsignedCall) => Promise<readonly string[]>);

/** A call as far as its signature depends on it. */
interface UnsignedCall extends Pick<OutboundCall, 'method' | 'url' | 'headers' | 'body'> {
  readonly clock: Clock;
}

/** A provider's key as most of them take it; nothing for a provider without authentication. */
export function bearer(apiKey: string | null): readonly string[] {
  return apiKey === null ? [] : ['authorization', `Bearer ${apiKey}`];
}

/** The headers of a call, with what authenticates it where that is made for each call. */
export async function signedHeaders(credentials: Credentials, call: UnsignedCall): Promise<readonly string[]> {
  return call.headers.concat(typeof credentials === 'function' ? await credentials(call) : credentials);
}
