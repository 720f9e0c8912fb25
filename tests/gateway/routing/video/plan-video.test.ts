import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { EndpointDeclaration } from '../../../../actors/terms/endpoint.ts';
import type { VideoRequest } from '../../../../gateway/terms/video-request.ts';
import { CLIPS, SECOND } from '../../../fixtures/models/clips.ts';
import { bounded } from '../../../support/bounded.ts';
import { board } from '../../../support/model/endpoints.ts';
import {
  asset,
  BOOK,
  type Board,
  clips,
  demo,
  FILM,
  live,
  onBoard,
  plan,
  refusal,
  rejectionsOf,
  STORY,
} from './scene.ts';

const it = bounded(test);

it('a candidate is frozen with its rate, its bound of one frame more, and what a clip is judged by (rule V11)', () => {
  // rule V11, rule V17
  const { candidates, rejections, unrenderable } = plan(demo(), {
    ...FILM,
    duration: '4',
    resolution: '1080p',
    generateAudio: true,
  });
  assert.equal([rejections, unrenderable, candidates.length], [[], null, 1]);
  const [{ endpoint: _, tariff: __, ...first } = {} as never] = candidates;
  assert.equal(first, {
    ...{ tag: 'sim-v', provider: { name: 'Sim V', slug: 'sim-v' }, model: 'sim/filmstrip' },
    // 4 seconds and 1/24 at 0.075 USD.
    ...{ rate: '0.075', bound: '0.303125025', options: null, cancellable: true, idempotentCreate: true },
    target: { dialect: 'video-jobs', baseUrl: 'http://x/v1', upstreamId: 'filmstrip-2026' },
    geometry: { size: null, resolution: '1080p', aspectRatio: null },
    admitted: {
      ...{ secondsMax: '4.041667', size: null, audio: true, fps: 24 },
      named: { sizes: [], shorterEdge: 1_080, tolerance: 16 },
    },
  });
});

it('declared defaults decide the length and the rate of what is not asked for', () => {
  const bare = plan(demo(), FILM).candidates[0];
  assert.equal([bare?.rate, bare?.admitted.secondsMax], ['0.02', '4.041667']);
  // Without a default the longest declared clip bounds the hold.
  const ranged = clips('p', {
    supported_parameters: { duration: { type: 'range', min: 1, max: 9 } },
    pricing: [SECOND],
  });
  assert.is(plan(onBoard([ranged]), {}).candidates[0]?.admitted.secondsMax, '9.1');
  const limited = clips('p', { video: { max_seconds: 7, fps: [25] }, pricing: [SECOND] });
  assert.is(plan(onBoard([limited]), {}).candidates[0]?.bound, '0.704');
  // Nothing bounds the clip: refused before any work.
  const endless = refusal(onBoard([clips('p', { pricing: [SECOND] })]), {});
  assert.is(endless.status, 503);
  assert.match(endless.message, 'the endpoint declares no longest clip');
  const unpriced = plan(onBoard([clips('p', { video: { max_seconds: 7 } })]), {}).candidates[0];
  assert.equal([unpriced?.rate, unpriced?.bound], [null, '0']);
});

it('a model without a video endpoint is 404 before any work (rule V5)', () => {
  // rule V5
  const unknown = refusal(demo(), { model: 'sim/nothing' });
  assert.equal([unknown.status, unknown.metadata?.reason], [404, 'model_not_in_catalogue']);
  const chat = refusal(board(live), { model: live.model });
  assert.equal(
    [chat.status, chat.metadata],
    [404, { requested: live.model, resolved: live.model, reason: 'no_video_endpoint' }],
  );
});

