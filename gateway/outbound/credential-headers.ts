import type { Endpoint } from '../../actors/terms/endpoint.ts';

/** The version of the messages dialect that the house speaks. */
const MESSAGES_VERSION = '2023-06-01';

/**
 * What tells a provider who calls: alternating names and values, as the dialect it speaks has them. `apiKey` null: it
 * asks for none. Never logged.
 */
export function credentialHeaders(dialect: Endpoint['target']['dialect'], apiKey: string | null): readonly string[] {
  if (dialect === 'messages') {
    const version = ['anthropic-version', MESSAGES_VERSION];
    return apiKey === null ? version : [...version, 'x-api-key', apiKey];
  }
  return apiKey === null ? [] : ['authorization', `Bearer ${apiKey}`];
}
