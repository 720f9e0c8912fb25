import {
  ANY_PICTURE,
  ANYWHERE,
  BOOLEAN,
  type Declared,
  EFFORT,
  INLINE,
  model,
  type Named,
  oneOf,
  PDF,
  parameters,
  perToken,
  price,
  RECORDINGS,
  reads,
  SAMPLING,
  TOOLS,
  TOP_K,
  takes,
  writes,
} from './declare.ts';
import { PAINTER, SCRIBE, SPEAKER, THINKER, THINKER_OF_MESSAGES, TIERED } from './sim-abilities.ts';
import { CLIP_MODELS } from './sim-clips.ts';

/** The models of the simulators themselves: each shows one ability or one fault of a provider. */

/** What a provider says of all its models. */
const TERMS: Readonly<Record<string, Declared>> = {
  'sim-a': {
    cancellable: true,
    data_policy: { training: false, retention_days: 30 },
    datacenters: [{ country_code: 'DE' }],
  },
  'sim-b': {
    cancellable: false,
    data_policy: { training: true },
    datacenters: [{ country_code: 'US', region: 'us-east' }],
  },
  'sim-c': {
    cancellable: true,
    compliance: { zdr: true, hipaa: true },
    data_policy: { training: false, retention_days: 0 },
    datacenters: [{ country_code: 'CH' }, { country_code: 'DE' }],
  },
  'sim-d': {
    cancellable: true,
    compliance: { zdr: true },
    data_policy: { training: false, retention_days: 7 },
    datacenters: [{ country_code: 'FR' }],
  },
  'sim-v': {
    cancellable: true,
    compliance: { zdr: true },
    data_policy: { training: false, retention_days: 0 },
    datacenters: [{ country_code: 'NL' }],
  },
};

/** A model of `sim-a` and `sim-b`, which differ in their prices: of a prompt token, of an answer's, of a request. */
interface Plain extends Named {
  readonly context: number;
  readonly length: number;
  readonly parameters: Declared;
  readonly prices: Readonly<Record<'sim-a' | 'sim-b', readonly [prompt: string, completion: string, request?: string]>>;
}

const PLAIN: readonly Plain[] = [
  {
    id: 'sim/echo',
    name: 'Sim Echo',
    created: 1749900000,
    description: 'Answers with the last message of the user, word by word.',
    context: 131_072,
    length: 4_096,
    parameters: parameters(SAMPLING.replace(' response_format', '')),
    prices: { 'sim-a': ['0.0000001', '0.0000002'], 'sim-b': ['0.00000011', '0.00000022'] },
  },
  {
    id: 'sim/fast',
    name: 'Sim Fast',
    created: 1750000000,
    description: 'Answers at once with sixteen numbered words.',
    context: 131_072,
    length: 16_384,
    parameters: parameters(TOOLS),
    prices: { 'sim-a': ['0.0000005', '0.0000015'], 'sim-b': ['0.00000055', '0.0000017'] },
  },
  {
    id: 'sim/slow',
    name: 'Sim Slow',
    created: 1750000000,
    description: 'Thinks for 200 ms, then speaks twenty words a second.',
    context: 131_072,
    length: 16_384,
    parameters: parameters(TOOLS),
    prices: { 'sim-a': ['0.000001', '0.000004', '0.0001'], 'sim-b': ['0.0000012', '0.0000045', '0.00012'] },
  },
  {
    id: 'sim/tools',
    name: 'Sim Tools',
    created: 1750000000,
    description: 'Calls the first tool it is offered.',
    context: 65_536,
    length: 8_192,
    parameters: parameters(TOOLS),
    prices: { 'sim-a': ['0.00000125', '0.000005'], 'sim-b': ['0.0000013', '0.0000053'] },
  },
  {
    id: 'sim/no-usage',
    name: 'Sim Silent',
    created: 1750000000,
    description: 'Never reports what it used.',
    context: 32_768,
    length: 4_096,
    parameters: parameters(SAMPLING),
    prices: { 'sim-a': ['0.0000002', '0.0000006'], 'sim-b': ['0.00000022', '0.00000066'] },
  },
  {
    id: 'sim/reasoner',
    name: 'Sim Reasoner',
    created: 1750000000,
    description: 'Thinks aloud before it answers.',
    context: 131_072,
    length: 32_768,
    parameters: parameters(TOOLS, { reasoning: { type: 'object', properties: { effort: EFFORT } } }),
    // More digits than any float holds.
    prices: {
      'sim-a': ['0.000002', '0.000008'],
      'sim-b': ['0.0000001234567890123456789', '0.0000087654321098765432101'],
    },
  },
  {
    id: 'sim/flaky',
    name: 'Sim Flaky',
    created: 1750000000,
    description: 'Fails every second call.',
    context: 65_536,
    length: 8_192,
    parameters: parameters(TOOLS),
    prices: { 'sim-a': ['0.0000001', '0.0000003'], 'sim-b': ['0.00000013', '0.00000035'] },
  },
  {
    id: 'sim/small',
    name: 'Sim Small',
    created: 1750000000,
    description: 'A window of two thousand tokens.',
    context: 2_048,
    length: 512,
    parameters: parameters(SAMPLING),
    prices: { 'sim-a': ['0.00000005', '0.0000001', '0.00005'], 'sim-b': ['0.00000006', '0.00000012', '0.00005'] },
  },
];

