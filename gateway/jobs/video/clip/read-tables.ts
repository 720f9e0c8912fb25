import { type BoxPlace, boxesIn } from './box-walk.ts';
import { UnreadableClip } from './unreadable-clip.ts';

const TRACKS_MAX = 16;
/** Entries of a table of times or of edits. A clip with a constant frame rate has one. */
const ENTRIES_MAX = 65_536;
const EDITS_MAX = 64;
/** Parts of a fragment, and runs of one of them. */
const FRAGMENT_BOXES_MAX = 1_024;
/** Codings of pictures that are measured: H.264, H.265, AV1, VP9, and motion JPEG. */
const PICTURES = new Set(['avc1', 'avc3', 'hvc1', 'hev1', 'av01', 'vp09', 'mp4v', 'mjpg']);
/** Bytes of a sample description before its boxes: the size of the picture is in them. */
const VISUAL_ENTRY_BYTES = 86;
/** Frames of one run of a fragment, where the run stores nothing per frame. */
const RUN_FRAMES_MAX = 16_384;

export interface VideoTrack {
  readonly id: number;
  readonly timescale: number;
  readonly width: number;
  readonly height: number;
  /** Of the whole track: frames and ticks by run. */
  readonly times: readonly { readonly frames: number; readonly ticks: number }[];
  /** What of the media is shown, in units of the movie's timescale; null without edits. */
  readonly shownTicks: number | null;
  /** Ticks of a fragment's frame that names none. */
  readonly fragmentTicks: number;
}

export interface Movie {
  readonly timescale: number;
  /** The video tracks. */
  readonly tracks: readonly VideoTrack[];
  readonly audio: boolean;
  /** Number and bytes of the samples of all video tracks; none in a fragmented file. */
  readonly samples: number;
  readonly sampleBytes: number;
}

/** Frames of one run of a fragment, and the ticks of all of them together. */
interface FragmentRun {
  readonly track: number;
  readonly frames: number;
  readonly ticks: number;
}

/**
 * Reads the tables of a movie (`moov`). Every count is checked against the bytes that hold it, so that no loop is longer
 * than the file is large: a table of 20 bytes may otherwise announce four billion equal samples. Throws UnreadableClip.
 * (ISO/IEC 14496-12)
 */
export function readMovie(bytes: Buffer): Movie {
  const root = rootOf(bytes, 'moov');
  const children = boxesIn(bytes, root.body, root.end);
  const tracks = children.filter(({ type }) => type === 'trak');
  if (tracks.length > TRACKS_MAX) throw new UnreadableClip('too many tracks');
  const videos = tracks.filter((track) => handlerOf(bytes, track) === 'vide');
  const sizes = videos.map((track) => samplesOf(bytes, track));
  const ticks = fragmentTicks(bytes, root);
  return {
    timescale: timescaleOf(needed(bytes, root, ['mvhd'], 100)),
    tracks: videos.map((track) => trackOf(bytes, track, ticks)),
    audio: tracks.some((track) => handlerOf(bytes, track) === 'soun'),
    samples: sizes.reduce((sum, { samples }) => sum + samples, 0),
    sampleBytes: sizes.reduce((sum, { sampleBytes }) => sum + sampleBytes, 0),
  };
}

/** Reads one fragment (`moof`) of a movie: the runs of its video tracks. Throws UnreadableClip. */
export function readFragment(bytes: Buffer, { tracks }: Movie): readonly FragmentRun[] {
  return childrenOf(bytes, rootOf(bytes, 'moof'), 'traf').flatMap((part) => {
    const head = needed(bytes, part, ['tfhd'], 8);
    const track = tracks.find(({ id }) => id === head.readUInt32BE(4));
    if (track === undefined) return [];
    const usual = usualTicks(head) || track.fragmentTicks;
    return childrenOf(bytes, part, 'trun').map((run) => ({
      track: track.id,
      ...framesOf(bytes.subarray(run.body, run.end), usual),
    }));
  });
}

function trackOf(bytes: Buffer, track: BoxPlace, ticks: ReadonlyMap<number, number>): VideoTrack {
  const head = needed(bytes, track, ['tkhd'], 84);
  const id = head.readUInt32BE(head[0] === 1 ? 20 : 12);
  return {
    id,
    timescale: timescaleOf(needed(bytes, track, ['mdia', 'mdhd'], 24)),
    ...pictureOf(needed(bytes, track, ['mdia', 'minf', 'stbl', 'stsd'], 8)),
    times: timesOf(needed(bytes, track, ['mdia', 'minf', 'stbl', 'stts'], 8)),
    shownTicks: shownTicks(bodyOf(bytes, track, ['edts', 'elst'])),
    fragmentTicks: ticks.get(id) ?? 0,
  };
}

/** Of `mvhd` and `mdhd`: units per second. */
function timescaleOf(body: Buffer): number {
  const timescale = body.readUInt32BE(body[0] === 1 ? 20 : 12);
  if (timescale === 0) throw new UnreadableClip('a movie without a timescale');
  return timescale;
}

function handlerOf(bytes: Buffer, track: BoxPlace): string | null {
  const body = bodyOf(bytes, track, ['mdia', 'hdlr']);
  return body === null || body.length < 24 ? null : body.toString('latin1', 8, 12);
}

/** The size of the picture, of the first sample description. */
function pictureOf(body: Buffer): { readonly width: number; readonly height: number } {
  const [first] = boxesIn(body, 8, body.length);
  if (first === undefined || first.end - first.start < VISUAL_ENTRY_BYTES) {
    throw new UnreadableClip('no description of the picture');
  }
  if (!PICTURES.has(first.type)) throw new UnreadableClip('an unknown coding of pictures');
  return { width: body.readUInt16BE(first.start + 32), height: body.readUInt16BE(first.start + 34) };
}