it('references that no endpoint takes are 400 and name what is accepted (rule V6)', () => {
  // rule V6
  const table: readonly (readonly [Partial<VideoRequest>, string])[] = [
    [
      { ...BOOK, assets: [asset('image', 'first_frame')] },
      'frame_images: no endpoint takes image as an input; they accept neither',
    ],
    [
      { ...STORY, assets: [asset('image', 'last_frame')] },
      'no endpoint takes last_frame; they accept frame_images first_frame;',
    ],
    [
      { ...FILM, assets: [asset('image', 'reference')] },
      'input_references: no endpoint takes image in the role reference; they accept frame_images first_frame, last_frame',
    ],
    [
      { ...STORY, assets: [asset('image', 'normal')] },
      'image in the role normal; they accept frame_images first_frame; image as reference, canny, depth, openpose',
    ],
    [{ ...STORY, assets: [asset('image', 'reference', 'image/gif')] }, 'no endpoint takes image/gif'],
    [
      { ...STORY, assets: [asset('image', 'canny'), asset('image', 'depth')] },
      'no endpoint takes canny with depth; they accept',
    ],
    [{ ...STORY, assets: [1, 2, 3, 4].map(() => asset('image', 'reference')) }, 'no endpoint takes 4 items'],
  ];
  for (const [ask, message] of table) {
    const { status, message: given } = refusal(demo(), ask);
    assert.is(status, 400);
    assert.ok(given.includes(message), `${given} | ${message}`);
  }
  const together = [asset('image', 'depth'), asset('image', 'openpose'), asset('video', 'reference')];
  assert.is(plan(demo(), { ...STORY, assets: together }).candidates.length, 1);
  assert.is(plan(demo(), { ...STORY, prompt: null, assets: [asset('image', 'first_frame')] }).candidates.length, 1);
});

it('a prompt is required where every endpoint declares so, and its length is judged (rule V7)', () => {
  const pictured = {
    promptless: clips(
      'p',
      { supported_parameters: { frame_images: { type: 'enum', values: ['first_frame'] } }, video: { max_seconds: 5 } },
      { input_modalities: [...CLIPS.input_modalities, { type: 'image' }] },
    ),
  };
  const refused = refusal(onBoard([pictured.promptless]), { prompt: null, assets: [asset('image', 'first_frame')] });
  assert.equal(
    [refused.status, refused.message],
    [400, 'prompt is required: no endpoint of this model renders without one'],
  );
  const long = refusal(demo(), { ...BOOK, prompt: 'lake '.repeat(3_000) });
  assert.equal([long.status, long.type], [400, 'context_length_exceeded']);
});

it('a geometry that no endpoint renders, and a length off their grids, are no refusal: the job fails on it (rule V9)', () => {
  // rule V9
  const table: readonly (readonly [Partial<VideoRequest>, string])[] = [
    [{ ...BOOK, size: { width: 640, height: 360 } }, 'size cannot be met (640x360)'],
    [{ ...BOOK, resolution: '4K', aspectRatio: '16:9' }, 'resolution cannot be met (4K 16:9)'],
    [{ ...STORY, duration: '0.3' }, 'duration cannot be met (0.3 seconds)'],
    [{ ...FILM, duration: '2.51' }, 'duration cannot be met (2.51 seconds)'],
  ];
  for (const [ask, message] of table) {
    const { candidates, unrenderable } = plan(demo(), ask);
    assert.is(candidates.length, 0);
    assert.equal([unrenderable?.code, unrenderable?.error_type], [422, 'unprocessable']);
    assert.ok(unrenderable?.message.includes(message), `${unrenderable?.message} | ${message}`);
  }
  // Where another endpoint renders it and is kept out by a preference, the request is refused with the reasons.
  const [wide, small] = [['1280x720'], ['640x640']].map((values, nth) =>
    clips(`p${nth}`, { supported_parameters: { size: { type: 'enum', values } }, video: { max_seconds: 5 } }),
  ) as [EndpointDeclaration, EndpointDeclaration];
  const kept = { preferences: { allowFallbacks: true, ignore: ['p0'] }, size: { width: 1280, height: 720 } };
  assert.is(refusal(onBoard([wide, small]), kept).status, 503);
});

