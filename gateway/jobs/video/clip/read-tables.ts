import { UnreadableClip } from './unreadable-clip.ts';

/** The members that the measurement reads of the parser's boxes. */
export interface ReadTrack {
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

export interface ReadMovie {
  readonly timescale: number;
  readonly tracks: readonly ReadTrack[];
}

export interface ReadRun {
  readonly track: number;
  readonly frames: number;
  readonly ticks: number;
}

/** The boxes of the parser, as far as they are used. Each may be missing: the bytes are a stranger's. */
interface Boxes {
  readonly moov?: {
    readonly mvhd?: { readonly timescale: number };
    readonly mvex?: {
      readonly trexs?: readonly { readonly track_id: number; readonly default_sample_duration: number }[];
    };
    readonly traks?: readonly Track[];
  };
  readonly moofs?: readonly { readonly trafs?: readonly Fragment[] }[];
}

interface Track {
  readonly tkhd?: { readonly track_id: number };
  readonly edts?: { readonly elst?: { readonly entries: readonly { segment_duration: number; media_time: number }[] } };
  readonly mdia?: {
    readonly mdhd?: { readonly timescale: number };
    readonly minf?: {
      readonly stbl?: {
        readonly stsd?: { readonly entries: readonly { readonly width?: number; readonly height?: number }[] };
        readonly stts?: { readonly sample_counts: readonly number[]; readonly sample_deltas: readonly number[] };
      };
    };
  };
}

interface Fragment {
  readonly tfhd?: { readonly track_id: number; readonly default_sample_duration: number };
  readonly truns?: readonly { readonly sample_count: number; readonly sample_duration: readonly number[] }[];
}

/** Parses tables that were pruned before. */
export type TableParser = (tables: Buffer) => Boxes;

/** Loads the parser when the first clip arrives: it is 240 KB of code that most nodes never need. */
export async function loadParser(): Promise<TableParser> {
  const { createFile, Log, MP4BoxBuffer } = await import('mp4box');
  // It writes to the console, and its least level still does.
  Object.assign(Log, { error: () => {}, warn: () => {} });
  return (tables) => {
    const copy = new ArrayBuffer(tables.length);
    new Uint8Array(copy).set(tables);
    const file = createFile(false);
    file.appendBuffer(MP4BoxBuffer.fromArrayBuffer(copy, 0), true);
    return file as unknown as Boxes;
  };
}

export function readMovie(parse: TableParser, tables: Buffer): ReadMovie {
  const { moov } = parse(tables);
  const timescale = moov?.mvhd?.timescale;
  if (timescale === undefined || timescale === 0) throw new UnreadableClip('a movie without a timescale');
  const defaults = new Map((moov?.mvex?.trexs ?? []).map((trex) => [trex.track_id, trex.default_sample_duration]));
  return { timescale, tracks: (moov?.traks ?? []).map((track) => trackOf(track, defaults)) };
}

export function readFragment(parse: TableParser, tables: Buffer, movie: ReadMovie): readonly ReadRun[] {
  return (parse(tables).moofs ?? []).flatMap(({ trafs = [] }) => trafs.flatMap((traf) => runsOf(traf, movie)));
}

function trackOf({ tkhd, edts, mdia }: Track, defaults: ReadonlyMap<number, number>): ReadTrack {
  const { stsd, stts } = mdia?.minf?.stbl ?? {};
  const [entry] = stsd?.entries ?? [];
  const timescale = mdia?.mdhd?.timescale;
  if (tkhd === undefined || timescale === undefined || timescale === 0 || stts === undefined) {
    throw new UnreadableClip('a track without its tables');
  }
  const edits = edts?.elst?.entries.filter(({ media_time }) => media_time >= 0) ?? [];
  return {
    id: tkhd.track_id,
    timescale,
    width: entry?.width ?? 0,
    height: entry?.height ?? 0,
    times: stts.sample_counts.map((frames, nth) => ({ frames, ticks: stts.sample_deltas[nth] ?? 0 })),
    shownTicks: edits.length === 0 ? null : edits.reduce((sum, { segment_duration }) => sum + segment_duration, 0),
    fragmentTicks: defaults.get(tkhd.track_id) ?? 0,
  };
}

function runsOf({ tfhd, truns = [] }: Fragment, { tracks }: ReadMovie): readonly ReadRun[] {
  const track = tracks.find(({ id }) => id === tfhd?.track_id);
  if (tfhd === undefined || track === undefined) return [];
  const usual = tfhd.default_sample_duration || track.fragmentTicks;
  return truns.map(({ sample_count: frames, sample_duration: own }) => ({
    track: track.id,
    frames,
    ticks: own.length === 0 ? frames * usual : own.reduce((sum, ticks) => sum + ticks, 0),
  }));
}