function timesOf(body: Buffer): VideoTrack['times'] {
  return entriesOf(body, 8, ENTRIES_MAX).map((entry) => ({
    frames: entry.readUInt32BE(0),
    // A negative length counts as the shortest one, as players take it.
    ticks: entry.readInt32BE(4) < 0 ? 1 : entry.readInt32BE(4),
  }));
}

/** The sum of the edits that show media; null if there is none. */
function shownTicks(body: Buffer | null): number | null {
  if (body === null) return null;
  const isLarge = body[0] === 1;
  const shown = entriesOf(body, isLarge ? 20 : 12, EDITS_MAX)
    .map((entry) => ({
      duration: isLarge ? Number(entry.readBigUInt64BE(0)) : entry.readUInt32BE(0),
      from: isLarge ? Number(entry.readBigInt64BE(8)) : entry.readInt32BE(4),
    }))
    .filter(({ from }) => from >= 0);
  return shown.length === 0 ? null : shown.reduce((sum, { duration }) => sum + duration, 0);
}

/** Number and bytes of a track's samples. */
function samplesOf(bytes: Buffer, track: BoxPlace): { readonly samples: number; readonly sampleBytes: number } {
  const body = needed(bytes, track, ['mdia', 'minf', 'stbl', 'stsz'], 12);
  const [each, samples] = [body.readUInt32BE(4), body.readUInt32BE(8)];
  if (each !== 0) return { samples, sampleBytes: each * samples };
  if (body.length !== 12 + 4 * samples) throw new UnreadableClip(`a table announces ${samples} samples`);
  let sampleBytes = 0;
  for (let at = 12; at < body.length; at += 4) sampleBytes += body.readUInt32BE(at);
  return { samples, sampleBytes };
}

/** The usual ticks of a fragment's frame, by track. */
function fragmentTicks(bytes: Buffer, root: BoxPlace): ReadonlyMap<number, number> {
  const extends_ = within(bytes, root, ['mvex']);
  if (extends_ === null) return new Map();
  return new Map(
    childrenOf(bytes, extends_, 'trex').map(({ body, end }) => {
      const entry = atLeast(bytes.subarray(body, end), 24);
      return [entry.readUInt32BE(4), entry.readUInt32BE(12)];
    }),
  );
}

/** The usual ticks that the head of a fragment's part names; 0 if it names none. */
function usualTicks(head: Buffer): number {
  const flags = head.readUInt32BE(0);
  if ((flags & 8) === 0) return 0;
  const at = 8 + ((flags & 1) === 0 ? 0 : 8) + ((flags & 2) === 0 ? 0 : 4);
  return atLeast(head, at + 4).readUInt32BE(at);
}

const DURATION_FLAG = 0x100;
const PER_FRAME_FLAGS = [DURATION_FLAG, 0x200, 0x400, 0x800];

function framesOf(body: Buffer, usual: number): { readonly frames: number; readonly ticks: number } {
  const flags = atLeast(body, 8).readUInt32BE(0);
  const frames = body.readUInt32BE(4);
  const fixed = 8 + ((flags & 1) === 0 ? 0 : 4) + ((flags & 4) === 0 ? 0 : 4);
  const perFrame = 4 * PER_FRAME_FLAGS.filter((flag) => (flags & flag) !== 0).length;
  if (frames > RUN_FRAMES_MAX || body.length !== fixed + frames * perFrame) {
    throw new UnreadableClip(`a run announces ${frames} frames`);
  }
  if ((flags & DURATION_FLAG) === 0) return { frames, ticks: frames * usual };
  let ticks = 0;
  for (let at = fixed; at < body.length; at += perFrame) ticks += body.readUInt32BE(at);
  return { frames, ticks };
}

/** The entries of a table whose count precedes them. */
function entriesOf(body: Buffer, entryBytes: number, max: number): readonly Buffer[] {
  const count = atLeast(body, 8).readUInt32BE(4);
  if (count > max || body.length !== 8 + count * entryBytes) {
    throw new UnreadableClip(`a table announces ${count} entries`);
  }
  return Array.from({ length: count }, (_, nth) => body.subarray(8 + nth * entryBytes, 8 + (nth + 1) * entryBytes));
}

function rootOf(bytes: Buffer, type: string): BoxPlace {
  const [root] = boxesIn(bytes, 0, bytes.length);
  if (root?.type !== type) throw new UnreadableClip(`no box ${type}`);
  return root;
}

function childrenOf(bytes: Buffer, { body, end }: BoxPlace, wanted: string): readonly BoxPlace[] {
  const children = boxesIn(bytes, body, end);
  if (children.length > FRAGMENT_BOXES_MAX) throw new UnreadableClip('too many boxes');
  return children.filter(({ type }) => type === wanted);
}

/** The first box of that path below another one. */
function within(bytes: Buffer, box: BoxPlace, path: readonly string[]): BoxPlace | null {
  let place: BoxPlace | undefined = box;
  for (const name of path) {
    place = boxesIn(bytes, place.body, place.end).find(({ type }) => type === name);
    if (place === undefined) return null;
  }
  return place;
}

function bodyOf(bytes: Buffer, box: BoxPlace, path: readonly string[]): Buffer | null {
  const place = within(bytes, box, path);
  return place && bytes.subarray(place.body, place.end);
}

function needed(bytes: Buffer, box: BoxPlace, path: readonly string[], bytesMin: number): Buffer {
  const body = bodyOf(bytes, box, path);
  if (body === null) throw new UnreadableClip(`no box ${path.at(-1)}`);
  return atLeast(body, bytesMin);
}

function atLeast(body: Buffer, bytes: number): Buffer {
  if (body.length < bytes) throw new UnreadableClip('a box is cut');
  return body;
}
