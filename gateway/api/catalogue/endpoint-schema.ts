/** The schema of an endpoint object. Null: not measured, or too few samples. (rule C25) */
import { Type } from 'typebox';
import { described, listOf, objectOf, orNull } from '../../dialects/request/members.ts';
import { declared, flag, maybe, pricingSchema, reasoningSchema, text, texts, whole } from './schema-parts.ts';

const number = Type.Number();
const samples = orNull(Type.Integer({ description: 'Samples of the figure, published whether or not it is.' }));
const percent = orNull(Type.Number({ description: 'Percent.' }));
const percentiles = orNull(
  Type.Object({
    p50: described(number, 'Half of the samples are at most this; of throughput, at least this.'),
    p75: described(number, 'Three quarters of the samples are at most this; of throughput, at least this.'),
    p90: described(number, 'Nine of ten samples are at most this; of throughput, at least this.'),
    p99: described(number, '99 of 100 samples are at most this; of throughput, at least this.'),
  }),
);

const frame = {
  max_pixels: maybe(described(whole, 'Most pixels of one picture or frame.')),
  min_edge: maybe(described(whole, 'Shortest edge that is accepted, in pixels.')),
  max_edge: maybe(described(whole, 'Longest edge that is accepted, in pixels.')),
  grid: maybe(described(whole, 'Width and height must be multiples of this, in pixels.')),
};

export const benchmarkSchema = Type.Object({
  dataset: described(text, 'Name of the set of tasks.'),
  score: described(number, 'Share of the tasks that were solved, 0 to 1.'),
  sample_count: described(whole, 'Tasks that were run.'),
});

const speedRange = objectOf('Range of the speaking speed, 1 being usual.', {
  min: described(number, 'Lowest accepted value.'),
  max: described(number, 'Highest accepted value.'),
});

const envelopes = {
  image_envelope: orNull(
    Type.Object({
      resolutions: maybe(described(texts, 'Words that a request may send as `resolution`.')),
      aspect_ratios: maybe(described(texts, 'Ratios of width to height that are accepted, such as 16:9.')),
      sizes: maybe(described(texts, 'Sizes that are accepted, WIDTHxHEIGHT in pixels.')),
      formats: maybe(described(texts, 'Formats in which a picture can be sent.')),
      max_images: maybe(described(whole, 'Most pictures of one request.')),
      ...frame,
    }),
    'Declared limits of pictures; null for an endpoint that draws none.',
  ),
  video_envelope: orNull(
    Type.Object({
      frame: maybe(Type.Object(frame, { description: 'Declared limits of the frame.' })),
      max_seconds: maybe(described(number, 'Longest clip, seconds.')),
      fps: maybe(Type.Array(number, { description: 'Frame rates that are accepted, frames per second.' })),
      frame_step: maybe(described(whole, 'Widths and heights are multiples of this.')),
      audio: maybe(described(flag, 'Whether clips can have a sound track.')),
    }),
    'Declared limits of renders; null for an endpoint that renders none.',
  ),
  mesh_envelope: Type.Null({ description: 'Always null: no endpoint generates meshes.' }),
  speech_envelope: orNull(
    Type.Object({
      voices: described(texts, 'Voices that a request may name.'),
      codecs: described(texts, 'Audio formats that a request may name.'),
      speed: maybe(speedRange),
    }),
    'Declared limits of speech; null for an endpoint that does not speak.',
  ),
};

