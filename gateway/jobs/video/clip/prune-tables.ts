import { type BoxPlace, boxesIn } from './box-walk.ts';
import { UnreadableClip } from './unreadable-clip.ts';

/** Nesting of the tables that are kept. */
const CONTAINERS = new Set(['moov', 'trak', 'edts', 'mdia', 'minf', 'stbl', 'mvex', 'moof', 'traf']);
/** Bytes of a sample description before its boxes: the size of the picture is in them. */
const VISUAL_ENTRY_BYTES = 86;
/** The deepest table that is read lies five levels below its root. */
const DEPTH_MAX = 8;
const TRACKS_MAX = 16;
/** Entries of a table of times or of edits. A clip with a constant frame rate has one. */
const ENTRIES_MAX = 65_536;
const EDITS_MAX = 64;
/** Boxes of one container, runs of a fragment among them. */
const CHILDREN_MAX = 1_024;
/** Codings of pictures that are measured: H.264, H.265, AV1, VP9, and motion JPEG. */
const PICTURES = new Set(['avc1', 'avc3', 'hvc1', 'hev1', 'av01', 'vp09', 'mp4v', 'mjpg']);
/** Frames of one run of a fragment, where the run stores nothing per frame. */
const RUN_FRAMES_MAX = 16_384;

/** The tables of the video tracks alone, ready for the parser, and what was read of the others. */
export interface PrunedMovie {
  readonly tables: Buffer;
  readonly audio: boolean;
  /** Number and bytes of the samples of all video tracks. */
  readonly samples: number;
  readonly sampleBytes: number;
}

/**
 * A copy of a movie's tables with exactly what the measurement reads. Every count is checked against the bytes that
 * hold it, so the parser of the copy never loops longer than the file is large: a table of 20 bytes may otherwise
 * announce four billion equal samples. (issue 18, line 1)
 */
export function prunedMovie(bytes: Buffer): PrunedMovie {
  const root = rootOf(bytes, 'moov');
  const children = boxesIn(bytes, root.body, root.end);
  const tracks = children.filter(({ type }) => type === 'trak');
  if (tracks.length > TRACKS_MAX) throw new UnreadableClip('too many tracks');
  const videos = tracks.filter((track) => handlerOf(bytes, track) === 'vide');
  const others = children.filter(({ type }) => type === 'mvhd' || type === 'mvex');
  const sizes = videos.map((track) => samplesOf(bytes, track));
  return {
    tables: rebuilt(
      'moov',
      [...others, ...videos].map((child) => copied(bytes, child)),
    ),
    audio: tracks.some((track) => handlerOf(bytes, track) === 'soun'),
    samples: sizes.reduce((sum, { samples }) => sum + samples, 0),
    sampleBytes: sizes.reduce((sum, { sampleBytes }) => sum + sampleBytes, 0),
  };
}

/** The same for one fragment of a movie. */
export function prunedFragment(bytes: Buffer): Buffer {
  return copied(bytes, rootOf(bytes, 'moof'));
}

function rootOf(bytes: Buffer, type: string): BoxPlace {
  const [root] = boxesIn(bytes, 0, bytes.length);
  if (root?.type !== type) throw new UnreadableClip(`no box ${type}`);
  return root;
}

function copied(bytes: Buffer, box: BoxPlace, depth = 0): Buffer {
  if (depth > DEPTH_MAX) throw new UnreadableClip('boxes in boxes without end');
  const keep = KEPT[box.type];
  if (keep !== undefined) return rebuilt(box.type, [keep(bytes.subarray(box.body, box.end))]);
  const children = boxesIn(bytes, box.body, box.end);
  if (children.length > CHILDREN_MAX) throw new UnreadableClip('too many boxes');
  const wanted = children.filter(({ type }) => CONTAINERS.has(type) || KEPT[type] !== undefined);
  return rebuilt(
    box.type,
    wanted.map((child) => copied(bytes, child, depth + 1)),
  );
}

function within(bytes: Buffer, box: BoxPlace, path: readonly string[]): BoxPlace | null {
  let place: BoxPlace | undefined = box;
  for (const name of path) {
    place = boxesIn(bytes, place.body, place.end).find(({ type }) => type === name);
    if (place === undefined) return null;
  }
  return place;
}

