import type { Json } from '../../actors/runtime/index.ts';
import type { Endpoint } from '../../actors/terms/endpoint.ts';
import { architecture, endpointsOf } from './models.ts';
import {
  choosesTools,
  publicDescriptors,
  publicEnvelopes,
  publicInputs,
  publicQualification,
  publicReasoning,
  renderParameters,
  standingParameters,
} from './public-abilities.ts';
import { publicPricing } from './public-pricing.ts';
import { publicVideoGeneration } from './public-video.ts';

/** `data` of `GET /models/:author/:slug/endpoints`, by provider slug; null for a model without an endpoint. */
export function modelEndpoints(
  topic: ReadonlyMap<string, Json>,
  model: string,
): Readonly<Record<string, unknown>> | null {
  const endpoints = [...endpointsOf(topic, model)].sort(bySlug);
  const [first] = endpoints;
  if (!first) return null;
  return {
    id: first.model,
    name: first.modelName,
    created: first.created,
    description: first.description,
    architecture: architecture(first),
    endpoints: endpoints.map(endpointObject),
    benchmarks_note: 'No benchmark has been run for these endpoints.',
  };
}

function bySlug(a: Endpoint, b: Endpoint): number {
  if (a.provider.slug === b.provider.slug) return a.id < b.id ? -1 : 1;
  return a.provider.slug < b.provider.slug ? -1 : 1;
}

/** One endpoint as the catalogue shows it; snake_case as on the wire. (spec: catalogue, Model endpoint object) */
export function endpointObject(endpoint: Endpoint): Readonly<Record<string, unknown>> {
  const { provider, reasoning, evidence } = endpoint;
  const generation = publicVideoGeneration(endpoint);
  return {
    name: `${provider.name} | ${endpoint.model}`,
    model_id: endpoint.model,
    model_name: endpoint.modelName,
    provider_name: provider.name,
    provider_slug: provider.slug,
    provider_id: provider.id,
    tag: endpoint.tag,
    context_length: endpoint.contextLength,
    max_completion_tokens: endpoint.completionTokensMax,
    max_prompt_tokens: endpoint.promptTokensMax,
    quantization: endpoint.quantization,
    supported_parameters: standingParameters(endpoint),
    input_modalities: endpoint.inputModalities,
    declared_input_modalities: endpoint.inputModalities,
    capability_qualification: publicQualification(evidence),
    reference_inputs: publicInputs(endpoint),
    render_parameters: renderParameters(endpoint),
    passthrough_parameters: publicDescriptors(endpoint.passthrough),
    ...publicEnvelopes(endpoint.envelopes),
    ...(reasoning === null ? {} : { reasoning: publicReasoning(reasoning) }),
    ...(generation === undefined ? {} : { video_generation: generation }),
    refuted_reasoning_efforts: evidence.refutedEfforts,
    default_parameters: endpoint.defaultParameters,
    pricing: publicPricing(endpoint.tariff),
    supports_implicit_caching: endpoint.tariff.inputCacheRead !== undefined,
    supports_tool_choice: choosesTools(endpoint),
    supports_voice_cloning: false,
    health: endpoint.health,
    status: endpoint.health === 'healthy' ? 0 : -1,
    ...trustMembers(endpoint),
    ...measuredMembers(endpoint),
    tool_call_success_1d: evidence.toolCallSuccess1d,
    tool_call_success_1d_samples: evidence.toolCallSuccess1dSamples,
    ...UNMEASURED,
  };
}

/** A claim of zero retention is true once approved and null while under review. (spec: catalogue, `compliance`) */
function trustMembers({ compliance, dataPolicy, datacenters }: Endpoint): Readonly<Record<string, unknown>> {
  const zdr = { approved: true, denied: false, pending: null };
  return {
    compliance: compliance && {
      hipaa: compliance.hipaa,
      zdr: compliance.zdr && zdr[compliance.zdr],
      zdr_status: compliance.zdr,
    },
    data_policy: dataPolicy && { training: dataPolicy.training, retention_days: dataPolicy.retentionDays },
    datacenters:
      datacenters?.map(({ countryCode, region }) => ({
        country_code: countryCode,
        ...(region === undefined ? {} : { region }),
      })) ?? null,
  };
}

/** Three figures may be missing from a value that a node of an earlier build published; they are null then. */
function measuredMembers({ measured }: Endpoint): Readonly<Record<string, unknown>> {
  return {
    uptime_last_5m: measured.uptime5m,
    uptime_last_30m: measured.uptime30m,
    uptime_last_1d: measured.uptime1d,
    uptime_last_7d: measured.uptime7d ?? null,
    uptime_last_5m_samples: measured.uptime5mSamples,
    uptime_last_30m_samples: measured.uptime30mSamples,
    uptime_last_1d_samples: measured.uptime1dSamples,
    ttft_last_30m: measured.ttft30m,
    ttft_last_1d: measured.ttft1d,
    latency_last_30m: measured.ttft30m,
    latency_last_30m_samples: measured.ttft30mSamples,
    response_last_30m: measured.response30m ?? null,
    response_last_1d: measured.response1d ?? null,
    throughput_last_30m: measured.throughput30m,
    throughput_last_30m_samples: measured.throughput30mSamples,
    throughput_last_1d: measured.throughput1d,
    throughput_last_1d_samples: measured.throughput1dSamples,
  };
}

/** Members that are not measured yet: null, never a guess and never 0. */
const UNMEASURED: Readonly<Record<string, unknown>> = {
  perf_last_30m_by_workload: null,
  render_timing: null,
  render_timing_samples: null,
  render_timing_sizes: null,
  runaway_rate_1d: null,
  runaway_rate_1d_samples: null,
  benchmarks: [],
  capacity: null,
};
