import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ClipMeasure, ClipMeter } from '../../../../../gateway/jobs/video/clip/measure-clip.ts';
import { UnreadableClip } from '../../../../../gateway/jobs/video/clip/unreadable-clip.ts';
import { type ClipSpec, clip } from '../../../../../gateway/simulator/video/clip.ts';
import { bounded } from '../../../../support/bounded.ts';
import { bytesHeld } from '../../../../support/bytes-held.ts';
import { ffprobe } from '../../../../support/video/ffprobe.ts';

const it = bounded(test);

const PLAIN: ClipSpec = {
  ...{ seconds: 2, fps: 24, width: 320, height: 240 },
  ...{ audio: true, bytesMin: 0, headLast: false },
};

function made(members: Partial<ClipSpec> = {}): Buffer {
  return Buffer.concat([...clip({ ...PLAIN, ...members }).pieces()]);
}

async function measure(bytes: Uint8Array, pieceBytes = 64 * 1_024): Promise<ClipMeasure> {
  const meter = new ClipMeter();
  const passed: Uint8Array[] = [];
  for await (const piece of meter.pass(cut(bytes, pieceBytes))) passed.push(piece);
  assert.ok(Buffer.concat(passed).equals(bytes));
  return meter.measured();
}

async function* cut(bytes: Uint8Array, pieceBytes: number): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

async function failure(bytes: Uint8Array): Promise<string> {
  try {
    await measure(bytes);
  } catch (thrown) {
    assert.instance(thrown, UnreadableClip);
    return (thrown as Error).message;
  }
  return 'measured';
}

const CLIPS: readonly (readonly [string, Partial<ClipSpec>, Partial<ClipMeasure>])[] = [
  ['two seconds', {}, { durationSeconds: '2', frames: 48, fps: '24', width: 320, height: 240, audio: true }],
  ['silent', { audio: false }, { durationSeconds: '2', audio: false }],
  ['half a second', { seconds: 0.5 }, { durationSeconds: '0.5', frames: 12 }],
  ['one frame', { seconds: 1 / 24 }, { durationSeconds: '0.041666666', frames: 1 }],
  ['a fractional rate', { fps: 23.976, seconds: 3 }, { durationSeconds: '3.003003003', frames: 72, fps: '23.976' }],
  ['tables last', { headLast: true, width: 854, height: 480 }, { durationSeconds: '2', width: 854, height: 480 }],
];

for (const [name, members, expected] of CLIPS) {
  it(`a clip is measured exactly, and as ffprobe does: ${name} (rule V18)`, async () => {
    const bytes = made(members);
    const measured = await measure(bytes);
    assert.equal({ ...measured, ...expected }, measured);
    const probed = await ffprobe(bytes);
    assert.is(Number(measured.durationSeconds).toFixed(5), Number(probed.seconds).toFixed(5));
    assert.equal(
      [measured.frames, measured.width, measured.height, measured.audio],
      [probed.frames, probed.width, probed.height, probed.audio],
    );
  });
}

it('the pieces may be cut anywhere', async () => {
  const bytes = made({ width: 64, height: 48, seconds: 0.25 });
  const expected = await measure(bytes);
  for (const pieceBytes of [1, 7, 8, 9, 15, 16, 33, 1_000]) assert.equal(await measure(bytes, pieceBytes), expected);
});

it('a large box in the middle is not held', async () => {
  const bytes = made({ bytesMin: 8 * 1_024 * 1_024 });
  const meter = new ClipMeter();
  // Buffers of the tests before this one are collected first.
  bytesHeld();
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  for await (const _ of meter.pass(cut(bytes, 64 * 1_024))) most = Math.max(most, process.memoryUsage().arrayBuffers);
  assert.is(meter.measured().durationSeconds, '2');
  assert.ok(most - before < 2 * 1_024 * 1_024, `${most - before} bytes were held`);
});

it('a clip that ends early is none, wherever it ends', async () => {
  const bytes = made({ width: 64, height: 48, seconds: 0.25 });
  for (let length = 0; length < bytes.length; length += 37) {
    assert.not.equal(await failure(bytes.subarray(0, length)), 'measured');
  }
});

it('other bytes are no clip', async () => {
  for (const text of ['', '<!doctype html><title>Welcome</title>', '{"error":{}}', 'not a clip '.repeat(1_000)]) {
    assert.not.equal(await failure(Buffer.from(text)), 'measured');
  }
});

it('an edit that hides a part of the clip shortens what is measured', async () => {
  const bytes = made({ audio: false, headLast: true });
  const edited = withEdit(bytes, 1_500);
  assert.is((await measure(edited)).durationSeconds, '1.5');
  assert.is((await measure(withEdit(bytes, 2_000))).durationSeconds, '2');
});

/** Adds an edit list of one entry to the only track; the tables are last, so no offset moves. */
function withEdit(bytes: Buffer, shownMs: number): Buffer {
  const edit = box('edts', box('elst', u32(0), u32(1), u32(shownMs), u32(0), u32(0x10000)));
  const moov = bytes.indexOf('moov') - 4;
  const track = bytes.indexOf('trak') - 4;
  const copy = Buffer.concat([bytes.subarray(0, track + 8), edit, bytes.subarray(track + 8)]);
  copy.writeUInt32BE(bytes.readUInt32BE(moov) + edit.length, moov);
  copy.writeUInt32BE(bytes.readUInt32BE(track) + edit.length, track);
  return copy;
}

