import type { Json } from '../../actors/runtime/index.ts';
import type { Endpoint } from '../../actors/terms/endpoint.ts';
import { byPrice } from './by-price.ts';
import { publicReasoning, standingParameters } from './public-abilities.ts';
import { publicPricing } from './public-pricing.ts';

/** Public shape of one model; snake_case as on the wire. (spec: catalogue, Model summary) */
export type ModelSummary = Readonly<Record<string, unknown>> & { readonly id: string; readonly created: number };

interface Models {
  readonly list: readonly ModelSummary[];
  readonly byId: ReadonlyMap<string, ModelSummary>;
  readonly endpoints: ReadonlyMap<string, readonly Endpoint[]>;
}

const cache = new WeakMap<ReadonlyMap<string, Json>, Models>();

/** `data` of `GET /models`, newest first. `topic` is the board's topic `endpoints`. */
export function listModels(topic: ReadonlyMap<string, Json>): readonly ModelSummary[] {
  return modelsOf(topic).list;
}

/** `data` of `GET /models/:author/:slug`; null when no endpoint serves it. */
export function findModel(topic: ReadonlyMap<string, Json>, id: string): ModelSummary | null {
  return modelsOf(topic).byId.get(id) ?? null;
}

/** The ids of all models. */
export function modelIds(topic: ReadonlyMap<string, Json>): ReadonlyMap<string, unknown> {
  return modelsOf(topic).byId;
}

/** The bare object of `GET /models/<percent-encoded id>`, which SDKs request; null when no endpoint serves it. */
export function findBareModel(topic: ReadonlyMap<string, Json>, id: string): ModelSummary | null {
  const summary = findModel(topic, id);
  return summary && { ...summary, object: 'model', owned_by: summary.author };
}

/** The endpoints of one model, in no order. */
export function endpointsOf(topic: ReadonlyMap<string, Json>, model: string): readonly Endpoint[] {
  return modelsOf(topic).endpoints.get(model) ?? [];
}

/** True if the endpoint's claim of zero data retention was approved. (spec: catalogue, query parameter `zdr`) */
export function retainsNothing(endpoint: Endpoint): boolean {
  return endpoint.compliance?.zdr === 'approved';
}

export function architecture(endpoint: Endpoint): Readonly<Record<string, unknown>> {
  const { inputModalities, outputModalities, tokenizer } = endpoint;
  return {
    modality: `${inputModalities.join('+')}->${outputModalities.join('+')}`,
    input_modalities: inputModalities,
    output_modalities: outputModalities,
    tokenizer,
    instruct_type: null,
  };
}

/** Computed once per state of the board. */
function modelsOf(topic: ReadonlyMap<string, Json>): Models {
  const known = cache.get(topic);
  if (known) return known;
  const grouped = new Map<string, Endpoint[]>();
  for (const endpoint of topic.values() as unknown as Iterable<Endpoint>) {
    const others = grouped.get(endpoint.model);
    if (others) others.push(endpoint);
    else grouped.set(endpoint.model, [endpoint]);
  }
  const list = [...grouped.values()].map(summaryOf);
  list.sort((a, b) => b.created - a.created || (a.id < b.id ? -1 : 1));
  const models = { list, byId: new Map(list.map((summary) => [summary.id, summary])), endpoints: grouped };
  cache.set(topic, models);
  return models;
}

/** The cheapest endpoint supplies the members of the model. */
function summaryOf(endpoints: readonly Endpoint[]): ModelSummary {
  const chosen = [...endpoints].sort(byPrice)[0] as Endpoint;
  return {
    id: chosen.model,
    canonical_slug: chosen.model,
    model_hub_id: chosen.modelHubId ?? null,
    name: chosen.modelName,
    created: chosen.created,
    expiration_date: chosen.expiresOn ?? null,
    description: chosen.description,
    context_length: chosen.contextLength,
    architecture: architecture(chosen),
    pricing: publicPricing(chosen.tariff),
    top_provider: {
      context_length: chosen.contextLength,
      max_completion_tokens: chosen.completionTokensMax,
      is_moderated: false,
    },
    per_request_limits: null,
    supported_parameters: [...new Set(endpoints.flatMap(standingParameters))].sort(),
    ...(chosen.reasoning === null ? {} : { reasoning: publicReasoning(chosen.reasoning) }),
    default_parameters: chosen.defaultParameters,
    author: chosen.author,
    tags: [],
    endpoint_count: endpoints.length,
    links: { details: `/api/v1/models/${chosen.model}/endpoints` },
    supported_voices: voicesOf(endpoints),
    supported_dimensions: null,
    supported_languages: null,
  };
}

/** Null for a model without speech output. */
function voicesOf(endpoints: readonly Endpoint[]): readonly string[] | null {
  const speaking = endpoints.flatMap(({ envelopes }) => (envelopes.speech ? [envelopes.speech.voices] : []));
  return speaking.length === 0 ? null : [...new Set(speaking.flat())].sort();
}
