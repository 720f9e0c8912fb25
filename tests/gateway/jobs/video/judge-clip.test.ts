import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Admitted } from '../../../../actors/video-job/render-ask.ts';
import type { ClipMeasure } from '../../../../gateway/jobs/video/clip/measure-clip.ts';
import { judgeClip } from '../../../../gateway/jobs/video/judge-clip.ts';

const CLIP: ClipMeasure = { durationSeconds: '4', frames: 96, fps: '24', width: 1_280, height: 720, audio: false };
const ADMITTED: Admitted = { secondsMax: '4', size: { width: 1_280, height: 720 }, audio: null, fps: null };

const SQUARE = { width: 960, height: 960 };
const BOTH: Partial<Admitted> = {
  size: null,
  named: { sizes: [{ width: 1_280, height: 720 }, SQUARE], shorterEdge: null, tolerance: 16 },
};
const ALONE: Partial<Admitted> = { size: null, named: { sizes: [SQUARE], shorterEdge: 720, tolerance: 16 } };

// One frame of 24 a second is 0.041666... s.
const ROWS: readonly (readonly [string, Partial<ClipMeasure>, string | null, Partial<Admitted>, RegExp | null])[] = [
  ['as asked', {}, '4', {}, null],
  ['one frame longer', { durationSeconds: '4.041666666' }, '4', {}, null],
  ['more than one frame longer', { durationSeconds: '4.042' }, '4', {}, /4.042 seconds instead of 4/],
  ['one frame shorter', { durationSeconds: '3.958333333' }, '4', {}, null],
  ['more than one frame shorter', { durationSeconds: '3.958' }, '4', {}, /3.958 seconds instead of 4/],
  ['a rate that is no whole number', { durationSeconds: '4.0039', fps: '23.976' }, '4', {}, null],
  ['no length asked, within the admitted one', { durationSeconds: '0.5' }, null, {}, null],
  ['no length asked, beyond it', { durationSeconds: '4.1' }, null, {}, /at most 4 were admitted/],
  ['another width', { width: 1_279 }, '4', {}, /1279x720 instead of 1280x720/],
  ['upright', { width: 720, height: 1_280 }, '4', {}, /720x1280/],
  ['any size where no pixels were named', { width: 1_024 }, '4', { size: null }, null],
  ['the size of the names', {}, '4', BOTH, null],
  ['an encoder aligned its edges', { width: 1_296, height: 736 }, '4', BOTH, null],
  ['another size of its own that it declares', { width: 960, height: 960 }, '4', BOTH, null],
  ['a size below the names', { width: 854, height: 480 }, '4', BOTH, /854x480 instead of 1280x720/],
  ['more than an alignment wider', { width: 1_298 }, '4', BOTH, /1298x720 instead of 1280x720/],
  ['the names upright', { width: 720, height: 1_280 }, '4', BOTH, /720x1280 instead of 1280x720/],
  ['the named shorter edge, wide', { width: 1_680, height: 704 }, '4', ALONE, null],
  ['the named shorter edge, upright', { width: 736, height: 1_280 }, '4', ALONE, null],
  ['a declared size beside the named edge', { width: 960, height: 960 }, '4', ALONE, null],
  [
    'a lower shorter edge',
    { width: 854, height: 480 },
    '4',
    ALONE,
    /854x480 instead of 720 pixels on its shorter edge/,
  ],
  ['sound where none is bound', { audio: true }, '4', {}, null],
  ['sound against the request', { audio: true }, '4', { audio: false }, /soundtrack/],
  ['silence against the request', {}, '4', { audio: true }, /no soundtrack/],
  ['the admitted rate', { fps: '23.976023' }, '4', { fps: 24 }, null],
  ['half of the admitted rate', { fps: '12' }, '4', { fps: 24 }, /12 frames per second instead of 24/],
];

for (const [name, measured, durationSeconds, admitted, expected] of ROWS) {
  test(`a clip is ${expected === null ? 'within' : 'outside'} the request: ${name} (rule V19)`, () => {
    const judged = judgeClip({ ...CLIP, ...measured }, { durationSeconds }, { admitted: { ...ADMITTED, ...admitted } });
    if (expected === null) assert.is(judged, null);
    else assert.match(judged ?? '', expected);
  });
}

test.run();