it('a length that no endpoint of the model renders is 400 at once, naming it and those that they render (rule V9)', () => {
  const ranged = (slug: string, min: number, max: number, more: object = {}) =>
    clips(slug, { supported_parameters: { duration: { type: 'range', min, max } }, ...more });
  const capped = onBoard([ranged('p', 1, 8, { video: { max_seconds: 5 } }), clips('q', { video: { max_seconds: 3 } })]);
  const table: readonly (readonly [Board, Partial<VideoRequest>, string])[] = [
    [demo(), { ...BOOK, duration: '3' }, '3 seconds; they render 2, 4, 6 seconds'],
    [onBoard([ranged('p', 1, 8)]), { duration: '99' }, '99 seconds; they render 1 to 8 seconds'],
    [onBoard([ranged('p', 2, 8)]), { duration: '1.5' }, '1.5 seconds; they render 2 to 8 seconds'],
    [capped, { duration: '6' }, '6 seconds; they render 1 to 5 seconds; at most 3 seconds'],
    // Another fault of the request hides it from nobody.
    [onBoard([ranged('p', 1, 8)]), { duration: '99', resolution: '4K', aspectRatio: '16:9' }, '99 seconds'],
  ];
  for (const [topic, ask, expected] of table) {
    const { status, type, message } = refusal(topic, ask);
    assert.equal([status, type], [400, 'invalid_request']);
    assert.ok(message.startsWith(`duration: no endpoint of this model renders ${expected}`), message);
  }
  const two = onBoard([ranged('p', 1, 2), ranged('q', 5, 8)]);
  assert.is(plan(two, { duration: '2' }).candidates.length, 1);
  assert.is(plan(two, { duration: '6' }).candidates.length, 1);
});

it('an explicit soundtrack or silence goes only to an endpoint that declares and admits it (rule V10)', () => {
  // rule V10
  assert.is(plan(demo(), { ...BOOK, generateAudio: false }).candidates.length, 1);
  const loud = refusal(demo(), { ...BOOK, generateAudio: true });
  assert.is(loud.status, 503);
  assert.equal(rejectionsOf(loud)[0]?.member, 'generate_audio');
  assert.is(refusal(demo(), { ...STORY, generateAudio: false }).status, 503);
  assert.is(refusal(demo(), { ...STORY, ...BOOK, seed: -1 }).status, 503);
  // Omitted without a default: a rate that depends on it cannot be chosen.
  const priced = { ...SECOND, overrides: [{ when: { generate_audio: { equals: true } }, cost_usd: '0.3' }] };
  const output = (more: object) =>
    clips('p', {
      supported_parameters: { generate_audio: { type: 'boolean', ...more } },
      video: { max_seconds: 5 },
      pricing: [priced],
    });
  assert.match(refusal(onBoard([output({})]), {}).message, 'no declared price covers this combination');
  assert.is(plan(onBoard([output({ default: true })]), {}).candidates[0]?.rate, '0.3');
});

it('preferences, caps and data policy decide as for turns, on the rate that applies (rule V11)', () => {
  const at = (slug: string, cost_usd: string, model: object = {}) =>
    clips(slug, { video: { max_seconds: 5 }, pricing: [{ ...SECOND, cost_usd }] }, model);
  const topic = onBoard([
    at('cheap', '0.01'),
    at('dear', '0.5'),
    at('free-text', '0.02', { data_policy: { training: false } }),
  ]);
  const tags = (preferences: Partial<VideoRequest['preferences']>): string[] =>
    plan(topic, { preferences: { allowFallbacks: true, ...preferences } }).candidates.map(({ tag }) => tag);
  assert.equal(tags({ sort: 'price' }), ['cheap', 'free-text', 'dear']);
  assert.equal(tags({ order: ['dear'], sort: 'price' }), ['dear', 'cheap', 'free-text']);
  assert.equal(tags({ only: ['dear'] }), ['dear']);
  assert.equal(tags({ priceMax: { videoSecond: '0.02' }, sort: 'price' }), ['cheap', 'free-text']);
  assert.equal(tags({ noCollection: true }), ['free-text']);
  assert.is(tags({ allowFallbacks: false }).length, 1);
  const capped = refusal(topic, { preferences: { allowFallbacks: true, priceMax: { videoSecond: '0.001' } } });
  assert.is(capped.status, 503);
  assert.match(capped.message, 'provider.max_price.video_second is 0.001 and the lowest price is 0.01 USD');
  const private_ = refusal(topic, { preferences: { allowFallbacks: true, zeroRetention: 'provider.zdr' } });
  assert.is(rejectionsOf(private_)[0]?.reason, 'data_policy:zdr');
  // The cap is judged on the tier of this request.
  const cap = (videoSecond: string) => ({ preferences: { allowFallbacks: true, priceMax: { videoSecond } } });
  assert.is(plan(demo(), { ...FILM, resolution: '480p', ...cap('0.01') }).candidates.length, 1);
  assert.is(refusal(demo(), { ...FILM, resolution: '1080p', ...cap('0.04') }).status, 503);
  // An undeclared price violates the cap.
  const unpriced = onBoard([clips('p', { video: { max_seconds: 5 } })]);
  assert.is(refusal(unpriced, cap('1')).status, 503);
  const many = onBoard([1, 2, 3, 4, 5, 6].map((n) => at(`p${n}`, '0.01')));
  assert.is(plan(many, {}).candidates.length, 4);
});

