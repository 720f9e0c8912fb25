import {
  ANYWHERE,
  type Declared,
  INLINE,
  PDF,
  PICTURES,
  parameters,
  perToken,
  price,
  RECORDINGS,
  reads,
  takes,
  writes,
} from './declare.ts';

/**
 * The models of the demonstration market, as their makers declare them. Each is sold by several providers, which change
 * price, place, precision and terms (`market-providers.ts`).
 */
export interface MarketModel {
  readonly id: string;
  readonly maker: string;
  readonly name: string;
  readonly created: number;
  readonly description: string;
  readonly tokenizer?: string;
  readonly family: Declared;
  readonly tags: readonly string[];
  readonly inputs: readonly Declared[];
  readonly outputs: readonly Declared[];
  /** Its weights are public: providers run it at their own precision. */
  readonly open?: Declared;
  /** Other members of the document. */
  readonly more?: Declared;
}

export const PICTURE = takes('image', ANYWHERE, PICTURES);
const DOCUMENT = takes('file', INLINE, PDF);
export const RECORDING = takes('audio', INLINE, RECORDINGS);
const BASE = 'max_tokens temperature top_p stop seed';
const PENALTIES = 'presence_penalty frequency_penalty';
const TOOLS = 'tools tool_choice parallel_tool_calls';
const FORMATS = 'response_format structured_outputs';
const FULL = `${BASE} ${TOOLS} ${FORMATS}`;

export const family = (id: string, name: string, hub?: string): Declared =>
  hub === undefined ? { id, name } : { id, name, hugging_face_id: hub };
const ASTER = family('aster-4', 'Aster 4');
const GALE = family('gale', 'Gale', 'Northwind/gale');
const QUILL = family('quill-2', 'Quill 2');
const TESSERA = family('tessera', 'Tessera', 'Tessera-AI/tessera');
export const LUMEN = family('lumen', 'Lumen');
const HARBOR = family('harbor', 'Harbor', 'HarborLabs/harbor');
const MERIDIAN = family('meridian', 'Meridian');
const PEBBLE = family('pebble', 'Pebble', 'pebble-ml/pebble');

/** Public weights as the hub describes them. */
function weights(id: string, hub: Declared, ...scores: readonly (readonly [string, string, number])[]): Declared {
  const evaluations = scores.map(([dataset, metric, score]) => ({ dataset, metric, score }));
  return { hugging_face_id: id, model_hub: { read_at: 1763900000, availability: 'open', ...hub, evaluations } };
}

const SAMPLING = { default_parameters: { temperature: 0.6, top_p: 0.95 } };
const EUROPEAN = ['en', 'de', 'fr', 'es', 'it', 'pt'];

/** A prompt of more than 200,000 tokens costs this much. */
const long = (cost_usd: string): Declared => ({
  overrides: [{ when: { prompt_tokens: { gte: 200_001 } }, cost_usd }],
});

