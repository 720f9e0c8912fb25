import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sizeOf, sizeText } from '../../../../gateway/terms/video-geometry.ts';
import type { VideoRequest } from '../../../../gateway/terms/video-request.ts';
import { ASPECT_RATIOS, RESOLUTIONS } from '../../../../gateway/terms/video-request.ts';
import { SECOND } from '../../../fixtures/models/clips.ts';
import { bounded } from '../../../support/bounded.ts';
import { clips, onBoard, plan } from './scene.ts';

const it = bounded(test);

it('lengths lie on the frame grid of the endpoint, exactly', () => {
  const at = (duration: object | null, limits: object): ((seconds: string) => boolean) => {
    const parameters = duration === null ? {} : { duration };
    const topic = onBoard([clips('p', { supported_parameters: parameters, video: limits })]);
    return (seconds) => {
      try {
        return plan(topic, { duration: seconds }).candidates.length === 1;
      } catch (thrown) {
        assert.match((thrown as Error).message, `renders ${seconds} seconds`);
        return false;
      }
    };
  };
  const cases: readonly (readonly [object | null, object, readonly string[], readonly string[]])[] = [
    [{ type: 'range', min: 0.1, max: 5, step: 0.1 }, {}, ['0.1', '0.7', '2.3', '5'], ['0.15', '0', '5.1', '0.05']],
    [{ type: 'range', min: 1, max: 8 }, { fps: [24] }, ['1', '2.5', '1.125', '7.875'], ['1.1', '0.5', '8.5']],
    [
      { type: 'range', min: 0.25, max: 8 },
      { fps: [16], frame_step: 4 },
      ['0.25', '0.5', '7.75'],
      ['0.3', '0.3125', '8.25'],
    ],
    [{ type: 'range', min: 1, max: 8 }, { fps: [24, 25] }, ['1.04', '1.125'], ['1.041']],
    [{ type: 'range', min: 1, max: 8 }, {}, ['1', '8'], ['1.5', '9']],
    [{ type: 'integer', min: 2, max: 4 }, { fps: [24] }, ['2', '4'], ['2.5', '1', '5']],
    [{ type: 'enum', values: [2, 2.5] }, { fps: [24] }, ['2', '2.5', '2.50'], ['3']],
    [null, { max_seconds: 6, fps: [23.976] }, [], ['5', '1.001']],
    [null, { max_seconds: 6 }, ['1', '6'], ['1.5', '7']],
    [{ type: 'range', min: 1, max: 30 }, { max_seconds: 10 }, ['10'], ['11']],
  ];
  for (const [duration, limits, on, off] of cases) {
    const admits = at(duration, { max_seconds: 60, ...limits });
    for (const seconds of on) assert.ok(admits(seconds), `${JSON.stringify([duration, limits])} ${seconds}`);
    for (const seconds of off) assert.not.ok(admits(seconds), `${JSON.stringify([duration, limits])} ${seconds}`);
  }
});

it('a size and a resolution with its ratio reach an endpoint in the form that it declares', () => {
  // rule V9
  const named = { resolution: { type: 'enum', values: ['720p'] }, aspect_ratio: { type: 'enum', values: ['16:9'] } };
  const sizes = { size: { type: 'enum', values: ['1280x720'] } };
  const geometryAt = (parameters: object, ask: Partial<VideoRequest>, pricing: object = SECOND) =>
    plan(
      onBoard([clips('p', { supported_parameters: parameters, video: { max_seconds: 5 }, pricing: [pricing] })]),
      ask,
    ).candidates[0];
  const pixels = { size: { width: 1280, height: 720 } };
  const tier = { resolution: '720p', aspectRatio: '16:9' };
  assert.equal(geometryAt(sizes, tier)?.geometry, { ...pixels, resolution: null, aspectRatio: null });
  assert.equal(geometryAt(named, tier)?.geometry, { size: null, ...tier });
  const converted = geometryAt(named, pixels);
  assert.equal(converted?.geometry, { size: null, ...tier });
  // The caller named pixels, so the clip must have them.
  assert.equal(converted?.admitted.size, pixels.size);
  assert.is(geometryAt(named, tier)?.admitted.size, null);
  assert.is(geometryAt(sizes, { resolution: '720p' }), undefined);
  // A size is never mapped to a tier whose name decides the price.
  const tiered = { ...SECOND, overrides: [{ when: { resolution: { equals: '720p' } }, cost_usd: '0.3' }] };
  assert.is(geometryAt(named, pixels, tiered), undefined);
  assert.is(geometryAt(named, { ...pixels, resolution: '720p' }, tiered)?.rate, '0.3');
  assert.is(geometryAt({ ...named, ...sizes }, pixels, tiered)?.rate, '0.1');
  assert.is(geometryAt(sizes, tier, tiered)?.rate, '0.3');
});

