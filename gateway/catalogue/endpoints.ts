import type { Endpoint } from '../../actors/terms/endpoint.ts';
import {
  benchmarks,
  capacity,
  qualifiedInputs,
  renderTiming,
  responseTime,
  runawayRate,
  throughput,
  timeToFirstToken,
  toolCallSuccess,
  uptime,
} from './measured.ts';
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

/** One endpoint as the catalogue shows it; snake_case as on the wire. (rule C25) */
export function endpointObject(endpoint: Endpoint, now: number): Readonly<Record<string, unknown>> {
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
    input_modalities: qualifiedInputs(endpoint),
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
    supports_voice_cloning: endpoint.envelopes.speech?.clones === true,
    health: endpoint.health,
    ...(endpoint.paused === undefined ? {} : { paused: true }),
    status: endpoint.health === 'healthy' ? 0 : -1,
    ...trustMembers(endpoint),
    ...measuredMembers(endpoint, now),
  };
}

/** A claim of zero retention is true once approved and null while under review. (rule C12) */
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

/** Every measured figure of an endpoint, under its published name. */
export function measuredMembers(endpoint: Endpoint, now: number): Readonly<Record<string, unknown>> {
  const tools = toolCallSuccess(endpoint);
  const runaway = runawayRate(endpoint);
  const render = renderTiming(endpoint);
  return {
    ...uptimeMembers(endpoint),
    ...timingMembers(endpoint),
    perf_last_30m_by_workload: null,
    render_timing: render.value,
    render_timing_samples: render.samples,
    render_timing_sizes: render.sizes,
    tool_call_success_1d: tools.value,
    tool_call_success_1d_samples: tools.samples,
    runaway_rate_1d: runaway.value,
    runaway_rate_1d_samples: runaway.samples,
    benchmarks: benchmarks(endpoint),
    capacity: capacity(endpoint, now),
  };
}

function uptimeMembers(endpoint: Endpoint): Readonly<Record<string, unknown>> {
  const [minutes5, minutes30, day] = [uptime(endpoint, '5m'), uptime(endpoint, '30m'), uptime(endpoint, '1d')];
  return {
    uptime_last_5m: minutes5.value,
    uptime_last_30m: minutes30.value,
    uptime_last_1d: day.value,
    uptime_last_7d: uptime(endpoint, '7d').value,
    uptime_last_5m_samples: minutes5.samples,
    uptime_last_30m_samples: minutes30.samples,
    uptime_last_1d_samples: day.samples,
  };
}

function timingMembers(endpoint: Endpoint): Readonly<Record<string, unknown>> {
  const ttft = timeToFirstToken(endpoint, '30m');
  const [minutes30, day] = [throughput(endpoint, '30m'), throughput(endpoint, '1d')];
  return {
    ttft_last_30m: ttft.value,
    ttft_last_1d: timeToFirstToken(endpoint, '1d').value,
    latency_last_30m: ttft.value,
    latency_last_30m_samples: ttft.samples,
    response_last_30m: responseTime(endpoint, '30m'),
    response_last_1d: responseTime(endpoint, '1d'),
    throughput_last_30m: minutes30.value,
    throughput_last_30m_samples: minutes30.samples,
    throughput_last_1d: day.value,
    throughput_last_1d_samples: day.samples,
  };
}
