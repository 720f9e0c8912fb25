import {
  ANY_PICTURE,
  ANYWHERE,
  BOOLEAN,
  type Declared,
  EFFORT,
  INLINE,
  integer,
  makes,
  model,
  oneOf,
  PDF,
  parameters,
  perToken,
  price,
  RECORDINGS,
  range,
  reads,
  SAMPLING,
  TOOLS,
  TOP_K,
  takes,
  writes,
} from './declare.ts';

/** Models that one simulator alone has: thinking, pictures, speech, prices that change, and the messages dialect. */
const MESSAGES = 'max_tokens temperature top_p stop tools tool_choice parallel_tool_calls';
const EFFORTS = oneOf(['xhigh', 'high', 'medium', 'low', 'minimal', 'none'], 'medium');
const BY_MAX_TOKENS = { ceiling_parameter: 'max_tokens' };

/** `reasoning` with a budget in tokens, on or off unless asked, and its levels. */
function reasoning(min: number, max: number, enabled: boolean, effort?: Declared): Declared {
  const levels = effort === undefined ? {} : { effort };
  const properties = { ...levels, max_tokens: integer({ min, max }), enabled: { ...BOOLEAN, default: enabled } };
  return { type: 'object', properties };
}

const THINKS = {
  name: 'Sim Thinker',
  description: 'Thinks as hard as it is told, in structured details; not at all with effort none.',
};

export const THINKER = model(
  { ...THINKS, id: 'sim/thinker', more: { ceiling_parameter: 'max_completion_tokens' } },
  [reads(131_072, perToken({ prompt: '0.0000011' }))],
  [
    writes(
      16_384,
      parameters(TOOLS, { reasoning: reasoning(16, 8_192, true, EFFORTS), reasoning_effort: EFFORTS }),
      perToken({ completion: '0.0000044', internal_reasoning: '0.0000044' }),
    ),
  ],
);

export const THINKER_OF_MESSAGES = model(
  { ...THINKS, id: 'thinker-d', more: { slug: 'sim/thinker', ...BY_MAX_TOKENS } },
  [reads(131_072, perToken({ prompt: '0.0000013' }))],
  [
    writes(
      16_384,
      parameters(`${MESSAGES} reasoning_effort`, { top_k: TOP_K, reasoning: reasoning(1_024, 8_192, true, EFFORT) }),
      perToken({ completion: '0.000005' }),
    ),
  ],
);

export const SCRIBE = model(
  {
    id: 'scribe-2026',
    name: 'Sim Scribe',
    description: 'Speaks the messages dialect by nature: tools, pictures, thinking, a prompt cache.',
    more: { slug: 'sim/scribe', ...BY_MAX_TOKENS },
  },
  [
    reads(200_000, [
      ...perToken({ prompt: '0.000003', cached_prompt: '0.0000003', cache_write: '0.00000375' }),
      price('cache_write', 'token', '0.000006', { ttl_seconds: 3_600 }),
    ]),
    takes('image', ANYWHERE, ANY_PICTURE),
    takes('file', ANYWHERE, PDF),
  ],
  [
    writes(
      16_384,
      parameters(MESSAGES, { top_k: TOP_K, reasoning: reasoning(1_024, 32_000, false) }),
      perToken({ completion: '0.000015' }),
    ),
  ],
);

export const PAINTER = model(
  {
    id: 'sim/painter',
    name: 'Sim Painter',
    description: 'Draws the picture it is asked for, in the size it is asked for.',
    more: BY_MAX_TOKENS,
  },
  [reads(32_768, perToken({ prompt: '0.0000003' })), takes('image', ANYWHERE, ANY_PICTURE)],
  [
    writes(4_096, parameters(SAMPLING), perToken({ completion: '0.0000025' })),
    {
      ...makes(
        'image',
        parameters('output_format seed', {
          n: integer({ min: 1, max: 4 }),
          resolution: oneOf(['1K', '2K']),
          aspect_ratio: oneOf(['1:1', '16:9', '9:16', '4:3']),
          size: oneOf(['64x64', '256x256', '512x512', '1024x1024', '1280x720']),
          background: oneOf(['opaque', 'transparent']),
        }),
        [price('completion', 'megapixel', '0.02')],
      ),
      passthrough_parameters: { guidance: range(1, 20, { step: 0.5 }), style: oneOf(['flat', 'noise']) },
    },
  ],
);

export const SPEAKER = model(
  {
    id: 'sim/speaker',
    name: 'Sim Speaker',
    description: 'Says its answer aloud, and listens to recordings.',
    more: BY_MAX_TOKENS,
  },
  [reads(32_768, perToken({ prompt: '0.0000006' })), takes('audio', INLINE, RECORDINGS)],
  [
    writes(4_096, parameters(SAMPLING), perToken({ completion: '0.0000024' })),
    makes('audio', { voice: oneOf(['alto', 'bass', 'tenor']), format: oneOf(['wav', 'pcm16']) }, [
      price('completion', 'second', '0.00015'),
    ]),
  ],
);

/** A price of prompts of at least this many tokens. */
const from = (gte: number, cost_usd: string): Declared => ({ when: { prompt_tokens: { gte } }, cost_usd });
const NIGHT = { utc_start: 2_200, utc_end: 600 };

export const TIERED = model(
  {
    id: 'sim/tiered',
    name: 'Sim Tiered',
    description: 'Costs more for long prompts and less at night, with a discount on all of it.',
    more: {
      discount_to_user: 0.1,
      quantization: 'fp8',
      default_parameters: { temperature: 0.7, top_p: 0.95 },
      tokenizer: 'Llama3',
      ...BY_MAX_TOKENS,
    },
  },
  [
    reads(1_000_000, [
      price('prompt', 'token', '0.000001', { overrides: [from(1_001, '0.000002'), from(100_001, '0.000004')] }),
      price('prompt', 'token', '0.0000005', NIGHT),
      ...perToken({ cached_prompt: '0.0000001', cache_write: '0.00000125' }),
      price('cache_write', 'token', '0.000002', { ttl_seconds: 3_600 }),
    ]),
  ],
  [
    writes(8_192, parameters(TOOLS), [
      price('completion', 'token', '0.000004', { overrides: [from(1_001, '0.000006')] }),
      price('completion', 'token', '0.000002', { ...NIGHT, utc_days: ['saturday', 'sunday'] }),
    ]),
  ],
);