const STRUCTURED: Named = {
  id: 'sim/structured',
  name: 'Sim Structured',
  description: 'Fills the JSON schema it is given, and reports log probabilities.',
};

function structured(prompt: string, completion: string, more: Declared): Declared {
  const declared = parameters(`${TOOLS} min_p repetition_penalty logit_bias logprobs top_logprobs`, {
    top_k: TOP_K,
    structured_outputs: BOOLEAN,
  });
  const output = writes(8_192, declared, perToken({ completion }));
  return model({ ...STRUCTURED, more }, [reads(65_536, perToken({ prompt }))], [output]);
}

const VISION: Named = {
  id: 'sim/vision',
  name: 'Sim Vision',
  description: 'Says what sizes and kinds the pictures, recordings and files have that it was sent.',
};

function vision(prompt: string, picture: string, completion: string, others: readonly Declared[], more: Declared) {
  const pictures = takes('image', ANYWHERE, ANY_PICTURE, [price('prompt', 'image', picture)]);
  const inputs = [reads(65_536, perToken({ prompt })), pictures, ...others];
  return model({ ...VISION, more }, inputs, [writes(8_192, parameters(TOOLS), perToken({ completion }))]);
}

function embedder(prompt: string, own: Declared): Declared {
  const named = {
    id: 'sim/embedder',
    name: 'Sim Embedder',
    created: 1750000300,
    description: 'Answers each input with a vector that depends on its text alone.',
    more: { tokenizer: 'cl100k_base' },
  };
  const supported_parameters = { dimensions: oneOf([64, 32, 16]), ...own };
  return model(named, [reads(8_192, perToken({ prompt }))], [{ type: 'embeddings', supported_parameters }]);
}

function ranker(pricing: readonly Declared[], prompt: readonly Declared[] = []): Declared {
  const named = {
    id: 'sim/ranker',
    name: 'Sim Ranker',
    created: 1750000400,
    description: 'Ranks documents by the words that they share with the query.',
    more: { tokenizer: 'cl100k_base', ...(pricing.length === 0 ? {} : { pricing }) },
  };
  return model(named, [reads(8_192, prompt)], [{ type: 'rerank', supported_parameters: {} }]);
}

function plain(slug: 'sim-a' | 'sim-b', ceiling: string): readonly Declared[] {
  return PLAIN.map(({ context, length, parameters: declared, prices, ...named }) => {
    const [prompt, completion, request] = prices[slug];
    const pricing = request === undefined ? {} : { pricing: [price('request', 'request', request)] };
    const output = writes(length, declared, perToken({ completion }));
    return model(
      { ...named, more: { ceiling_parameter: ceiling, ...pricing } },
      [reads(context, perToken({ prompt }))],
      [output],
    );
  });
}

const MODELS: Readonly<Record<string, readonly Declared[]>> = {
  'sim-a': [
    ...plain('sim-a', 'max_tokens'),
    structured('0.0000003', '0.0000009', { ceiling_parameter: 'max_tokens' }),
    vision('0.0000004', '0.0002', '0.0000012', [], { ceiling_parameter: 'max_tokens' }),
    embedder('0.00000002', { encoding_format: oneOf(['float', 'base64']) }),
    ranker([price('request', 'search', '0.002')]),
  ],
  'sim-b': [
    ...plain('sim-b', 'max_completion_tokens'),
    structured('0.00000032', '0.00000095', { ceiling_parameter: 'max_completion_tokens' }),
    vision('0.00000045', '0.00025', '0.0000013', [], { ceiling_parameter: 'max_completion_tokens' }),
    embedder('0.000000025', { input_type: oneOf(['search_query', 'search_document']) }),
    ranker([], perToken({ prompt: '0.00000002' })),
  ],
  'sim-c': [
    THINKER,
    structured('0.00000028', '0.00000085', { quantization: 'bf16' }),
    vision(
      '0.0000005',
      '0.0003',
      '0.0000015',
      [
        takes('audio', INLINE, RECORDINGS, [price('prompt', 'second', '0.0001')]),
        takes('file', ANYWHERE, [...PDF, 'text/plain']),
        takes('video', ['url']),
      ],
      {},
    ),
    PAINTER,
    SPEAKER,
    TIERED,
  ],
  'sim-d': [SCRIBE, THINKER_OF_MESSAGES],
  'sim-v': CLIP_MODELS,
};

/** The models of a simulator, in the published shape; null for an unknown one. */
export function simModels(slug: string): readonly Declared[] | null {
  return MODELS[slug]?.map((declared) => ({ ...declared, ...TERMS[slug] })) ?? null;
}
