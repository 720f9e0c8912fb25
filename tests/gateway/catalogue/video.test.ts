import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { EndpointDeclaration } from '../../../actors/terms/endpoint.ts';
import { endpointDeclarations } from '../../../gateway/catalogue/document/endpoint-declaration.ts';
import { parseModelsValue } from '../../../gateway/catalogue/document/models-document.ts';
import { modelEndpoints } from '../../../gateway/catalogue/endpoint-listings.ts';
import { listVideoModels } from '../../../gateway/catalogue/video-models.ts';
import { CLIPS, SECOND, video } from '../../fixtures/models/clips.ts';
import { bounded } from '../../support/bounded.ts';
import { board, boardEndpoint } from '../../support/model/endpoints.ts';
import { simulatedProvider } from '../../support/provider/simulated-provider.ts';
import { declared } from './declared.ts';
import { readListing } from './read-listing.ts';

const it = bounded(test);
const NOW = 1_760_000_000_000;
const live = boardEndpoint('x', 'http://x/v1');

/** The rendering model of a test, at a provider of its own. */
function clips(slug: string, output: object, model: object = {}): EndpointDeclaration {
  return declared({ ...CLIPS, output_modalities: [video(output)], ...model }, { slug, name: slug.toUpperCase() });
}

function onBoard(...declarations: readonly EndpointDeclaration[]): ReturnType<typeof board> {
  const { health, healthReason, measured, evidence } = live;
  return board(...declarations.map((each) => ({ ...each, health, healthReason, measured, evidence })));
}

function demo(): ReturnType<typeof board> {
  const provider = simulatedProvider('sim-v', 'http://x/v1');
  return onBoard(...parseModelsValue(provider.models, (document) => endpointDeclarations(provider, document)));
}

/** The first endpoint of a model as the catalogue shows it. */
function shown(topic: ReturnType<typeof board>, model: string): Readonly<Record<string, unknown>> {
  const { data } = readListing<{ data: { endpoints: readonly object[] } }>(modelEndpoints(topic, model, NOW));
  return { ...data.endpoints[0] };
}

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('nothing was refused');
}

it('the limits of a video output become its envelope, with exact decimals and the declared defaults (rule C26)', () => {
  // rule C26
  const { envelopes, target, supportedParameters, descriptors } = clips('p', {
    supported_parameters: {
      duration: { type: 'range', min: 0.5, max: 7.5, step: 0.1, default: 2.5 },
      generate_audio: { type: 'boolean', default: false },
    },
    video: {
      ...{ generation: 'synchronous', max_seconds: 7.5, fps: [23.976, 30], frame_step: 4, audio: true },
      ...{ frame: { pixels_max: 921_600, grid: 16 }, prompt_required: false, idempotent_create: true },
      references: { roles: { image: ['reference', 'depth'] }, control_sets: [['depth', 'canny']], items_max: 2 },
      adapters: [{ id: 'film', revision: '3', included: true }],
    },
  });
  assert.equal(envelopes.video, {
    frame: { pixelsMax: 921_600, grid: 16 },
    ...{ secondsMax: '7.5', fps: ['23.976', '30'], frameStep: 4, audio: true },
    defaults: { duration: '2.5', generateAudio: false },
    promptRequired: false,
    references: { roles: { image: ['reference', 'depth'] }, controlSets: [['depth', 'canny']], itemsMax: 2 },
    adapters: [{ id: 'film', revision: '3', included: true, strength: { min: 0, max: 1 } }],
    idempotentCreate: true,
  });
  assert.is(target.dialect, 'video-sync');
  assert.is(clips('p', {}).target.dialect, 'video-jobs');
  assert.equal(supportedParameters, ['duration', 'generate_audio']);
  assert.equal(descriptors.duration, { type: 'range', min: 0.5, max: 7.5, step: 0.1 });
});

