import { declareEndpoint, ENDPOINTS_TOPIC, withdrawEndpoint } from '../../actors/endpoint/endpoint.ts';
import { declareProvider, PROVIDERS_TOPIC, reportReading, withdrawProvider } from '../../actors/provider/provider.ts';
import { AskError, type Cluster } from '../../actors/runtime/index.ts';
import type { EndpointOffer } from '../../actors/terms/offer.ts';
import type { ProviderDeclaration } from '../terms/provider-declaration.ts';
import { providerFacts } from './endpoint-declaration.ts';
import { BrokenDocument } from './models-document.ts';
import { type ReadParts, readDocument } from './read-document.ts';

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
}

/**
 * Tells the provider and endpoint actors what the config declares, and withdraws what it declares no more. Every node
 * may do so at any time: the same declaration twice changes nothing. A provider whose document is broken or out of
 * reach keeps what it declared last. Throws where an actor cannot be reached.
 */
export async function declare(parts: DeclareParts): Promise<readonly Declared[]> {
  const declared: Declared[] = [];
  for (const provider of parts.providers) declared.push(await declareOne(parts, provider));
  await withdrawForeign(parts);
  return declared;
}

/** One provider of them. What came of it is told to the provider's actor, for operators. */
export async function declareOne(parts: DeclareParts, provider: ProviderDeclaration): Promise<Declared> {
  const declared = await declareDocument(parts, provider);
  const reading = { problem: declared.problem, endpoints: declared.endpoints.length };
  try {
    await reportReading(parts.cluster, provider.slug, reading, parts.upstream.askMs);
  } catch (error) {
    // Told again with the next reading; a node of an older build does not know the word.
    if (!(error instanceof AskError)) throw error;
  }
  return declared;
}

async function declareDocument(parts: DeclareParts, provider: ProviderDeclaration): Promise<Declared> {
  const { cluster, upstream } = parts;
  const { slug } = provider;
  const read = await readDocument(parts, provider).catch(brokenOrThrow);
  if (read instanceof BrokenDocument) return { provider: slug, endpoints: [], changes: 0, problem: read.message };
  await declareProvider(cluster, providerFacts(provider, read), upstream.askMs);
  let changes = 0;
  for (const declaration of read) if (await declareEndpoint(cluster, declaration, upstream.askMs)) changes++;
  const endpoints = read.map(({ id }) => id);
  const kept = new Set(endpoints);
  changes += await withdrawEndpoints(parts, (offer) => offer.provider.slug === slug && !kept.has(offer.id));
  return { provider: slug, endpoints, changes, problem: null };
}

function brokenOrThrow(error: unknown): BrokenDocument {
  if (error instanceof BrokenDocument) return error;
  throw error;
}

/** Providers that the config does not name any more. */
async function withdrawForeign(parts: DeclareParts): Promise<void> {
  const slugs = new Set(parts.providers.map(({ slug }) => slug));
  await withdrawEndpoints(parts, (offer) => !slugs.has(offer.provider.slug));
  for (const slug of [...parts.cluster.board.topic(PROVIDERS_TOPIC).keys()]) {
    if (!slugs.has(slug)) await withdrawProvider(parts.cluster, slug, parts.upstream.askMs);
  }
}

async function withdrawEndpoints(parts: DeclareParts, gone: (offer: EndpointOffer) => boolean): Promise<number> {
  const offers = [...parts.cluster.board.topic(ENDPOINTS_TOPIC).values()] as unknown as EndpointOffer[];
  const foreign = offers.filter(gone);
  for (const offer of foreign) await withdrawEndpoint(parts.cluster, offer.id, parts.upstream.askMs);
  return foreign.length;
}
