import { createHash } from 'node:crypto';
import { declareEndpoint, ENDPOINTS_TOPIC, withdrawEndpoint } from '../../../actors/endpoint/endpoint.ts';
import {
  declareProvider,
  PROVIDERS_TOPIC,
  reportReading,
  withdrawProvider,
} from '../../../actors/provider/provider.ts';
import { AskError, type Cluster } from '../../../actors/runtime/index.ts';
import type { Endpoint, EndpointDeclaration } from '../../../actors/terms/endpoint.ts';
import type { ProviderDeclaration } from '../../terms/provider-declaration.ts';
import { providerFacts } from '../document/endpoint-declaration.ts';
import { BrokenDocument } from '../document/models-document.ts';
import { parseDocument, type ReadParts, readDocument, warningsOf } from '../document/read-document.ts';
import { priceChanges } from './price-changes.ts';

export interface DeclareParts extends ReadParts {
  readonly cluster: Cluster;
  readonly providers: readonly ProviderDeclaration[];
}

/**
 * Endpoints of a provider that are declared at a time: a member owns shards and does not serve until all are, and on a
 * busy machine an ask takes 300 ms.
 */
const DECLARED_AT_ONCE_MAX = 8;

/** Called as the declaration proceeds: endpoints declared so far, and in all. */
export type ReportDeclared = (declared: number, total: number) => void;

/** The result of declaring one provider's document, for the log and the operator. */
export interface Declared {
  readonly provider: string;
  /** Ids of the endpoints it declares; none for an invalid document. */
  readonly endpoints: readonly string[];
  /** Endpoints that were created, changed or withdrawn. */
  readonly changes: number;
  /** Why the document is invalid; the previous declaration stays. Null for a valid document. */
  readonly problem: string | null;
  /** Every fault of an invalid document. */
  readonly faults: readonly string[];
  /** What is probably a mistake in a valid document, such as a price that changes by more than ten times. */
  readonly warnings: readonly string[];
  /** SHA-256 of the declared text; null for a document in the config and for an invalid one. */
  readonly digest: string | null;
}

/**
 * Sends the provider and endpoint actors what the config declares, and withdraws what it no longer declares. Any node
 * may call it at any time: repeating a declaration changes nothing. A provider whose document is invalid or
 * unreachable keeps its previous declaration. Throws if an actor cannot be reached.
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
 * Declares one provider and reports the result to the provider's actor, for operators. Returns null and does nothing if
 * the digest of the text equals `known`.
 */
export async function declareOne(
  parts: DeclareParts,
  provider: ProviderDeclaration,
  known: string | null = null,
  progress: ReportDeclared = () => {},
): Promise<Declared | null> {
  const declared = await declareDocument(parts, provider, { known, progress });
  if (declared === null) return null;
  const reading = { problem: declared.problem, endpoints: declared.endpoints.length };
  try {
    await reportReading(parts.cluster, provider.slug, reading, parts.upstream.askMs);
  } catch (error) {
    // The next reading reports again.
    if (!(error instanceof AskError)) throw error;
  }
  return declared;
}

async function declareDocument(
  parts: DeclareParts,
  provider: ProviderDeclaration,
  { known, progress }: { readonly known: string | null; readonly progress: ReportDeclared },
): Promise<Declared | null> {
  try {
    const text = await readDocument(parts, provider);
    const digest = text === null ? null : createHash('sha256').update(text).digest('hex');
    if (digest !== null && digest === known) return null;
    const declarations = await parseDocument(provider, text);
    const listed = [...parts.cluster.board.topic(ENDPOINTS_TOPIC).values()] as unknown as Endpoint[];
    const warnings = [...warningsOf(provider, text), ...priceChanges(listed, declarations)];
    const counted = await declareEndpoints(parts, provider, declarations, progress);
    return { provider: provider.slug, ...counted, problem: null, faults: [], warnings, digest };
  } catch (error) {
    if (!(error instanceof BrokenDocument)) throw error;
    const { message: problem, faults } = error;
    return { provider: provider.slug, endpoints: [], changes: 0, problem, faults, warnings: [], digest: null };
  }
}

async function declareEndpoints(
  parts: DeclareParts,
  provider: ProviderDeclaration,
  declared: readonly EndpointDeclaration[],
  progress: ReportDeclared,
): Promise<Pick<Declared, 'endpoints' | 'changes'>> {
  const { cluster, upstream } = parts;
  await declareProvider(cluster, providerFacts(provider, declared), upstream.askMs);
  let [begun, done, changes] = [0, 0, 0];
  const lane = async (): Promise<void> => {
    for (let next = declared[begun++]; next; next = declared[begun++]) {
      if (await declareEndpoint(cluster, next, upstream.askMs)) changes++;
      done++;
      if (done < declared.length) progress(done, declared.length);
    }
  };
  if (declared.length > 0) progress(0, declared.length);
  await Promise.all(Array.from({ length: DECLARED_AT_ONCE_MAX }, lane)).finally(() => {
    // After a failure the other lanes begin no more.
    begun = declared.length;
  });
  const endpoints = declared.map(({ id }) => id);
  const kept = new Set(endpoints);
  const { slug } = provider;
  changes += await withdrawEndpoints(parts, (endpoint) => endpoint.provider.slug === slug && !kept.has(endpoint.id));
  return { endpoints, changes };
}

/** Withdraws providers that the config no longer names. */
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
