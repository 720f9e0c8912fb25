import type { Endpoint } from '../../actors/terms/endpoint.ts';

/** The version of the messages dialect that Troupe speaks. */
const MESSAGES_VERSION = '2023-06-01';

/**
 * The headers that authenticate a call to a provider: alternating names and values, in the provider's dialect.
 * `apiKey` is null for a provider without authentication. Never logged.
 */
export function credentialHeaders(dialect: Endpoint['target']['dialect'], apiKey: string | null): readonly string[] {
  if (dialect === 'messages') {
    const version = ['anthropic-version', MESSAGES_VERSION];
    return apiKey === null ? version : [...version, 'x-api-key', apiKey];
  }
  return apiKey === null ? [] : ['authorization', `Bearer ${apiKey}`];
}
