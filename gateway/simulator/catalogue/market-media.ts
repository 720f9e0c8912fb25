import {
  INLINE,
  integer,
  makes,
  oneOf,
  parameters,
  perToken,
  price,
  range,
  reads,
  renders,
  takes,
  when,
  writes,
} from './declare.ts';
import { family, LUMEN, type MarketModel, PICTURE, RECORDING } from './market-models.ts';

/** The models of the demonstration market that draw, speak or render. */
const REEL = family('reel-2', 'Reel 2');
const RATIOS = oneOf(['1:1', '16:9', '9:16']);

const CLIP_PARAMETERS = {
  aspect_ratio: oneOf(['16:9', '9:16', '1:1'], '16:9'),
  seed: integer({ min: 0 }),
  frame_images: { type: 'array', items: oneOf(['first_frame']), max_items: 1 },
};
const CLIP = { generation: 'asynchronous', idempotent_create: true, fps: [24], prompt_required: false };
const CLIP_INPUTS = [reads(4_096, []), takes('image', INLINE, ['image/png', 'image/jpeg'])];

export const MEDIA_MODELS: readonly MarketModel[] = [
  {
    id: 'lumen-draw-1',
    maker: 'lumen',
    name: 'Lumen: Draw 1',
    created: 1754006400,
    description: 'Draws pictures up to four megapixels.',
    family: LUMEN,
    tags: ['images'],
    inputs: [reads(8_192, perToken({ prompt: '0.0000002' })), PICTURE],
    outputs: [
      writes(1_024, parameters('max_tokens seed'), perToken({ completion: '0.000001' })),
      {
        ...makes(
          'image',
          parameters('output_format', {
            n: integer({ min: 1, max: 4 }),
            aspect_ratio: RATIOS,
            size: oneOf(['256x256', '512x512', '1024x1024', '2048x2048']),
          }),
          [price('completion', 'megapixel', '0.03')],
        ),
        image: { frame: { pixels_max: 4_194_304, edge_min: 256, edge_max: 2_048, grid: 64 } },
      },
    ],
  },
  {
    id: 'lumen-draw-1-turbo',
    maker: 'lumen',
    name: 'Lumen: Draw 1 Turbo',
    created: 1754006400,
    description: 'Draws quickly, up to one megapixel.',
    family: LUMEN,
    tags: ['images', 'fast'],
    inputs: [reads(8_192, perToken({ prompt: '0.0000002' })), PICTURE],
    outputs: [
      writes(1_024, parameters('max_tokens seed'), perToken({ completion: '0.000001' })),
      {
        ...makes(
          'image',
          parameters('output_format', {
            n: integer({ min: 1, max: 2 }),
            aspect_ratio: RATIOS,
            size: oneOf(['256x256', '512x512', '1024x1024']),
          }),
          [price('completion', 'image', '0.004')],
        ),
        image: { frame: { pixels_max: 1_048_576, edge_min: 256, edge_max: 1_024, grid: 64 } },
      },
    ],
  },
  {
    id: 'cadence-voice-2',
    maker: 'cadence',
    name: 'Cadence: Voice 2',
    created: 1756684800,
    description: 'Speaks its answer in seven languages; listens, and imitates a voice from a clip.',
    family: family('cadence', 'Cadence'),
    tags: ['speech'],
    inputs: [reads(32_768, perToken({ prompt: '0.0000006' })), RECORDING],
    outputs: [
      writes(4_096, parameters('max_tokens temperature'), perToken({ completion: '0.0000024' })),
      makes(
        'audio',
        {
          voice: oneOf(['juniper', 'linden', 'maple']),
          format: oneOf(['wav', 'pcm16']),
          language: oneOf(['de', 'en', 'es', 'fr', 'it', 'ja', 'pt']),
          speed: range(0.5, 2),
          input_references: { type: 'array', max_items: 1 },
        },
        [price('completion', 'second', '0.00016')],
      ),
    ],
  },
  {
    id: 'reel-2',
    maker: 'reelworks',
    name: 'Reelworks: Reel 2',
    created: 1760054400,
    description: 'Renders clips with a soundtrack, up to 1080p.',
    family: REEL,
    tags: ['video'],
    inputs: CLIP_INPUTS,
    outputs: [
      renders(
        {
          duration: range(1, 12, { step: 1, default: 4 }),
          resolution: oneOf(['720p', '1080p'], '720p'),
          generate_audio: { type: 'boolean', default: false },
          ...CLIP_PARAMETERS,
        },
        { ...CLIP, max_seconds: 12, audio: true },
        '0.02',
        [when({ resolution: '720p' }, '0.02'), when({ resolution: '1080p' }, '0.05')],
      ),
    ],
  },
  {
    id: 'reel-2-fast',
    maker: 'reelworks',
    name: 'Reelworks: Reel 2 Fast',
    created: 1760054400,
    description: 'Renders clips quickly, up to 720p.',
    family: REEL,
    tags: ['video', 'fast'],
    inputs: CLIP_INPUTS,
    outputs: [
      renders(
        {
          duration: range(1, 8, { step: 1, default: 4 }),
          resolution: oneOf(['480p', '720p'], '720p'),
          ...CLIP_PARAMETERS,
        },
        { ...CLIP, max_seconds: 8, audio: false },
        '0.01',
        [when({ resolution: '480p' }, '0.004'), when({ resolution: '720p' }, '0.01')],
      ),
    ],
  },
];
