import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ClipSpec, clip } from '../../../../gateway/simulator/video/clip.ts';
import { bounded } from '../../../support/bounded.ts';
import { ffprobe } from '../../../support/video/ffprobe.ts';

const it = bounded(test);

const PLAIN: ClipSpec = {
  ...{ seconds: 2, fps: 24, width: 1_280, height: 720 },
  ...{ audio: true, bytesMin: 0, headLast: false },
};

const CLIPS: readonly (readonly [string, Partial<ClipSpec>, { frames: number; fps: string; seconds: string }])[] = [
  ['the usual one', {}, { frames: 48, fps: '24/1', seconds: '2.000000' }],
  [
    'edges that are no multiple of 16, half a second, silent',
    { width: 854, height: 480, seconds: 0.5, audio: false },
    { frames: 12, fps: '24/1', seconds: '0.500000' },
  ],
  ['a fractional frame rate', { fps: 23.976, seconds: 3 }, { frames: 72, fps: '2997/125', seconds: '3.003003' }],
  [
    'upright, tables last',
    { width: 720, height: 1_280, headLast: true, fps: 30 },
    { frames: 60, fps: '30/1', seconds: '2.000000' },
  ],
  [
    'more than one round of pictures',
    { width: 64, height: 48, seconds: 20, fps: 10 },
    { frames: 200, fps: '10/1', seconds: '20.000000' },
  ],
];

for (const [name, members, expected] of CLIPS) {
  it(`a made clip decodes without an error: ${name}`, async () => {
    const spec = { ...PLAIN, ...members };
    const made = clip(spec);
    const bytes = Buffer.concat([...made.pieces()]);
    assert.is(bytes.length, made.bytes);
    const { width, height, audio } = spec;
    assert.equal(await ffprobe(bytes), { ...expected, width, height, audio, errors: '' });
  });
}

it('a clip of 20 MiB shares its pieces and decodes', async () => {
  const made = clip({ ...PLAIN, bytesMin: 20 * 1_024 * 1_024 });
  const pieces = [...made.pieces()];
  assert.ok(made.bytes > 20 * 1_024 * 1_024 && made.bytes < 22 * 1_024 * 1_024);
  const distinct = [...new Set(pieces)].reduce((sum, { length }) => sum + length, 0);
  assert.ok(distinct < 2 * 1_024 * 1_024, `${distinct} bytes are held`);
  const { frames, errors } = await ffprobe(Buffer.concat(pieces));
  assert.equal({ frames, errors }, { frames: 48, errors: '' });
});

it('a probe of a damaged clip complains', async () => {
  const bytes = Buffer.concat([...clip(PLAIN).pieces()]);
  bytes.fill(0, bytes.length - 20_000);
  assert.not.equal((await ffprobe(bytes)).errors, '');
});

test.run();
