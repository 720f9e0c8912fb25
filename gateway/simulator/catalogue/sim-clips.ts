import {
  BOOLEAN,
  type Declared,
  INLINE,
  integer,
  model,
  oneOf,
  PICTURES,
  RECORDINGS,
  range,
  reads,
  renders,
  takes,
  when,
} from './declare.ts';

/** The models of `sim-v`, which render clips: by job, at once, and from references and adapters. */
const SEED = { seed: integer({ min: 0 }) };
const PICTURE = takes('image', INLINE, PICTURES);
const SOUND = { generate_audio: true };

const FILMSTRIP = model(
  {
    id: 'filmstrip-2026',
    name: 'Sim Filmstrip',
    description: 'Renders by job: three resolutions, a soundtrack on request, first and last frames.',
    more: { slug: 'sim/filmstrip' },
  },
  [reads(4_096, []), PICTURE],
  [
    renders(
      {
        ...SEED,
        duration: range(1, 12, { step: 0.5, default: 4 }),
        resolution: oneOf(['480p', '720p', '1080p'], '720p'),
        aspect_ratio: oneOf(['16:9', '9:16', '1:1', '4:3', '3:4', '3:2', '2:3', '21:9', '9:21'], '16:9'),
        generate_audio: { ...BOOLEAN, default: false },
        frame_images: { type: 'array', items: oneOf(['first_frame', 'last_frame']), max_items: 2 },
      },
      {
        generation: 'asynchronous',
        idempotent_create: true,
        max_seconds: 12,
        fps: [24],
        audio: true,
        prompt_required: false,
      },
      '0.02',
      [
        when({ resolution: '480p' }, '0.01'),
        when({ resolution: '720p' }, '0.02'),
        when({ resolution: '1080p' }, '0.05'),
        when(SOUND, '0.03'),
        when({ resolution: '1080p', ...SOUND }, '0.075'),
      ],
    ),
  ],
);

const FLIPBOOK = model(
  {
    id: 'flipbook-2026',
    name: 'Sim Flipbook',
    created: 1762000000,
    description: 'Answers with the clip at once: silent, 720p, three lengths, one price.',
    more: { slug: 'sim/flipbook' },
  },
  [reads(2_048, [])],
  [
    renders(
      {
        ...SEED,
        duration: oneOf([2, 4, 6], 2),
        size: oneOf(['1280x720', '720x1280', '720x720'], '1280x720'),
        generate_audio: oneOf([false], false),
      },
      { generation: 'synchronous', max_seconds: 6, fps: [24], audio: false },
      '0.004',
    ),
  ],
);

const REFERENCES = {
  roles: {
    image: ['reference', 'canny', 'depth', 'openpose'],
    audio: ['reference'],
    video: ['reference', 'depth'],
  },
  control_sets: [['depth', 'openpose']],
  items_max: 3,
};

const ADAPTERS = [
  { id: 'grain', revision: '1', included: true, combines_with: ['ink'] },
  { id: 'ink', revision: '2', strength: { min: 0, max: 2 }, combines_with: ['grain'] },
  { id: 'likeness', revision: '1', included: true, combines_with: [], requires_role: 'reference' },
];

const STORYBOARD = model(
  {
    id: 'storyboard-2026',
    name: 'Sim Storyboard',
    created: 1761000000,
    description: 'Follows references, control passes and adapters; any size on a grid of 16 pixels.',
    more: { slug: 'sim/storyboard' },
  },
  [reads(4_096, []), PICTURE, takes('audio', INLINE, RECORDINGS), takes('video', INLINE, ['video/mp4'])],
  [
    renders(
      {
        ...SEED,
        duration: range(0.25, 8, { default: 2 }),
        size: { type: 'unknown' },
        frame_images: oneOf(['first_frame']),
        input_references: { type: 'array', max_items: 3 },
      },
      {
        generation: 'asynchronous',
        max_seconds: 8,
        fps: [16],
        frame_step: 4,
        audio: false,
        prompt_required: false,
        frame: { pixels_max: 1_048_576, edge_min: 256, edge_max: 1_536, grid: 16 },
        references: REFERENCES,
        adapters: ADAPTERS,
      },
      '0.015',
      [when({ adapter: 'ink' }, '0.025')],
    ),
  ],
);

export const CLIP_MODELS: readonly Declared[] = [FILMSTRIP, FLIPBOOK, STORYBOARD];
