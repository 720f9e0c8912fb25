import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { declareEndpoint, ENDPOINTS_TOPIC, withdrawEndpoint } from '../../actors/endpoint/endpoint.ts';
import { declareProvider, PROVIDERS_TOPIC, withdrawProvider } from '../../actors/provider/provider.ts';
import type { Cluster } from '../../actors/runtime/index.ts';
import type { EndpointOffer } from '../../actors/terms/offer.ts';
import { type Outbound, outboundUrl } from '../outbound/outbound.ts';
import type { UpstreamLimits } from '../terms/config.ts';
import type { ModelsDocument, ProviderDeclaration } from '../terms/provider-declaration.ts';
import { endpointDeclaration, providerFacts } from './endpoint-declaration.ts';
import { checkModelsDocument, parseModelsDocument } from './models-document.ts';

export interface DeclareParts {
  readonly cluster: Cluster;
  readonly outbound: Outbound;
  readonly upstream: UpstreamLimits;
  readonly providers: readonly ProviderDeclaration[];
  /** Folder that relative file paths start from: the config file's. */
  readonly folder: string;
}

/** A provider whose models could not be declared, and why: for the log and the operator. */
export interface DeclareProblem {
  readonly provider: string;
  readonly message: string;
}

/**
 * Tells the provider and endpoint actors what the config declares, and withdraws what it declares no more. Every node
 * may do so at any time: the same declaration twice changes nothing. A provider whose document is broken or out of
 * reach keeps what it declared last, and is named among the problems.
 */
export async function declare(parts: DeclareParts): Promise<readonly DeclareProblem[]> {
  const problems: DeclareProblem[] = [];
  for (const provider of parts.providers) {
    try {
      await declareOne(parts, provider);
    } catch (error) {
      problems.push({ provider: provider.slug, message: error instanceof Error ? error.message : String(error) });
    }
  }
  await withdrawForeign(parts);
  return problems;
}

async function declareOne(parts: DeclareParts, provider: ProviderDeclaration): Promise<void> {
  const { cluster, upstream } = parts;
  const document = await loadDocument(parts, provider);
  await declareProvider(cluster, providerFacts(provider), upstream.askMs);
  const declared = document.models.map((model) => endpointDeclaration(provider, model));
  for (const declaration of declared) await declareEndpoint(cluster, declaration, upstream.askMs);
  const kept = new Set(declared.map(({ id }) => id));
  await withdrawEndpoints(parts, (offer) => offer.provider.slug === provider.slug && !kept.has(offer.id));
}

/** Providers that the config does not name any more. */
async function withdrawForeign(parts: DeclareParts): Promise<void> {
  const slugs = new Set(parts.providers.map(({ slug }) => slug));
  await withdrawEndpoints(parts, (offer) => !slugs.has(offer.provider.slug));
  for (const slug of [...parts.cluster.board.topic(PROVIDERS_TOPIC).keys()]) {
    if (!slugs.has(slug)) await withdrawProvider(parts.cluster, slug, parts.upstream.askMs);
  }
}

async function withdrawEndpoints(parts: DeclareParts, gone: (offer: EndpointOffer) => boolean): Promise<void> {
  const offers = [...parts.cluster.board.topic(ENDPOINTS_TOPIC).values()] as unknown as EndpointOffer[];
  for (const offer of offers.filter(gone)) await withdrawEndpoint(parts.cluster, offer.id, parts.upstream.askMs);
}

/** The document itself, a URL, or a file. Errors name where it was looked for. */
async function loadDocument(parts: DeclareParts, { models }: ProviderDeclaration): Promise<ModelsDocument> {
  if (typeof models !== 'string') return checkModelsDocument(models);
  try {
    return parseModelsDocument(
      /^https?:\/\//.test(models) ? await fetchText(parts, models) : await readText(parts, models),
    );
  } catch (error) {
    throw new Error(`${models}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function readText({ folder }: DeclareParts, path: string): Promise<string> {
  return readFile(resolve(folder, path), 'utf8');
}

async function fetchText({ outbound, upstream }: DeclareParts, address: string): Promise<string> {
  const { search } = new URL(address);
  const { origin, path } = outboundUrl(address, search);
  const reply = await outbound.send({
    method: 'GET',
    url: { origin, path },
    headers: ['accept', 'application/json', 'accept-encoding', 'identity', 'user-agent', 'troupe'],
    body: null,
    limits: {
      connectMs: upstream.connectMs,
      firstByteMs: upstream.firstByteMs,
      idleMs: upstream.idleMs,
      totalMs: upstream.firstByteMs,
      bodyBytesMax: upstream.bodyBytesMax,
    },
  });
  if (reply.status !== 200) {
    reply.body.abort();
    throw new Error(`answered ${reply.status}`);
  }
  return reply.body.text();
}
