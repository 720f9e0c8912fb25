/** The schema of an endpoint object. Null: not measured, or too few samples. (rule C25) */
import { Type } from 'typebox';
import { declared, flag, maybe, orNull, pricingSchema, reasoningSchema, text, texts, whole } from './schema-parts.ts';

const number = Type.Number();
const samples = orNull(Type.Integer({ description: 'Samples of the figure, published whether or not it is.' }));
const percent = orNull(Type.Number({ description: 'Percent.' }));
const percentiles = orNull(Type.Object({ p50: number, p75: number, p90: number, p99: number }));

const frame = {
  max_pixels: maybe(whole),
  min_edge: maybe(whole),
  max_edge: maybe(whole),
  grid: maybe(whole),
};

export const benchmarkSchema = Type.Object({ dataset: text, score: number, sample_count: whole });

const envelopes = {
  image_envelope: orNull(
    Type.Object({
      resolutions: maybe(texts),
      aspect_ratios: maybe(texts),
      sizes: maybe(texts),
      formats: maybe(texts),
      max_images: maybe(whole),
      ...frame,
    }),
  ),
  video_envelope: orNull(
    Type.Object({
      frame: maybe(Type.Object(frame)),
      max_seconds: maybe(number),
      fps: maybe(Type.Array(number)),
      frame_step: maybe(whole),
      audio: maybe(flag),
    }),
  ),
  mesh_envelope: Type.Null(),
  speech_envelope: orNull(
    Type.Object({ voices: texts, codecs: texts, speed: maybe(Type.Object({ min: number, max: number })) }),
  ),
};

/** The measured figures, by name. */
export const measured = {
  health: Type.String({ enum: ['healthy', 'degraded', 'down', 'unknown'] }),
  paused: maybe(Type.Literal(true, { description: 'Present while nothing is routed to it; its health is then down.' })),
  status: Type.Integer({ description: '0 when healthy, -1 otherwise.' }),
  uptime_last_5m: percent,
  uptime_last_30m: percent,
  uptime_last_1d: percent,
  uptime_last_7d: percent,
  uptime_last_5m_samples: samples,
  uptime_last_30m_samples: samples,
  uptime_last_1d_samples: samples,
  ttft_last_30m: percentiles,
  ttft_last_1d: percentiles,
  latency_last_30m: percentiles,
  latency_last_30m_samples: samples,
  response_last_30m: percentiles,
  response_last_1d: percentiles,
  throughput_last_30m: percentiles,
  throughput_last_30m_samples: samples,
  throughput_last_1d: percentiles,
  throughput_last_1d_samples: samples,
  perf_last_30m_by_workload: Type.Null(),
  render_timing: orNull(Type.Object({ fixed_seconds: number, seconds_per_megapixel: number })),
  render_timing_samples: samples,
  render_timing_sizes: samples,
  tool_call_success_1d: percent,
  tool_call_success_1d_samples: samples,
  runaway_rate_1d: percent,
  runaway_rate_1d_samples: samples,
  benchmarks: Type.Array(benchmarkSchema),
  capacity: orNull(Type.Object({ current: whole, total: whole, updated_at: whole })),
};

const trust = {
  compliance: orNull(
    Type.Object({
      hipaa: orNull(flag),
      zdr: orNull(flag),
      zdr_status: orNull(Type.String({ enum: ['pending', 'approved', 'denied'] })),
    }),
  ),
  data_policy: orNull(Type.Object({ training: flag, retention_days: orNull(whole) })),
  datacenters: orNull(Type.Array(Type.Object({ country_code: text, region: maybe(text) }))),
};

const videoGeneration = Type.Object({
  type: Type.String({ enum: ['synchronous', 'asynchronous'] }),
  generate_audio: Type.Object({ supported_values: maybe(Type.Array(flag)), default: maybe(flag) }),
  adapters: maybe(
    Type.Array(
      Type.Object({
        id: text,
        revision: text,
        included: flag,
        strength: Type.Object({ min: number, max: number }),
        combines_with: maybe(texts),
        requires_role: maybe(text),
      }),
    ),
  ),
});

const inputs = Type.Object(
  {
    video: maybe(
      Type.Object({
        sources: maybe(texts),
        formats: maybe(orNull(texts)),
        roles: maybe(declared),
        control_sets: maybe(Type.Array(texts)),
        max_items: maybe(whole),
      }),
    ),
    speech: maybe(
      Type.Object(
        { sources: maybe(texts), formats: orNull(texts), max_items: maybe(whole) },
        { description: 'Clips of a voice to imitate.' },
      ),
    ),
  },
  { additionalProperties: Type.Object({ sources: texts, formats: orNull(texts) }) },
);

export const endpointSchema = Type.Object({
  name: text,
  model_id: text,
  model_name: text,
  provider_name: text,
  provider_slug: text,
  provider_id: text,
  tag: text,
  context_length: whole,
  max_completion_tokens: orNull(whole),
  max_prompt_tokens: orNull(whole),
  quantization: orNull(text),
  supported_parameters: texts,
  input_modalities: texts,
  declared_input_modalities: texts,
  capability_qualification: Type.Array(
    Type.Object({
      capability: text,
      verdict: text,
      observed_at: whole,
      expires_at: whole,
      probe_version: maybe(whole),
    }),
  ),
  reference_inputs: inputs,
  render_parameters: declared,
  passthrough_parameters: declared,
  ...envelopes,
  reasoning: maybe(reasoningSchema),
  video_generation: maybe(videoGeneration),
  refuted_reasoning_efforts: texts,
  default_parameters: declared,
  pricing: pricingSchema,
  supports_implicit_caching: flag,
  supports_tool_choice: flag,
  supports_voice_cloning: flag,
  ...measured,
  ...trust,
});