export const TEXT_MODELS: readonly MarketModel[] = [
  {
    id: 'aster-4-large',
    maker: 'aster-labs',
    name: 'Aster Labs: Aster 4 Large',
    created: 1759276800,
    description: 'The largest Aster: long documents, pictures, and tools.',
    tokenizer: 'o200k_base',
    family: ASTER,
    tags: ['chat', 'agents', 'vision'],
    inputs: [
      reads(200_000, perToken({ prompt: '0.000003', cached_prompt: '0.0000003', cache_write: '0.00000375' })),
      PICTURE,
      DOCUMENT,
    ],
    outputs: [writes(32_768, parameters(FULL), perToken({ completion: '0.000015' }))],
  },
  {
    id: 'aster-4-mini',
    maker: 'aster-labs',
    name: 'Aster Labs: Aster 4 Mini',
    created: 1760486400,
    description: 'A small Aster for many short turns.',
    tokenizer: 'o200k_base',
    family: ASTER,
    tags: ['chat', 'vision', 'fast'],
    inputs: [
      reads(200_000, perToken({ prompt: '0.0000004', cached_prompt: '0.00000004', cache_write: '0.0000005' })),
      PICTURE,
    ],
    outputs: [writes(16_384, parameters(FULL), perToken({ completion: '0.0000016' }))],
  },
  {
    id: 'aster-4-code',
    maker: 'aster-labs',
    name: 'Aster Labs: Aster 4 Code',
    created: 1761955200,
    description: 'Writes and reviews code, and works through long repositories.',
    tokenizer: 'o200k_base',
    family: ASTER,
    tags: ['agents', 'code'],
    inputs: [reads(256_000, perToken({ prompt: '0.0000012', cached_prompt: '0.00000012', cache_write: '0.0000015' }))],
    outputs: [writes(65_536, parameters(FULL), perToken({ completion: '0.0000048' }))],
  },
  {
    id: 'gale-70b',
    maker: 'northwind',
    name: 'Northwind: Gale 70B',
    created: 1733011200,
    description: 'A general model with open weights.',
    family: GALE,
    tags: ['chat', 'open-weights'],
    inputs: [reads(131_072, perToken({ prompt: '0.00000059' }))],
    outputs: [
      writes(8_192, parameters(`${BASE} ${PENALTIES} ${TOOLS} ${FORMATS}`), perToken({ completion: '0.00000079' })),
    ],
    open: weights(
      'Northwind/gale-70b',
      {
        languages: EUROPEAN,
        weights_revision: '9f2c1e7',
        weights_updated_at: 1736000000,
        downloads: 412_300,
        likes: 1_840,
      },
      ['mmlu', 'accuracy', 84.1],
      ['gsm8k', 'accuracy', 91.7],
    ),
    more: SAMPLING,
  },
  {
    id: 'gale-8b',
    maker: 'northwind',
    name: 'Northwind: Gale 8B',
    created: 1733011200,
    description: 'The small Gale: cheap, quick, open weights.',
    family: GALE,
    tags: ['chat', 'fast', 'open-weights'],
    inputs: [reads(131_072, perToken({ prompt: '0.00000005' }))],
    outputs: [writes(8_192, parameters(`${BASE} ${PENALTIES} ${TOOLS}`), perToken({ completion: '0.00000008' }))],
    open: weights(
      'Northwind/gale-8b',
      {
        languages: EUROPEAN,
        weights_revision: '41ab90d',
        weights_updated_at: 1736000000,
        downloads: 2_305_100,
        likes: 5_210,
      },
      ['mmlu', 'accuracy', 66.9],
    ),
    more: SAMPLING,
  },
  {
    id: 'quill-2-pro',
    maker: 'quill',
    name: 'Quill: Quill 2 Pro',
    created: 1758067200,
    description: 'A million tokens of context; dearer above 200,000.',
    tokenizer: 'o200k_base',
    family: QUILL,
    tags: ['chat', 'long-context', 'vision'],
    inputs: [
      reads(1_000_000, [
        price('prompt', 'token', '0.00000125', long('0.0000025')),
        price('cached_prompt', 'token', '0.000000125'),
        price('cache_write', 'token', '0.0000015625'),
      ]),
      PICTURE,
      RECORDING,
      DOCUMENT,
    ],
    outputs: [writes(65_536, parameters(FULL), [price('completion', 'token', '0.00001', long('0.000015'))])],
  },
  {
    id: 'quill-2-flash',
    maker: 'quill',
    name: 'Quill: Quill 2 Flash',
    created: 1758672000,
    description: 'Quick answers over a very long context.',
    tokenizer: 'o200k_base',
    family: QUILL,
    tags: ['chat', 'fast', 'long-context', 'vision'],
    inputs: [
      reads(1_000_000, perToken({ prompt: '0.0000003', cached_prompt: '0.00000003', cache_write: '0.000000375' })),
      PICTURE,
    ],
    outputs: [writes(65_536, parameters(FULL), perToken({ completion: '0.0000025' }))],
  },
  {
    id: 'tessera-coder-32b',
    maker: 'tessera',
    name: 'Tessera: Coder 32B',
    created: 1746057600,
    description: 'Completes and edits code in forty languages.',
    family: TESSERA,
    tags: ['code', 'open-weights'],
    inputs: [reads(65_536, perToken({ prompt: '0.00000018' }))],
    outputs: [
      writes(16_384, parameters(`${BASE} ${PENALTIES} ${TOOLS} ${FORMATS}`), perToken({ completion: '0.00000036' })),
    ],
    open: weights(
      'Tessera-AI/tessera-coder-32b',
      {
        languages: ['en', 'zh'],
        weights_revision: '77d0c52',
        weights_updated_at: 1747000000,
        downloads: 154_000,
        likes: 930,
      },
      ['humaneval', 'pass@1', 88.4],
    ),
  },
  {
    id: 'tessera-coder-7b',
    maker: 'tessera',
    name: 'Tessera: Coder 7B',
    created: 1746057600,
    description: 'Completion in the editor.',
    family: TESSERA,
    tags: ['code', 'fast', 'open-weights'],
    inputs: [reads(32_768, perToken({ prompt: '0.00000004' }))],
    outputs: [writes(8_192, parameters(`${BASE} ${PENALTIES}`), perToken({ completion: '0.00000008' }))],
    open: weights(
      'Tessera-AI/tessera-coder-7b',
      {
        languages: ['en', 'zh'],
        weights_revision: '12c3b11',
        weights_updated_at: 1747000000,
        downloads: 610_400,
        likes: 1_422,
      },
      ['humaneval', 'pass@1', 71.2],
    ),
  },
  {
    id: 'lumen-vision-11b',
    maker: 'lumen',
    name: 'Lumen: Vision 11B',
    created: 1751328000,
    description: 'Describes pictures and reads text in them.',
    family: LUMEN,
    tags: ['vision'],
    inputs: [reads(32_768, perToken({ prompt: '0.00000016' })), PICTURE],
    outputs: [writes(4_096, parameters(`${BASE} ${FORMATS}`), perToken({ completion: '0.00000016' }))],
  },
  {
    id: 'harbor-translate-7b',
    maker: 'harbor',
    name: 'Harbor: Translate 7B',
    created: 1743465600,
    description: 'Translates between thirty languages.',
    family: HARBOR,
    tags: ['open-weights', 'translation'],
    inputs: [reads(16_384, perToken({ prompt: '0.00000007' }))],
    outputs: [writes(8_192, parameters(`${BASE} ${PENALTIES}`), perToken({ completion: '0.00000007' }))],
    open: weights(
      'HarborLabs/harbor-translate-7b',
      {
        languages: ['en', 'de', 'fr', 'nl', 'pl', 'sv', 'ja', 'ko'],
        weights_revision: '0d4f6aa',
        weights_updated_at: 1744000000,
        downloads: 88_200,
        likes: 402,
      },
      ['flores-200', 'chrF', 58.3],
    ),
  },
  {
    id: 'harbor-guard-3b',
    maker: 'harbor',
    name: 'Harbor: Guard 3B',
    created: 1740787200,
    description: 'Classifies text by a policy given in the prompt.',
    family: HARBOR,
    tags: ['moderation', 'open-weights'],
    inputs: [reads(16_384, perToken({ prompt: '0.00000002' }))],
    outputs: [writes(1_024, parameters(`${BASE} ${FORMATS}`), perToken({ completion: '0.00000002' }))],
    open: weights('HarborLabs/harbor-guard-3b', {
      languages: ['en'],
      weights_revision: 'b7710ef',
      weights_updated_at: 1741000000,
      downloads: 41_900,
      likes: 120,
    }),
    more: { deprecation_date: '2027-06-30' },
  },
  {
    id: 'meridian-reason-1',
    maker: 'meridian',
    name: 'Meridian: Reason 1',
    created: 1762300800,
    description: 'Thinks before it answers; cheaper at night (UTC).',
    family: MERIDIAN,
    tags: ['math', 'reasoning'],
    inputs: [reads(163_840, perToken({ prompt: '0.00000055' }))],
    outputs: [
      writes(
        65_536,
        parameters(`${FULL} reasoning_effort`),
        perToken({ completion: '0.00000219', internal_reasoning: '0.00000219' }),
      ),
    ],
    more: SAMPLING,
  },
  {
    id: 'meridian-reason-1-mini',
    maker: 'meridian',
    name: 'Meridian: Reason 1 Mini',
    created: 1762905600,
    description: 'A small model that thinks.',
    family: MERIDIAN,
    tags: ['fast', 'reasoning'],
    inputs: [reads(131_072, perToken({ prompt: '0.0000001' }))],
    outputs: [
      writes(
        32_768,
        parameters(`${BASE} ${TOOLS} reasoning_effort`),
        perToken({ completion: '0.0000004', internal_reasoning: '0.0000004' }),
      ),
    ],
    more: SAMPLING,
  },
  {
    id: 'pebble-3b',
    maker: 'pebble',
    name: 'Pebble: 3B',
    created: 1748736000,
    description: 'Small enough for a telephone.',
    family: PEBBLE,
    tags: ['fast', 'open-weights'],
    inputs: [reads(32_768, perToken({ prompt: '0.000000015' }))],
    outputs: [writes(4_096, parameters(`${BASE} ${PENALTIES}`), perToken({ completion: '0.00000003' }))],
    open: weights('pebble-ml/pebble-3b', {
      languages: ['en'],
      weights_revision: '5ec0de1',
      weights_updated_at: 1749000000,
      downloads: 990_100,
      likes: 2_704,
    }),
  },
  {
    id: 'pebble-1b',
    maker: 'pebble',
    name: 'Pebble: 1B',
    created: 1748736000,
    description: 'Free, for trials.',
    family: PEBBLE,
    tags: ['fast', 'open-weights'],
    inputs: [reads(16_384, perToken({ prompt: '0' }))],
    outputs: [writes(2_048, parameters(BASE), perToken({ completion: '0' }))],
    open: weights('pebble-ml/pebble-1b', {
      languages: ['en'],
      weights_revision: 'a11ce00',
      weights_updated_at: 1749000000,
      downloads: 1_203_300,
      likes: 3_101,
    }),
    more: { is_free: true },
  },
];