/** The measured figures, by name. */
export const measured = {
  health: Type.String({
    enum: ['healthy', 'degraded', 'down', 'unknown'],
    description: 'Judged on the newest 20 counted attempts; unknown without enough of them.',
  }),
  paused: maybe(
    Type.Literal(true, { description: 'Present while nothing is routed to the endpoint; its health is then down.' }),
  ),
  status: Type.Integer({ description: '0 while the endpoint is healthy, otherwise -1.' }),
  uptime_last_5m: described(
    percent,
    'Percent of the attempts of five minutes that succeeded; null for fewer than ten.',
  ),
  uptime_last_30m: described(percent, 'Percent of the attempts of 30 minutes that succeeded; null for fewer than ten.'),
  uptime_last_1d: described(percent, 'Percent of the attempts of a day that succeeded; null for fewer than ten.'),
  uptime_last_7d: described(percent, 'Percent of the attempts of a week that succeeded; null for fewer than ten.'),
  uptime_last_5m_samples: described(samples, 'Attempts behind `uptime_last_5m`.'),
  uptime_last_30m_samples: described(samples, 'Attempts behind `uptime_last_30m`.'),
  uptime_last_1d_samples: described(samples, 'Attempts behind `uptime_last_1d`.'),
  ttft_last_30m: described(percentiles, 'Seconds to the first token of streams, over 30 minutes.'),
  ttft_last_1d: described(percentiles, 'Seconds to the first token of streams, over a day.'),
  latency_last_30m: described(
    percentiles,
    'The same figure as `ttft_last_30m`, under the name that other marketplaces use.',
  ),
  latency_last_30m_samples: described(samples, 'Streams behind `latency_last_30m`.'),
  response_last_30m: described(percentiles, 'Seconds of whole answers, streamed or not, over 30 minutes.'),
  response_last_1d: described(percentiles, 'Seconds of whole answers, streamed or not, over a day.'),
  throughput_last_30m: described(percentiles, 'Completion tokens per second of streams, over 30 minutes.'),
  throughput_last_30m_samples: described(samples, 'Streams behind `throughput_last_30m`.'),
  throughput_last_1d: described(percentiles, 'Completion tokens per second of streams, over a day.'),
  throughput_last_1d_samples: described(samples, 'Streams behind `throughput_last_1d`.'),
  perf_last_30m_by_workload: Type.Null({ description: 'Always null: figures are not kept by kind of request.' }),
  render_timing: orNull(
    Type.Object({
      fixed_seconds: described(number, 'Seconds that a picture takes whatever its size.'),
      seconds_per_megapixel: described(number, 'Further seconds for each megapixel.'),
    }),
    'How long one picture takes, fitted to the newest 200 replies; null for too few.',
  ),
  render_timing_samples: described(samples, 'Replies behind `render_timing`.'),
  render_timing_sizes: described(samples, 'Distinct sizes behind `render_timing`.'),
  tool_call_success_1d: described(
    percent,
    'Percent of the demanded tool calls of a day that were made; null for fewer than 20.',
  ),
  tool_call_success_1d_samples: described(samples, 'Demanded tool calls behind `tool_call_success_1d`.'),
  runaway_rate_1d: described(
    percent,
    'Percent of the long replies of a day that ended in a repeated passage; null for fewer than 50.',
  ),
  runaway_rate_1d_samples: described(samples, 'Long replies behind `runaway_rate_1d`.'),
  benchmarks: Type.Array(benchmarkSchema, { description: 'Scores measured by this service.' }),
  capacity: orNull(
    Type.Object({
      current: described(whole, 'Requests that the endpoint serves now.'),
      total: described(whole, 'Requests that the endpoint can serve at once.'),
      updated_at: described(whole, 'When the slots were counted, Unix seconds.'),
    }),
    'Slots that the provider reported within the last minute; null without a report.',
  ),
};

const trust = {
  compliance: orNull(
    Type.Object({
      hipaa: orNull(flag, 'Whether HIPAA is claimed; null: not declared.'),
      zdr: orNull(flag, 'Whether zero data retention is claimed; null: not declared.'),
      zdr_status: orNull(
        Type.String({ enum: ['pending', 'approved', 'denied'] }),
        'What the operator decided about that claim; null without one.',
      ),
    }),
    'What the provider claims; null where it claims nothing.',
  ),
  data_policy: orNull(
    Type.Object({
      training: described(flag, 'Whether prompts are used to train.'),
      retention_days: orNull(whole, 'Days for which prompts are kept; null where unknown.'),
    }),
    'What the provider does with prompts, as it declares; null where it does not.',
  ),
  datacenters: orNull(
    Type.Array(
      Type.Object({
        country_code: described(text, 'Country of the datacenter, two letters.'),
        region: maybe(described(text, "Region within that country, in the provider's word.")),
      }),
    ),
    'Where requests are served; null: not declared.',
  ),
};

const videoGeneration = Type.Object({
  type: Type.String({
    enum: ['synchronous', 'asynchronous'],
    description: 'synchronous: the clip comes with the call. asynchronous: as a job that is polled.',
  }),
  generate_audio: objectOf('What the endpoint declares about the sound track of a clip.', {
    supported_values: maybe(Type.Array(flag, { description: 'Settings of `generate_audio` that are accepted.' })),
    default: maybe(described(flag, 'Setting that applies where a request has none.')),
  }),
  adapters: maybe(
    listOf('Adapters of the model that a render may name.', {
      id: described(text, 'Names the adapter in a render request.'),
      revision: described(text, "Revision of the adapter's weights."),
      included: described(flag, 'Whether the plain price covers the adapter.'),
      strength: objectOf("Range in which the adapter's strength may be set.", {
        min: described(number, 'Lowest accepted value.'),
        max: described(number, 'Highest accepted value.'),
      }),
      combines_with: maybe(described(texts, 'Ids of the adapters that may be named together with this one.')),
      requires_role: maybe(described(text, 'Role that a reference needs so that the adapter may be named.')),
    }),
  ),
});