it('a tariff that cannot be measured is refused before dispatch, and caps on other units bind nothing (rule V17)', () => {
  // rule V11, rule V17
  const [text] = CLIPS.input_modalities;
  const tokens = {
    input_modalities: [{ ...text, pricing: [{ type: 'prompt', unit: 'token', cost_usd: '0.000001' }] }],
  };
  const mixed = clips('p', { video: { max_seconds: 5 }, pricing: [SECOND] }, tokens);
  assert.match(refusal(onBoard([mixed]), {}).message, 'prices units other than rendered seconds');
  const byToken = clips('p', { video: { max_seconds: 5 }, pricing: [{ ...SECOND, unit: 'token' }] });
  assert.match(refusal(onBoard([byToken]), {}).message, 'no declared price covers');
  const both = clips('p', { video: { max_seconds: 5 }, pricing: [SECOND, { ...SECOND, unit: 'megapixel' }] });
  assert.is(refusal(onBoard([both]), {}).status, 503);
  const capped = {
    preferences: { allowFallbacks: true, priceMax: { prompt: '1', completion: '2', videoSecond: '0.1' } },
  };
  assert.is(plan(onBoard([clips('p', { video: { max_seconds: 5 }, pricing: [SECOND] })]), capped).candidates.length, 1);
});

it('options reach their provider alone, and one that it does not declare is 400', () => {
  const one = clips('p', {
    video: { max_seconds: 5 },
    passthrough_parameters: { motion: { type: 'integer', min: 0, max: 9 } },
  });
  const options = (given: Readonly<Record<string, unknown>>) => ({
    preferences: { allowFallbacks: true, options: { p: given, other: { x: 1 } } },
  });
  assert.equal(plan(onBoard([one]), options({ motion: 3 })).candidates[0]?.options, { motion: 3 });
  assert.is(
    refusal(onBoard([one]), options({ speed: 3 })).message,
    'provider.options.p.speed is not a passthrough parameter of the serving endpoint',
  );
  assert.is(refusal(onBoard([one]), options({ motion: 10 })).status, 400);
});

it('adapters are judged by revision, strength, combination and reference, and change the rate where they are priced (rule V8)', () => {
  // rule V8
  const ask = (...selected: [string, string, number][]): Partial<VideoRequest> => ({
    ...STORY,
    preferences: { allowFallbacks: false, only: ['sim-v'] },
    adapters: new Map([['sim-v', selected.map(([id, revision, strength]) => ({ id, revision, strength }))]]),
  });
  const included = plan(demo(), ask(['grain', '1', 0.5])).candidates[0];
  assert.equal(
    [included?.rate, included?.options],
    ['0.015', { adapters: [{ id: 'grain', revision: '1', strength: 0.5 }] }],
  );
  assert.is(plan(demo(), ask(['grain', '1', 0.5], ['ink', '2', 1.5])).candidates[0]?.rate, '0.025');
  const table: readonly (readonly [Partial<VideoRequest>, string])[] = [
    [ask(['blur', '1', 1]), 'blur is not declared'],
    [ask(['ink', '1', 1]), 'ink has revision 2, not 1'],
    [ask(['ink', '2', 2.5]), 'ink has a strength from 0 to 2'],
    [ask(['likeness', '1', 1]), 'likeness needs a reference in the role reference'],
    [
      { ...ask(['likeness', '1', 1], ['grain', '1', 1]), assets: [asset('image', 'reference')] },
      'likeness does not combine with grain',
    ],
  ];
  for (const [request, message] of table) {
    const refused = refusal(demo(), request);
    assert.equal([refused.status, refused.message], [400, `provider.options.sim-v.adapters: ${message}`]);
  }
  assert.is(plan(demo(), { ...ask(['likeness', '1', 1]), assets: [asset('image', 'reference')] }).candidates.length, 1);
  // Only the key of the serving provider is read.
  const elsewhere = { ...STORY, adapters: new Map([['other', [{ id: 'x', revision: '1', strength: 1 }]]]) };
  assert.is(plan(demo(), elsewhere).candidates[0]?.options, null);
});

test.run();
