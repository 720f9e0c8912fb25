import {
  type Accepted,
  ARRAY,
  audio,
  BOOLEAN,
  EFFORT_LIST,
  EFFORTS,
  INTEGER,
  label,
  long,
  NOTHING,
  OBJECT,
  omitted,
  preferring,
  type Row,
  TOOL,
  tooled,
  tools,
} from './request-row.ts';

/** Rows of the chat request table: tools, reasoning, marks, media, routing. (rule I13) */
export const FEATURE_ROWS: Readonly<Record<string, Row>> = {
  response_format: {
    accepts: [
      [{ type: 'text' }, NOTHING],
      [{ type: 'json_object', json_schema: null, extra: 1 }, { responseFormat: { type: 'json_object' } }],
      [
        { type: 'json_schema', json_schema: { name: 'n', strict: null, description: null, schema: { enum: [null] } } },
        { responseFormat: { type: 'json_schema', json_schema: { name: 'n', schema: { enum: [null] } } } },
      ],
    ],
    refuses: [
      ['json', 'must be an object'],
      [{}, '.type is required'],
      [{ type: 'xml' }, '.type must be one of "text", "json_object", "json_schema", not "xml"'],
      [{ type: 'json_schema' }, '.json_schema is required'],
      [{ type: 'json_schema', json_schema: [] }, '.json_schema must be an object'],
    ],
  },
  structured_outputs: {
    accepts: [
      [true, { requires: ['structured_outputs'] }],
      [false, NOTHING],
    ],
    refuses: BOOLEAN,
  },
  tools: {
    accepts: [
      [[], NOTHING],
      [
        [
          {
            type: 'function',
            x: 1,
            function: { name: 'a-Z_9', description: 'd', parameters: { a: null }, strict: true, x: 1 },
          },
        ],
        { tools: [{ name: 'a-Z_9', description: 'd', parameters: { a: null }, strict: true }] },
      ],
      [Array(1_536).fill(TOOL), { tools: Array(1_536).fill({ name: 'add' }) }],
      [[{ type: 'function', function: { name: long(128) } }], { tools: [{ name: long(128) }] }],
    ],
    refuses: [
      ...ARRAY,
      [Array(1_537).fill(TOOL), 'must have at most 1536 items'],
      [[{ type: 'function', function: { name: long(129) } }], '[0].function.name must match ^[a-zA-Z0-9_-]{1,128}$'],
      [[{ type: 'function', function: { name: '' } }], '[0].function.name must match ^[a-zA-Z0-9_-]{1,128}$'],
      [[{ type: 'function', function: { name: 'a.b' } }], '[0].function.name must match ^[a-zA-Z0-9_-]{1,128}$'],
      [[{ type: 'function', function: { name: 'a\n' } }], '[0].function.name must match ^[a-zA-Z0-9_-]{1,128}$'],
      [[{ type: 'function' }], '[0].function is required'],
      [
        [TOOL, { type: 'function', function: { name: 'f', parameters: [] } }],
        '[1].function.parameters must be an object',
      ],
      [[{ type: 'function', function: { name: 'f', strict: 'yes' } }], '[0].function.strict must be a boolean'],
      [[{ type: 'web_search', function: { name: 'f' } }], '[0].type must be "function", not "web_search"'],
    ],
  },
  tool_choice: {
    accepts: [
      ['none', NOTHING],
      ['auto', NOTHING],
      ['none', { tools, toolChoice: 'none' }, tooled],
      ['auto', { tools, toolChoice: 'auto' }, tooled],
      ['required', { tools, toolChoice: 'required' }, tooled],
      [{ type: 'function', function: { name: 'add', x: 1 } }, { tools, toolChoice: { name: 'add' } }, tooled],
    ],
    refuses: [
      ['required', ' asks for a tool call and tools has none'],
      [{ type: 'function', function: { name: 'add' } }, ' asks for a tool call and tools has none'],
      ['any', 'must be one of "none", "auto", "required", not "any"'],
      [{ type: 'function', function: {} }, '.function.name is required'],
    ],
  },
  parallel_tool_calls: {
    accepts: [
      [true, NOTHING],
      [false, { tools, parallelToolCalls: false }, tooled],
      [true, { tools, parallelToolCalls: true }, tooled],
    ],
    refuses: BOOLEAN,
  },
  reasoning: {
    accepts: [
      [{}, NOTHING],
      [{ exclude: false }, NOTHING],
      ...EFFORTS.map((effort): Accepted => [{ effort }, { reasoning: { effort } }]),
      [{ max_tokens: 1 }, { reasoning: { tokensMax: 1 } }],
      [
        { max_tokens: 1_048_576, enabled: false, exclude: true },
        { reasoning: { tokensMax: 1_048_576, enabled: false, excluded: true } },
      ],
    ],
    refuses: [
      ...OBJECT,
      [{ effort: 'huge' }, `.effort ${EFFORT_LIST}, not "huge"`],
      [{ max_tokens: 0 }, '.max_tokens must be at least 1'],
      [{ max_tokens: 1_048_577 }, '.max_tokens must be at most 1048576'],
      [{ enabled: 1 }, '.enabled must be a boolean'],
      [{ exclude: 1 }, '.exclude must be a boolean'],
    ],
  },
  reasoning_effort: {
    accepts: [
      ...EFFORTS.map((effort): Accepted => [effort, { reasoning: { effort } }]),
      ['high', { reasoning: { effort: 'high', tokensMax: 5 } }, { reasoning: { effort: 'low', max_tokens: 5 } }],
    ],
    refuses: [
      ['huge', `${EFFORT_LIST}, not "huge"`],
      [5, EFFORT_LIST],
    ],
  },
  include_reasoning: { accepts: omitted(true, false), refuses: BOOLEAN },
  verbosity: {
    accepts: omitted('low', 'medium', 'high'),
    refuses: [
      ['loud', 'must be one of "low", "medium", "high", not "loud"'],
      [1, 'must be one of "low", "medium", "high"'],
    ],
  },
  n: { accepts: omitted(1), refuses: [...INTEGER, [0, 'must be 1'], [2, 'must be 1']] },
  user: label((user) => ({ user })),
  session_id: label((conversation) => ({ conversation })),
  prompt_cache_key: label((conversation) => ({ conversation })),
  metadata: {
    accepts: [
      [{}, { metadata: {} }],
      [{ a: null, b: [null] }, { metadata: { a: null, b: [null] } }],
      [{ a: long(65_528) }, { metadata: { a: long(65_528) } }],
    ],
    refuses: [...OBJECT, [{ a: long(65_529) }, 'must have at most 65536 characters as JSON']],
  },
  modalities: {
    accepts: [
      [[], NOTHING],
      [['text'], NOTHING],
      [['text', 'image'], { modalities: { input: [], output: ['image'] } }],
      [['audio', 'image', 'audio'], { modalities: { input: [], output: ['audio', 'image'] } }],
    ],
    refuses: [
      ...ARRAY,
      [['smell'], '[0] must be one of "text", "image", "audio", not "smell"'],
      [[null], '[0] must be one of "text", "image", "audio"'],
    ],
  },
  image_config: {
    accepts: [
      [{}, NOTHING],
      [{ n: null, size: null, unknown: 1 }, NOTHING],
      [
        {
          n: 1,
          resolution: '2K',
          aspect_ratio: '16:9',
          size: '1024x1024',
          quality: 'high',
          output_format: 'png',
          background: 'transparent',
          output_compression: 100,
          seed: 0,
          unknown: 1,
        },
        {
          imageConfig: {
            n: 1,
            resolution: '2K',
            aspect_ratio: '16:9',
            size: '1024x1024',
            quality: 'high',
            output_format: 'png',
            background: 'transparent',
            output_compression: 100,
            seed: 0,
          },
        },
      ],
      [{ n: 10, output_compression: 0, seed: null }, { imageConfig: { n: 10, output_compression: 0 } }],
    ],
    refuses: [
      ...OBJECT,
      [{ n: 0 }, '.n must be at least 1'],
      [{ n: 11 }, '.n must be at most 10'],
      [{ size: '' }, '.size must not be empty'],
      [{ quality: long(65) }, '.quality must have at most 64 characters'],
      [{ aspect_ratio: 1.5 }, '.aspect_ratio must be a string'],
      [{ resolution: 5 }, '.resolution must be a string'],
      [{ output_format: 5 }, '.output_format must be a string'],
      [{ background: 5 }, '.background must be a string'],
      [{ output_compression: 101 }, '.output_compression must be at most 100'],
      [{ output_compression: -1 }, '.output_compression must be at least 0'],
      [{ seed: 1.5 }, '.seed must be an integer'],
    ],
  },
  audio: {
    accepts: ['wav', 'mp3', 'flac', 'opus', 'pcm16', 'aac'].map(audio),
    refuses: [
      ...OBJECT,
      [{ format: 'wav' }, '.voice is required'],
      [{ voice: 'v' }, '.format is required'],
      [{ voice: 'v', format: null }, '.format must be one of "wav", "mp3", "flac", "opus", "pcm16", "aac"'],
      [
        { voice: 'v', format: 'midi' },
        '.format must be one of "wav", "mp3", "flac", "opus", "pcm16", "aac", not "midi"',
      ],
      [{ voice: '', format: 'wav' }, '.voice must not be empty'],
    ],
  },
  provider: {
    accepts: [
      [{}, NOTHING],
      [{ unknown: 1 }, NOTHING],
    ],
    refuses: OBJECT,
  },
  route: {
    accepts: [
      ['fallback', preferring({ partition: 'model' })],
      ['sort', preferring({ partition: 'none' })],
      ['sort', preferring({ partition: 'model' }), { provider: { sort: { partition: 'model' } } }],
      [
        'sort',
        preferring({ partition: 'none', sort: 'price' }),
        { provider: { sort: { by: 'price', partition: null } } },
      ],
    ],
    refuses: [
      ['scenic', 'must be one of "fallback", "sort", not "scenic"'],
      [5, 'must be one of "fallback", "sort"'],
    ],
  },
  transforms: {
    accepts: [
      [[], NOTHING],
      [['middle-out'], { compress: true }],
      [[], { compress: true }, { plugins: [{ id: 'context-compression' }] }],
    ],
    refuses: [...ARRAY, [['middle-out', 'top-out'], '[1] must be "middle-out", not "top-out"']],
  },
  plugins: {
    accepts: [
      [[], NOTHING],
      [[{ id: 'context-compression', enabled: false, engine: 5 }], { compress: true }],
    ],
    refuses: [
      ...ARRAY,
      [[{ id: 'web' }], '[0].id must be "context-compression", not "web"'],
      [
        [{ id: 'context-compression' }, { id: 'file-parser' }],
        '[1].id must be "context-compression", not "file-parser"',
      ],
      [[{}], '[0].id is required'],
    ],
  },
  usage: {
    accepts: omitted({ include: true }, { include: false }, {}),
    refuses: [...OBJECT, [{ include: 1 }, '.include must be a boolean']],
  },
};