function handlerOf(bytes: Buffer, track: BoxPlace): string | null {
  const box = within(bytes, track, ['mdia', 'hdlr']);
  if (box === null || box.end - box.body < 24) return null;
  return bytes.toString('latin1', box.body + 8, box.body + 12);
}

/** Number and bytes of a track's samples; none in a fragmented file. */
function samplesOf(bytes: Buffer, track: BoxPlace): { readonly samples: number; readonly sampleBytes: number } {
  const box = within(bytes, track, ['mdia', 'minf', 'stbl', 'stsz']);
  if (box === null) throw new UnreadableClip('a track without sample sizes');
  const body = atLeast(bytes.subarray(box.body, box.end), 12);
  const [each, samples] = [body.readUInt32BE(4), body.readUInt32BE(8)];
  if (each !== 0) return { samples, sampleBytes: each * samples };
  if (body.length !== 12 + 4 * samples) throw new UnreadableClip(`a table announces ${samples} samples`);
  let sampleBytes = 0;
  for (let at = 12; at < body.length; at += 4) sampleBytes += body.readUInt32BE(at);
  return { samples, sampleBytes };
}

type Keep = (body: Buffer) => Buffer;

/** The boxes that are read, with the check of each. */
const KEPT: { readonly [type: string]: Keep | undefined } = {
  mvhd: (body) => atLeast(body, 100),
  tkhd: (body) => atLeast(body, 84),
  mdhd: (body) => atLeast(body, 24),
  hdlr: (body) => Buffer.concat([atLeast(body, 24).subarray(0, 24), Buffer.alloc(1)]),
  stsd: firstEntry,
  stts: (body) => counted(body, { at: 4, entryBytes: 8, max: ENTRIES_MAX }),
  elst: (body) => counted(body, { at: 4, entryBytes: atLeast(body, 8)[0] === 1 ? 20 : 12, max: EDITS_MAX }),
  trex: (body) => atLeast(body, 24),
  tfhd: (body) => atLeast(body, 8),
  trun: runOf,
  mfhd: (body) => atLeast(body, 8),
};

function atLeast(body: Buffer, bytes: number): Buffer {
  if (body.length < bytes) throw new UnreadableClip('a box is cut');
  return body;
}

function counted(
  body: Buffer,
  { at, entryBytes, max }: { readonly at: number; readonly entryBytes: number; readonly max: number },
): Buffer {
  const count = atLeast(body, at + 4).readUInt32BE(at);
  if (count > max || body.length !== at + 4 + count * entryBytes) {
    throw new UnreadableClip(`a table announces ${count} entries`);
  }
  return body;
}

/** The first sample description, without the boxes inside it. */
function firstEntry(body: Buffer): Buffer {
  const [first] = boxesIn(body, 8, atLeast(body, 8).length);
  if (first === undefined || first.end - first.start < VISUAL_ENTRY_BYTES) {
    throw new UnreadableClip('no description of the picture');
  }
  const type = body.toString('latin1', first.start + 4, first.start + 8);
  if (!PICTURES.has(type)) throw new UnreadableClip('an unknown coding of pictures');
  const entry = rebuilt(type, [body.subarray(first.start + 8, first.start + VISUAL_ENTRY_BYTES)]);
  return Buffer.concat([body.subarray(0, 4), u32(1), entry]);
}

const PER_FRAME_FLAGS = [0x100, 0x200, 0x400, 0x800];

function runOf(body: Buffer): Buffer {
  const flags = atLeast(body, 8).readUInt32BE(0) & 0xffffff;
  const frames = body.readUInt32BE(4);
  const fixed = 8 + ((flags & 1) === 0 ? 0 : 4) + ((flags & 4) === 0 ? 0 : 4);
  const perFrame = 4 * PER_FRAME_FLAGS.filter((flag) => (flags & flag) !== 0).length;
  if (frames > RUN_FRAMES_MAX || body.length !== fixed + frames * perFrame) {
    throw new UnreadableClip(`a run announces ${frames} frames`);
  }
  return body;
}

function rebuilt(type: string, content: readonly Buffer[]): Buffer {
  const bytes = content.reduce((sum, { length }) => sum + length, 8);
  return Buffer.concat([u32(bytes), Buffer.from(type, 'latin1'), ...content]);
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
