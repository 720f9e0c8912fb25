import { createHash } from 'node:crypto';
import { declareEndpoint, ENDPOINTS_TOPIC, withdrawEndpoint } from '../../actors/endpoint/endpoint.ts';
import { declareProvider, PROVIDERS_TOPIC, reportReading, withdrawProvider } from '../../actors/provider/provider.ts';
import { AskError, type Cluster } from '../../actors/runtime/index.ts';
import type { EndpointDeclaration } from '../../actors/terms/declaration.ts';
import type { Endpoint } from '../../actors/terms/endpoint.ts';
import type { ProviderDeclaration } from '../terms/provider-declaration.ts';
import { providerFacts } from './endpoint-declaration.ts';
import { BrokenDocument } from './models-document.ts';
import { parseDocument, type ReadParts, readDocument } from './read-document.ts';

export interface DeclareParts extends ReadParts {
  readonly cluster: Cluster;
  readonly providers: readonly ProviderDeclaration[];
}

/** What came of one provider's document: for the log and the operator. */
export interface Declared {
  readonly provider: string;
  /** Ids of the endpoints it declares; none where the document is broken. */
  readonly endpoints: readonly string[];
  /** Endpoints that were made, changed or withdrawn. */
  readonly changes: number;
  /** Why the document cannot be used; what was declared last stays. Null: it can. */
  readonly problem: string | null;
  /** Of the text that was declared; null for one in the config, and for a broken one. */
  readonly digest: string | null;
}

/**
 * Tells the provider and endpoint actors what the config declares, and withdraws what it declares no more. Every node
 * may do so at any time: the same declaration twice changes nothing. A provider whose document is broken or out of
 * reach keeps what it declared last. Throws where an actor cannot be reached.
 */
export async function declare(parts: DeclareParts): Promise<readonly Declared[]> {
  const declared: Declared[] = [];
  for (const provider of parts.providers) {
    const one = await declareOne(parts, provider);
    if (one) declared.push(one);
  }
  await withdrawForeign(parts);
  return declared;
}

/**
 * One provider of them. What came of it is told to the provider's actor, for operators. Null, with nothing done, where
 * the text is the one of `known`.
 */
export async function declareOne(
  parts: DeclareParts,
  provider: ProviderDeclaration,
  known: string | null = null,
): Promise<Declared | null> {
  const declared = await declareDocument(parts, provider, known);
  if (declared === null) return null;
  const reading = { problem: declared.problem, endpoints: declared.endpoints.length };
  try {
    await reportReading(parts.cluster, provider.slug, reading, parts.upstream.askMs);
  } catch (error) {
    // Told again with the next reading; a node of an older build does not know the word.
    if (!(error instanceof AskError)) throw error;
  }
  return declared;
}

async function declareDocument(
  parts: DeclareParts,
  provider: ProviderDeclaration,
  known: string | null,
): Promise<Declared | null> {
  try {
    const text = await readDocument(parts, provider);
    const digest = text === null ? null : createHash('sha256').update(text).digest('hex');
    if (digest !== null && digest === known) return null;
    const counted = await declareEndpoints(parts, provider, await parseDocument(provider, text));
    return { provider: provider.slug, ...counted, problem: null, digest };
  } catch (error) {
    if (!(error instanceof BrokenDocument)) throw error;
    return { provider: provider.slug, endpoints: [], changes: 0, problem: error.message, digest: null };
  }
}

async function declareEndpoints(
  parts: DeclareParts,
  provider: ProviderDeclaration,
  declared: readonly EndpointDeclaration[],
): Promise<Pick<Declared, 'endpoints' | 'changes'>> {
  const { cluster, upstream } = parts;
  await declareProvider(cluster, providerFacts(provider, declared), upstream.askMs);
  let changes = 0;
  for (const declaration of declared) if (await declareEndpoint(cluster, declaration, upstream.askMs)) changes++;
  const endpoints = declared.map(({ id }) => id);
  const kept = new Set(endpoints);
  const { slug } = provider;
  changes += await withdrawEndpoints(parts, (endpoint) => endpoint.provider.slug === slug && !kept.has(endpoint.id));
  return { endpoints, changes };
}

/** Providers that the config does not name any more. */
async function withdrawForeign(parts: DeclareParts): Promise<void> {
  const slugs = new Set(parts.providers.map(({ slug }) => slug));
  await withdrawEndpoints(parts, (endpoint) => !slugs.has(endpoint.provider.slug));
  for (const slug of [...parts.cluster.board.topic(PROVIDERS_TOPIC).keys()]) {
    if (!slugs.has(slug)) await withdrawProvider(parts.cluster, slug, parts.upstream.askMs);
  }
}

async function withdrawEndpoints(parts: DeclareParts, gone: (endpoint: Endpoint) => boolean): Promise<number> {
  const endpoints = [...parts.cluster.board.topic(ENDPOINTS_TOPIC).values()] as unknown as Endpoint[];
  const foreign = endpoints.filter(gone);
  for (const endpoint of foreign) await withdrawEndpoint(parts.cluster, endpoint.id, parts.upstream.askMs);
  return foreign.length;
}
