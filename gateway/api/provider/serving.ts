import type { Cluster } from '../../../actors/runtime/index.ts';
import type { AttemptCounts, Endpoint, ProviderFacts } from '../../../actors/terms/endpoint.ts';
import { capacity, uptime } from '../../catalogue/measured.ts';
import { publicPricing } from '../../catalogue/public-pricing.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/write-answer.ts';
import { ownEndpoints } from './own-endpoints.ts';

/** `GET /provider`: the provider that the key's account belongs to, as the catalogue lists it. */
export function showProvider(provider: ProviderFacts, board: Pick<Cluster, 'board'>): RouteAnswer {
  const endpoints = ownEndpoints(board, provider);
  const models = new Set(endpoints.map(({ model }) => model));
  return jsonAnswer(
    JSON.stringify({ data: providerObject(provider, { endpoints: endpoints.length, models: models.size }) }),
  );
}

function providerObject(facts: ProviderFacts, count: { readonly endpoints: number; readonly models: number }): object {
  const { id, slug, name, website, statusPageUrl, headquarters, datacenters } = facts;
  return {
    object: 'provider',
    id,
    slug,
    name,
    website,
    privacy_policy_url: facts.privacyPolicyUrl,
    terms_of_service_url: facts.termsOfServiceUrl,
    status_page_url: statusPageUrl,
    headquarters,
    datacenters,
    model_count: count.models,
    endpoint_count: count.endpoints,
  };
}

/** `GET /provider/serving`: each endpoint with its state, its charged prices and what it served in the last day. */
export function listServing(provider: ProviderFacts, cluster: Pick<Cluster, 'board' | 'now'>): RouteAnswer {
  const endpoints = ownEndpoints(cluster, provider);
  const data = endpoints.map((endpoint) => servingObject(endpoint, cluster.now()));
  return jsonAnswer(JSON.stringify({ data }));
}

function servingObject(endpoint: Endpoint, now: number): object {
  const { id, model, modelName, tag, health, evidence, tariff, measured } = endpoint;
  const served = measured.counts1d ?? NOTHING_SERVED;
  return {
    endpoint_id: id,
    model_id: model,
    model_name: modelName,
    tag,
    status: health === 'healthy' ? 0 : -1,
    health,
    pricing: publicPricing(tariff),
    withheld_parameters: evidence.withheld,
    refuted_input_modalities: evidence.refutedInputs ?? [],
    refuted_reasoning_efforts: evidence.refutedEfforts,
    uptime_last_1d: uptime(endpoint, '1d').value,
    requests_1d: served.success + served.error,
    tokens_1d: served.tokens,
    capacity: capacity(endpoint, now),
  };
}

const NOTHING_SERVED: AttemptCounts = { success: 0, error: 0, tokens: 0, causes: {} };