function box(type: string, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([u32(body.length + 8), Buffer.from(type), body]);
}

function u32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [nth, value] of values.entries()) bytes.writeUInt32BE(value, 4 * nth);
  return bytes;
}

/** Replaces bytes behind the name of a box, in the first track. */
function patched(name: string, at: number, value: number): Buffer {
  const bytes = made({ width: 64, height: 48, seconds: 0.5 });
  bytes.writeUInt32BE(value, bytes.indexOf(name) + 4 + at);
  return bytes;
}

it('tables that announce more than they hold are refused at once', async () => {
  const huge = 0xffff_ffff;
  const crafted = [
    patched('stsz', 8, huge),
    patched('stts', 4, huge),
    patched('stts', 8, huge),
    patched('mdhd', 12, 0),
    patched('stts', 12, 0),
  ];
  // Four billion samples of one size, in a table of 20 bytes.
  const constant = patched('stsz', 8, huge);
  constant.writeUInt32BE(1, constant.indexOf('stsz') + 8);
  for (const bytes of [...crafted, constant]) {
    assert.not.equal(await failure(bytes), 'measured');
  }
});

it('boxes without end, nested boxes and a giant head are refused', async () => {
  const begin = box('ftyp', Buffer.from('isom'), u32(0));
  const many = Buffer.concat([begin, ...new Array<Buffer>(20_000).fill(box('free'))]);
  assert.match(await failure(many), /more than/);
  let nested = box('mdia');
  for (let depth = 0; depth < 1_000; depth++) nested = box('mdia', nested);
  const handler = box('mdia', box('hdlr', u32(0, 0), Buffer.from('vide'), u32(0, 0, 0)), nested);
  assert.not.equal(await failure(Buffer.concat([begin, box('moov', box('trak', handler))])), 'measured');
  assert.match(await failure(Buffer.concat([begin, u32(0x7fff_ffff), Buffer.from('moov')])), /larger than/);
  assert.match(await failure(Buffer.concat([begin, u32(0), Buffer.from('moov')])), /larger than/);
  const tracks = new Array<Buffer>(200).fill(box('trak'));
  assert.match(await failure(Buffer.concat([begin, box('moov', ...tracks)])), /tracks/);
});

it('a fragmented clip is measured by its fragments', async () => {
  const whole = made({ audio: false, headLast: true, seconds: 0.5 });
  const head = whole.subarray(whole.indexOf('moov') - 4);
  const emptied = Buffer.from(head);
  // No samples in the movie itself: the tables of times and sizes are empty.
  const times = emptied.indexOf('stts');
  const without = Buffer.concat([emptied.subarray(0, times - 4), box('stts', u32(0, 0)), emptied.subarray(times + 20)]);
  const sizes = without.indexOf('stsz');
  const bare = Buffer.concat([
    without.subarray(0, sizes - 4),
    box('stsz', u32(0, 0, 0)),
    without.subarray(sizes - 4 + without.readUInt32BE(sizes - 4)),
  ]);
  const shrunk = resized(bare, head.length);
  const extended = Buffer.concat([shrunk, box('mvex', box('trex', u32(0, 1, 1, 1_000, 0, 0)))]);
  extended.writeUInt32BE(extended.length, 0);
  const fragment = (frames: number): Buffer =>
    Buffer.concat([
      box('moof', box('mfhd', u32(0, 1)), box('traf', box('tfhd', u32(0, 1)), box('trun', u32(0, frames)))),
      box('mdat', Buffer.alloc(100)),
    ]);
  const begin = box('ftyp', Buffer.from('isom'), u32(0));
  const file = Buffer.concat([begin, extended, fragment(24), fragment(12)]);
  const measured = await measure(file);
  assert.equal([measured.durationSeconds, measured.frames, measured.fps], ['1.5', 36, '24']);
  const crafted = Buffer.concat([begin, extended, fragment(0xffff_ffff)]);
  assert.match(await failure(crafted), /announces/);
});

/** Corrects the sizes of the boxes around the tables after bytes were taken away. */
function resized(head: Buffer, before: number): Buffer {
  const copy = Buffer.from(head);
  const less = before - head.length;
  for (const name of ['moov', 'trak', 'mdia', 'minf', 'stbl']) {
    const at = copy.indexOf(name) - 4;
    copy.writeUInt32BE(copy.readUInt32BE(at) - less, at);
  }
  return copy;
}

it('random damage to the tables is measured or refused, and nothing else', async () => {
  const bytes = made({ width: 64, height: 48, seconds: 0.5 });
  const tables = bytes.indexOf('mdat');
  const change = fc.tuple(fc.nat({ max: tables - 1 }), fc.nat({ max: 255 }));
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
      const damaged = Buffer.from(bytes);
      for (const [at, value] of changes) damaged[at] = value;
      await failure(damaged);
    }),
    { numRuns: 300 },
  );
});

test.run();