it('rates under conditions are kept in order, and only a lone unconditional rate has the published key', () => {
  // rule C19, rule C23
  assert.is(clips('p', { pricing: [SECOND] }).tariff.videoSecond, '0.1');
  assert.is(clips('p', { pricing: [SECOND] }).tariff.videoTiers, undefined);
  const { tariff } = clips(
    'p',
    {
      pricing: [
        {
          ...SECOND,
          overrides: [
            { when: { resolution: { equals: '720p' } }, cost_usd: '0.2' },
            {
              when: { allOf: [{ resolution: { equals: '720p' } }, { generate_audio: { equals: true } }] },
              cost_usd: '0.3',
            },
            { when: { duration: { gte: 6 } }, cost_usd: '9' },
            { when: { resolution: { gte: '720p' } }, cost_usd: '9' },
            { when: { not: { resolution: { equals: '720p' } } }, cost_usd: '9' },
            { when: { resolution: { equals: '720p' }, allOf: [{ resolution: { equals: '1080p' } }] }, cost_usd: '9' },
          ],
        },
        { ...SECOND, cost_usd: '0.05', utc_start: 2200, utc_end: 600 },
      ],
    },
    { discount_to_user: 0.5 },
  );
  assert.is(tariff.videoSecond, undefined);
  assert.is(tariff.overrides, undefined);
  assert.equal(tariff.videoTiers, [
    { rate: '0.05' },
    { rate: '0.1', resolution: '720p' },
    { rate: '0.15', resolution: '720p', audio: true },
    { rate: '0.025', utcStart: 2200, utcEnd: 600 },
  ]);
  const other = clips('p', { pricing: [{ ...SECOND, overrides: [] }] }).tariff;
  assert.is.not(tariff.id, other.id);
  assert.is(clips('p', { pricing: [SECOND] }, { is_free: true }).tariff.videoSecond, '0');
});

it('a document that no request could use is refused with its member', () => {
  const at = 'data[0].output_modalities[0]';
  const parameters = (of: object) => () => clips('p', { supported_parameters: of });
  const limits =
    (of: object, more: object = {}) =>
    () =>
      clips('p', { video: of, ...more });
  const cases: readonly (readonly [() => unknown, string])[] = [
    [
      parameters({ resolution: { type: 'enum', values: ['540p'] } }),
      `${at}.supported_parameters.resolution names "540p"`,
    ],
    [parameters({ resolution: { type: 'unknown' } }), `${at}.supported_parameters.resolution must be {"type": "enum"`],
    [parameters({ aspect_ratio: { type: 'enum', values: ['16:10'] } }), 'aspect_ratio names "16:10"'],
    [parameters({ size: { type: 'enum', values: ['1280X720'] } }), 'size names "1280X720"; a value is WIDTHxHEIGHT'],
    [parameters({ frame_images: { type: 'array', items: { type: 'enum', values: ['middle'] } } }), 'names "middle"'],
    [parameters({ duration: { type: 'range', min: 0, max: 5 } }), 'duration names 0; seconds are 0.001 to 86400'],
    [parameters({ duration: { type: 'boolean' } }), 'duration must be a range, an integer or an enum of seconds'],
    [parameters({ generate_audio: { type: 'enum', values: ['yes'] } }), 'generate_audio must be {"type": "boolean"}'],
    [limits({ max_seconds: 0 }), `${at}.video.max_seconds is 0 and must be a number, 0.001 to 86400`],
    [
      limits({ references: { roles: { image: ['mood'] } } }),
      'roles.image[0] is "mood" and must be one of reference, canny',
    ],
    [
      limits({ references: { roles: { image: ['depth'] }, control_sets: [['reference']] } }),
      'control_sets[0][0] is "reference"',
    ],
    [limits({ color: 1 }), `${at}.video.color is an unknown member`],
    [
      limits({ adapters: [{ id: 'a', revision: '1', included: true, combines_with: ['b'] }] }),
      `${at}.video.adapters[0] combines with b, which is not declared`,
    ],
    [
      limits({ adapters: [{ id: 'a', revision: '1' }] }, { pricing: [SECOND] }),
      'adapters[0] has no price; set included',
    ],
    [
      () => declared({ output_modalities: [{ type: 'text', supported_parameters: {}, video: {} }] }),
      `${at}.video belongs to an output modality of type video`,
    ],
    [
      () => declared({ output_modalities: [{ type: 'text', supported_parameters: {} }, video({})] }),
      'data[0].output_modalities[1] must be the only output of its model',
    ],
  ];
  for (const [run, message] of cases) assert.ok(refusal(run).includes(message), `${refusal(run)} | ${message}`);
});

