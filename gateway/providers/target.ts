import type { Endpoint } from '../../actors/terms/endpoint.ts';
import { credentialHeaders } from '../outbound/credential-headers.ts';
import { type OutboundUrl, outboundUrl } from '../outbound/outbound.ts';
import type { Adapter, BodyWriter } from './adapter.ts';
import { chatAdapter } from './chat/adapter.ts';
import { embeddingsAdapter } from './embeddings/adapter.ts';
import { messagesAdapter } from './messages/adapter.ts';
import { ProviderFailure } from './provider-failure.ts';

const ADAPTERS: Readonly<{ [dialect in Endpoint['target']['dialect']]?: Adapter }> = {
  chat: chatAdapter,
  messages: messagesAdapter,
  embeddings: embeddingsAdapter,
};

/** How to call one endpoint: its address, its headers, its writer and its reader. */
export interface Target {
  readonly adapter: Adapter;
  readonly url: OutboundUrl;
  /** The headers of every call, for streams and for whole replies. Hold the operator's key: never logged. */
  readonly headers: { readonly stream: readonly string[]; readonly whole: readonly string[] };
  readonly write: BodyWriter;
  /** The endpoint answers with media: a line of its stream may hold a whole picture. */
  readonly drawsMedia: boolean;
}

/**
 * Prepares everything about an endpoint that does not depend on the request; once per endpoint. `apiKey` is null for a
 * provider without authentication. Throws `ProviderFailure` for an invalid address or dialect.
 */
export function targetOf(endpoint: Endpoint, apiKey: string | null): Target {
  const adapter = ADAPTERS[endpoint.target.dialect];
  if (adapter === undefined)
    throw new ProviderFailure('misconfigured', `endpoint ${endpoint.id} has an unknown dialect`);
  let url: OutboundUrl;
  try {
    url = outboundUrl(endpoint.target.baseUrl, adapter.path);
  } catch {
    throw new ProviderFailure('misconfigured', `endpoint ${endpoint.id} has an invalid address`);
  }
  const credentials = credentialHeaders(endpoint.target.dialect, apiKey);
  return {
    adapter,
    url,
    headers: { stream: headersOf('text/event-stream', credentials), whole: headersOf('application/json', credentials) },
    write: adapter.writer(endpoint),
    drawsMedia: endpoint.outputModalities.some((modality) => modality !== 'text'),
  };
}

function headersOf(accept: string, credentials: readonly string[]): readonly string[] {
  const standard = ['content-type', 'application/json', 'accept', accept, 'accept-encoding', 'identity'];
  return [...standard, 'user-agent', 'troupe', ...credentials];
}