it('a resolution binds the pixels that its names or the endpoint itself declare', () => {
  // rule V19
  const names = {
    resolution: { type: 'enum', values: ['480p', '720p', '1080p'] },
    aspect_ratio: { type: 'enum', values: ['16:9', '1:1', '4:3'] },
  };
  const admittedAt = (ask: Partial<VideoRequest>, parameters: object = {}, limits: object = {}) =>
    plan(
      onBoard([
        clips('p', { supported_parameters: { ...names, ...parameters }, video: { max_seconds: 5, ...limits } }),
      ]),
      ask,
    ).candidates[0]?.admitted;
  const pixels = (width: number, height: number) => ({ width, height });
  const wide = { resolution: '720p', aspectRatio: '16:9' };
  assert.equal(admittedAt(wide)?.named, { sizes: [pixels(1_280, 720)], shorterEdge: null, tolerance: 16 });
  assert.equal(admittedAt({ resolution: '720p' })?.named, { sizes: [], shorterEdge: 720, tolerance: 16 });
  // No resolution names no pixels, and pixels are judged as such.
  assert.is(admittedAt({ aspectRatio: '16:9' })?.named, undefined);
  assert.is(admittedAt({ size: pixels(1_280, 720) })?.named, undefined);
  assert.is(admittedAt({ resolution: '1K' }, { resolution: { type: 'enum', values: ['1K'] } })?.named, undefined);
  // Sizes that the endpoint declares itself count where they are nearest, by the shorter edge or by area.
  const own = { size: { type: 'enum', values: ['832x480', '854x480', '1104x832', '960x960', '1920x1080'] } };
  assert.equal(admittedAt({ ...wide, resolution: '480p' }, own)?.named?.sizes, [pixels(854, 480), pixels(832, 480)]);
  assert.equal(admittedAt({ ...wide, aspectRatio: '1:1' }, own)?.named?.sizes, [pixels(720, 720), pixels(960, 960)]);
  assert.equal(admittedAt({ ...wide, aspectRatio: '4:3' }, own)?.named?.sizes, [pixels(960, 720), pixels(1_104, 832)]);
  assert.equal(admittedAt({ ...wide, resolution: '1080p' }, own)?.named?.sizes, [pixels(1_920, 1_080)]);
  assert.equal(admittedAt({ resolution: '720p' }, own)?.named?.sizes, [pixels(1_104, 832), pixels(960, 960)]);
  // A coarse grid moves each edge to the next multiple, and a frame without room for the names means others by them.
  assert.is(admittedAt(wide, {}, { frame: { pixels_max: 921_600, grid: 64 } })?.named?.tolerance, 64);
  assert.is(admittedAt(wide, {}, { frame: { pixels_max: 400_000 } })?.named, undefined);
});

it('a geometry is admitted by its envelope or not at all, whichever form it is asked in', () => {
  const frame = fc.record(
    {
      pixels_max: fc.constantFrom(400_000, 921_600, 2_073_600),
      edge_min: fc.constantFrom(256, 500, 720),
      edge_max: fc.constantFrom(854, 1_280, 1_920),
      grid: fc.constantFrom(1, 2, 8, 16),
    },
    { requiredKeys: ['pixels_max'] },
  );
  const pair = fc.tuple(fc.constantFrom(...RESOLUTIONS), fc.constantFrom(...ASPECT_RATIOS));
  fc.assert(
    fc.property(frame, pair, (limits, [resolution, aspectRatio]) => {
      const output = { supported_parameters: { size: { type: 'unknown' } }, video: { frame: limits, max_seconds: 5 } };
      const topic = onBoard([clips('p', output)]);
      const size = sizeOf(resolution, aspectRatio);
      const edges = size === null ? [] : [size.width, size.height];
      const isInside =
        size !== null &&
        size.width * size.height <= limits.pixels_max &&
        edges.every(
          (edge) =>
            edge >= (limits.edge_min ?? 1) && edge <= (limits.edge_max ?? 99_999) && edge % (limits.grid ?? 1) === 0,
        );
      const byName = plan(topic, { resolution, aspectRatio }).candidates;
      assert.is(byName.length, isInside ? 1 : 0, `${resolution} ${aspectRatio} ${JSON.stringify(limits)}`);
      if (size === null) return;
      const bySize = plan(topic, { size }).candidates;
      assert.equal(bySize[0]?.geometry, byName[0]?.geometry, sizeText(size));
    }),
    { numRuns: 150 },
  );
});

test.run();
