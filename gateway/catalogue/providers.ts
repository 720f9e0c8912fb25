import type { Json } from '../../actors/runtime/index.ts';
import type { Endpoint, ProviderFacts } from '../../actors/terms/endpoint.ts';

/**
 * `data` of `GET /providers`: the declared providers by name. `providers` and `endpoints` are topics of the board. (rule C9)
 */
export function listProviders(
  providers: ReadonlyMap<string, Json>,
  endpoints: ReadonlyMap<string, Json>,
): readonly Readonly<Record<string, unknown>>[] {
  const served = new Map<string, Set<string>>();
  for (const { provider, model } of endpoints.values() as unknown as Iterable<Endpoint>) {
    const models = served.get(provider.slug);
    if (models) models.add(model);
    else served.set(provider.slug, new Set([model]));
  }
  const declared = [...providers.values()] as unknown as ProviderFacts[];
  return declared.sort(byName).map((facts) => ({
    id: facts.id,
    name: facts.name,
    slug: facts.slug,
    privacy_policy_url: facts.privacyPolicyUrl,
    terms_of_service_url: facts.termsOfServiceUrl,
    status_page_url: facts.statusPageUrl,
    website: facts.website,
    headquarters: facts.headquarters,
    datacenters: facts.datacenters,
    model_count: served.get(facts.slug)?.size ?? 0,
  }));
}

function byName(a: ProviderFacts, b: ProviderFacts): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return a.slug < b.slug ? -1 : 1;
}
