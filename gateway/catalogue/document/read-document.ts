import type { EndpointDeclaration } from '../../../actors/terms/endpoint.ts';
import { keyHeaders } from '../../outbound/credentials.ts';
import { type Outbound, outboundUrl } from '../../outbound/outbound.ts';
import type { UpstreamLimits } from '../../terms/config/config.ts';
import type { ProviderDeclaration, ProviderKeys } from '../../terms/provider-declaration.ts';
import { DOCUMENT_BYTES_MAX, readDocumentFile } from './document-file.ts';
import type { ModelsDocument } from './document-schema.ts';
import { endpointDeclarations } from './endpoint-declaration.ts';
import { BrokenDocument, modelsWarnings, parseModelsText, parseModelsValue } from './models-document.ts';
import { wireOf } from './wire-of.ts';

export interface ReadParts {
  readonly outbound: Outbound;
  readonly upstream: UpstreamLimits;
  /** Provider slug to its API key, which is sent to fetch a document from the provider's own origin. */
  readonly keys: ProviderKeys;
}

const ADDRESS = /^https?:\/\//;

/**
 * The text of a provider's models document, from the file or address in the config; null for a document in the config
 * itself. Throws `BrokenDocument`, whose message names the file or address.
 */
export async function readDocument(parts: ReadParts, provider: ProviderDeclaration): Promise<string | null> {
  const { models } = provider;
  if (typeof models !== 'string') return null;
  return placed(models, () => (ADDRESS.test(models) ? fetchText(parts, provider, models) : readDocumentFile(models)));
}

/** The declarations of that text. Throws `BrokenDocument`, which also names the line and the member. */
export async function parseDocument(
  provider: ProviderDeclaration,
  text: string | null,
): Promise<readonly EndpointDeclaration[]> {
  const declared = (document: ModelsDocument): readonly EndpointDeclaration[] =>
    endpointDeclarations(provider, document);
  if (text === null) return parseModelsValue(provider.models, declared);
  return placed(String(provider.models), async () => parseModelsText(text, declared));
}

/** What is probably a mistake in that text, a valid document. */
export function warningsOf(provider: ProviderDeclaration, text: string | null): readonly string[] {
  if (text !== null) return modelsWarnings(text).map((warning) => `${String(provider.models)}: ${warning}`);
  return typeof provider.models === 'string' ? [] : modelsWarnings(provider.models as object);
}

async function placed<T>(place: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const faults =
      error instanceof BrokenDocument ? error.faults : [error instanceof Error ? error.message : String(error)];
    throw new BrokenDocument(faults.map((fault) => `${place}: ${fault}`));
  }
}

async function fetchText(
  { outbound, upstream, keys }: ReadParts,
  provider: ProviderDeclaration,
  address: string,
): Promise<string> {
  const { search } = new URL(address);
  const { origin, path } = outboundUrl(address, search);
  const key = origin === new URL(provider.baseUrl).origin ? keys.get(provider.slug) : undefined;
  const headers = ['accept', 'application/json', 'accept-encoding', 'identity', 'user-agent', 'troupe'];
  headers.push(...keyHeaders(wireOf(provider, {}, [])?.credential ?? 'bearer', key ?? null));
  const reply = await outbound.send({
    method: 'GET',
    url: { origin, path },
    headers,
    body: null,
    limits: {
      connectMs: upstream.connectMs,
      firstByteMs: upstream.firstByteMs,
      idleMs: upstream.idleMs,
      totalMs: upstream.firstByteMs,
      bodyBytesMax: DOCUMENT_BYTES_MAX,
    },
  });
  if (reply.status !== 200) {
    reply.body.abort();
    throw new Error(`answered ${reply.status}`);
  }
  return reply.body.text();
}