it('the endpoint object shows limits, references and controls of videos (rule C27)', () => {
  // rule C27
  const [film, story, book] = ['sim/filmstrip', 'sim/storyboard', 'sim/flipbook'].map((model) => shown(demo(), model));
  assert.equal(film?.video_envelope, { max_seconds: 12, fps: [24], audio: true });
  assert.equal(film?.video_generation, {
    type: 'asynchronous',
    generate_audio: { supported_values: [true, false], default: false },
  });
  assert.equal(book?.video_generation, {
    type: 'synchronous',
    generate_audio: { supported_values: [false], default: false },
  });
  assert.equal(story?.video_envelope, {
    frame: { max_pixels: 1_048_576, min_edge: 256, max_edge: 1_536, grid: 16 },
    ...{ max_seconds: 8, fps: [16], frame_step: 4, audio: false },
  });
  assert.equal(Object(story?.reference_inputs).video, {
    ...{ sources: ['base64'], formats: ['video/mp4'] },
    roles: { image: ['reference', 'canny', 'depth', 'openpose'], audio: ['reference'], video: ['reference', 'depth'] },
    ...{ control_sets: [['depth', 'openpose']], max_items: 3 },
  });
  assert.equal(book?.pricing, { video_second: '0.004', discount: 0 });
  // A conditional tariff has no scalar key.
  assert.equal(film?.pricing, { discount: 0 });
  const chat = shown(board(live), live.model);
  assert.is(chat.video_envelope, null);
  assert.is('video_generation' in chat, false);
});

it('the listing of video models is the union over live endpoints, null where none declares (rule V14)', () => {
  // rule V14
  const [film] = listVideoModels(demo());
  assert.equal(
    listVideoModels(demo()).map(({ id }) => id),
    ['sim/filmstrip', 'sim/flipbook', 'sim/storyboard'],
  );
  assert.equal(film?.pricing_skus, {
    duration_seconds: '0.02',
    duration_seconds_1080p: '0.05',
    duration_seconds_480p: '0.01',
    duration_seconds_720p: '0.02',
  });
  const one = clips('one', {
    supported_parameters: {
      resolution: { type: 'enum', values: ['720p'] },
      duration: { type: 'enum', values: [8, 4, 2.5] },
      frame_images: { type: 'array', items: { type: 'enum', values: ['first_frame'] } },
    },
    pricing: [{ ...SECOND, overrides: [{ when: { generate_audio: { equals: true } }, cost_usd: '0.2' }] }],
    passthrough_parameters: { motion: { type: 'integer' } },
  });
  const two = clips('two', {
    supported_parameters: {
      resolution: { type: 'enum', values: ['1080p', '720p'] },
      duration: { type: 'range', min: 1.5, max: 3 },
      seed: { type: 'integer' },
      generate_audio: { type: 'enum', values: [false] },
    },
    video: { references: { roles: { image: ['reference'], video: ['depth'] } } },
    pricing: [{ ...SECOND, cost_usd: '0.09' }],
  });
  assert.equal(listVideoModels(onBoard(one, two, live as never)), [
    {
      id: 'm/one',
      canonical_slug: 'm/one',
      model_hub_id: null,
      name: 'M: One',
      created: 1_750_000_000,
      supported_resolutions: ['720p', '1080p'],
      supported_aspect_ratios: null,
      supported_sizes: null,
      supported_durations: [2, 3, 4, 8],
      supported_frame_images: ['first_frame'],
      supported_reference_roles: { image: ['reference'], video: ['depth'] },
      generate_audio: false,
      seed: true,
      pricing_skus: { duration_seconds: '0.09' },
      allowed_passthrough_parameters: ['motion'],
      upscale_factor: null,
      creativity: null,
    },
  ]);
  const bare = listVideoModels(onBoard(clips('p', {})))[0];
  for (const member of ['generate_audio', 'seed', 'pricing_skus', 'supported_durations', 'supported_reference_roles']) {
    assert.is(bare?.[member], null, member);
  }
  // Only suffixed names: no untiered rate is declared.
  const partial = clips('p', {
    pricing: [{ ...SECOND, utc_start: 0, utc_end: 100, overrides: [] }],
  });
  assert.is(listVideoModels(onBoard(partial))[0]?.pricing_skus, null);
});

test.run();
