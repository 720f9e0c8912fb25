import type { Endpoint } from '../../actors/terms/endpoint.ts';
import { publicReasoning, standingParameters } from './public-abilities.ts';
import { publicPricing } from './public-pricing.ts';

/** Public shape of one model; snake_case as on the wire. (rule C2) */
export type ModelSummary = Readonly<Record<string, unknown>> & { readonly id: string; readonly created: number };

/**
 * The summary of a model from its endpoints, cheapest first, at least one. The first supplies the members about
 * serving; a fact about the model itself comes from the first endpoint that declares it.
 */
export function summaryOf(endpoints: readonly Endpoint[]): ModelSummary {
  const chosen = endpoints[0] as Endpoint;
  return {
    id: chosen.model,
    canonical_slug: chosen.model,
    ...factMembers(endpoints),
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
    endpoint_count: endpoints.length,
    links: { details: `/api/v1/models/${chosen.model}/endpoints` },
    supported_voices: voicesOf(endpoints),
    supported_dimensions: endpoints.find(({ dimensions }) => dimensions !== undefined)?.dimensions ?? null,
    supported_languages: endpoints.find(({ languages }) => languages !== undefined)?.languages ?? null,
  };
}

/** (rule C3) */
function architecture(endpoint: Endpoint): Readonly<Record<string, unknown>> {
  const { inputModalities, outputModalities, tokenizer } = endpoint;
  return {
    modality: `${inputModalities.join('+')}->${outputModalities.join('+')}`,
    input_modalities: inputModalities,
    output_modalities: outputModalities,
    tokenizer,
    instruct_type: null,
  };
}

/** An undeclared family and a repository without a reading are absent; of several readings, the newest. */
function factMembers(endpoints: readonly Endpoint[]): Readonly<Record<string, unknown>> {
  const hubId = endpoints.find(({ modelHubId }) => modelHubId !== undefined)?.modelHubId;
  const readings = endpoints.flatMap(({ modelHub }) => (modelHub?.id === hubId && modelHub ? [modelHub] : []));
  const [hub] = readings.sort((a, b) => Number(b.read_at) - Number(a.read_at));
  const family = endpoints.find((each) => each.family !== undefined)?.family;
  return {
    model_hub_id: hubId ?? null,
    ...(hub === undefined ? {} : { model_hub: hub }),
    ...(family === undefined ? {} : { family: { id: family.id, name: family.name } }),
    tags: [...new Set(endpoints.flatMap(({ tags = [] }) => tags))].sort(),
  };
}

/** Null for a model without speech output. */
function voicesOf(endpoints: readonly Endpoint[]): readonly string[] | null {
  const speaking = endpoints.flatMap(({ envelopes }) => (envelopes.speech ? [envelopes.speech.voices] : []));
  return speaking.length === 0 ? null : [...new Set(speaking.flat())].sort();
}