const inputs = Type.Object(
  {
    video: maybe(
      objectOf('Which videos are accepted as references; absent for none.', {
        sources: maybe(described(texts, 'How the input may be sent: `url`, `data`.')),
        formats: maybe(orNull(texts, 'Media formats that are accepted; null for any.')),
        roles: maybe(described(declared, 'What a reference may be used for, by role.')),
        control_sets: maybe(Type.Array(texts, { description: 'Sets of references that may be combined.' })),
        max_items: maybe(described(whole, 'Most references of this kind in one request.')),
      }),
    ),
    speech: maybe(
      Type.Object(
        {
          sources: maybe(described(texts, 'How the input may be sent: `url`, `data`.')),
          formats: orNull(texts, 'Media formats that are accepted; null for any.'),
          max_items: maybe(described(whole, 'Most references of this kind in one request.')),
        },
        { description: 'Clips of a voice to imitate.' },
      ),
    ),
  },
  {
    additionalProperties: Type.Object({
      sources: described(texts, 'How the input may be sent: `url`, `data`.'),
      formats: orNull(texts, 'Media formats that are accepted; null for any.'),
    }),
  },
);

export const endpointSchema = Type.Object({
  name: described(text, 'Name of the endpoint, for people.'),
  model_id: described(text, 'Id of the served model, `author/slug`.'),
  model_name: described(text, 'Name of the served model, for people.'),
  provider_name: described(text, 'Name of the serving company, for people.'),
  provider_slug: described(text, 'Slug of the provider, as preferences name it.'),
  provider_id: described(text, 'Id of the provider, stable over renames.'),
  tag: described(
    text,
    "Names this endpoint in `provider` preferences: the provider's slug, with the quantization where several exist.",
  ),
  context_length: described(whole, 'Tokens that prompt and answer may have together.'),
  max_completion_tokens: orNull(whole, 'Most tokens of one answer; null: not declared.'),
  max_prompt_tokens: orNull(whole, 'Most tokens of one prompt; null: not declared.'),
  quantization: orNull(text, 'Number format of the weights, as declared; null: not declared.'),
  supported_parameters: described(texts, 'Names of request parameters that at least one live endpoint honours.'),
  input_modalities: described(texts, 'Kinds of content that a prompt may hold, less those that a check refuted.'),
  declared_input_modalities: described(texts, 'Kinds of content that the provider declares, checked or not.'),
  capability_qualification: listOf('Newest check of each declared ability.', {
    capability: described(text, 'The ability that was checked, such as tool calls or a kind of input.'),
    verdict: described(text, 'passed or failed.'),
    observed_at: described(whole, 'When the verdict was found, Unix seconds.'),
    expires_at: described(whole, 'Until when the verdict counts, Unix seconds.'),
    probe_version: maybe(described(whole, 'Which version of the check found the verdict.')),
  }),
  reference_inputs: described(inputs, 'Which references a request may carry, by kind of content.'),
  render_parameters: described(declared, 'Declared parameters of renders with their values.'),
  passthrough_parameters: described(declared, 'Parameters that are sent on unchanged, with what each accepts.'),
  ...envelopes,
  reasoning: maybe(described(reasoningSchema, 'Which reasoning the endpoint offers; absent without any.')),
  video_generation: maybe(
    described(videoGeneration, 'How the endpoint renders clips; absent for one that renders none.'),
  ),
  refuted_reasoning_efforts: described(texts, 'Declared levels of `reasoning_effort` that a check refuted.'),
  default_parameters: described(declared, 'Sampling values that are sent where a request sets none.'),
  pricing: described(pricingSchema, 'What each unit costs, USD as exact decimal text.'),
  supports_implicit_caching: described(flag, 'Whether prompt prefixes are cached without being marked.'),
  supports_tool_choice: described(flag, 'Whether `tool_choice` is honoured.'),
  supports_voice_cloning: described(flag, 'Whether a recording may set the voice.'),
  ...measured,
  ...trust,
});
