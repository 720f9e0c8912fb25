import { ENDPOINTS_TOPIC } from '../../../actors/endpoint/endpoint.ts';
import type { Cluster } from '../../../actors/runtime/index.ts';
import type { Endpoint, ProviderFacts } from '../../../actors/terms/endpoint.ts';
import { notFound } from '../../terms/gateway-error.ts';

type Board = Pick<Cluster, 'board'>;

/** The declared endpoints of a provider, by model. */
export function ownEndpoints({ board }: Board, { slug }: ProviderFacts): readonly Endpoint[] {
  const endpoints = [...board.topic(ENDPOINTS_TOPIC).values()] as unknown as readonly Endpoint[];
  return endpoints
    .filter(({ provider }) => provider.slug === slug)
    .sort((a, b) => (a.model === b.model ? Number(a.id > b.id) : a.model < b.model ? -1 : 1));
}

export const NO_SUCH_ENDPOINT = notFound('No such endpoint');

/** One of them. Throws 404, which is the same for the id of another provider's endpoint as for an unknown one. */
export function ownEndpoint({ board }: Board, { slug }: ProviderFacts, id: string): Endpoint {
  const endpoint = board.topic(ENDPOINTS_TOPIC).get(id) as unknown as Endpoint | undefined;
  if (endpoint?.provider.slug !== slug) throw NO_SUCH_ENDPOINT;
  return endpoint;
}
