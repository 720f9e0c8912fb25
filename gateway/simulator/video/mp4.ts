/**
 * Writes a progressive MP4 with one H.264 track and, on request, one AAC track. The pieces of a clip share a few
 * buffers, so a large clip costs the memory of one second of it.
 */

/** One sample as the pieces that make it up; `bytes` is their sum. */
export interface Sample {
  readonly pieces: readonly Buffer[];
  readonly bytes: number;
}

interface VideoTrack {
  readonly width: number;
  readonly height: number;
  readonly timescale: number;
  /** Duration of one frame, in units of the timescale. */
  readonly frameTicks: number;
  readonly frames: number;
  /** Frames from one key frame to the next: also a chunk. */
  readonly framesPerKey: number;
  readonly sequence: Buffer;
  readonly picture: Buffer;
  readonly sample: (frame: number) => Sample;
}

export interface AudioTrack {
  readonly rate: number;
  readonly sampleTicks: number;
  /** Length in units of the rate. */
  readonly ticks: number;
  readonly config: Buffer;
  readonly sample: Buffer;
}

export interface Movie {
  readonly bytes: number;
  readonly pieces: () => Iterable<Buffer>;
}

interface Table {
  readonly kind: 'vide' | 'soun';
  readonly sizes: readonly number[];
  readonly perChunk: readonly number[];
  offsets: number[];
}

const MOVIE_TIMESCALE = 1_000;
const IDENTITY = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000];

export function movie(video: VideoTrack, audio: AudioTrack | null, layout: { readonly headLast: boolean }): Movie {
  const chunks = chunksOf(video, audio);
  const type = box('ftyp', Buffer.from('isom'), u32(0x200), Buffer.from('isomiso2avc1mp41'));
  const dataBytes = chunks.reduce((sum, { bytes }) => sum + bytes, 0);
  const headBytes = headOf(video, audio, chunks, 0).length;
  const dataAt = type.length + 8 + (layout.headLast ? 0 : headBytes);
  const head = headOf(video, audio, chunks, dataAt);
  const dataHead = Buffer.concat([u32(dataBytes + 8), Buffer.from('mdat')]);
  return {
    bytes: type.length + head.length + 8 + dataBytes,
    *pieces() {
      yield type;
      if (!layout.headLast) yield head;
      yield dataHead;
      for (const chunk of chunks) yield* chunk.pieces();
      if (layout.headLast) yield head;
    },
  };
}

interface Chunk {
  readonly kind: 'vide' | 'soun';
  readonly bytes: number;
  readonly sizes: readonly number[];
  readonly pieces: () => Iterable<Buffer>;
}

/** The pictures of one key frame, then the sound up to the same time. */
function chunksOf(video: VideoTrack, audio: AudioTrack | null): readonly Chunk[] {
  const chunks: Chunk[] = [];
  const samples = audio === null ? 0 : Math.ceil(audio.ticks / audio.sampleTicks);
  let heard = 0;
  for (let from = 0; from < video.frames; from += video.framesPerKey) {
    const to = Math.min(from + video.framesPerKey, video.frames);
    chunks.push(pictureChunk(video, from, to));
    const until = to === video.frames ? samples : Math.floor((samples * to) / video.frames);
    if (audio !== null && until > heard) chunks.push(soundChunk(audio, until - heard));
    heard = until;
  }
  return chunks;
}

function pictureChunk(video: VideoTrack, from: number, to: number): Chunk {
  const sizes = Array.from({ length: to - from }, (_, nth) => video.sample(from + nth).bytes);
  return {
    kind: 'vide',
    sizes,
    bytes: sizes.reduce((sum, size) => sum + size, 0),
    *pieces() {
      for (let frame = from; frame < to; frame++) yield* video.sample(frame).pieces;
    },
  };
}

function soundChunk({ sample }: AudioTrack, count: number): Chunk {
  return {
    kind: 'soun',
    sizes: new Array<number>(count).fill(sample.length),
    bytes: count * sample.length,
    *pieces() {
      yield Buffer.concat(new Array<Buffer>(count).fill(sample));
    },
  };
}

function headOf(video: VideoTrack, audio: AudioTrack | null, chunks: readonly Chunk[], dataAt: number): Buffer {
  const tables: Record<'vide' | 'soun', Table> = { vide: table('vide', chunks), soun: table('soun', chunks) };
  let at = dataAt;
  for (const { kind, bytes } of chunks) {
    tables[kind].offsets.push(at);
    at += bytes;
  }
  const ticks = video.frames * video.frameTicks;
  const ms = Math.round((ticks * MOVIE_TIMESCALE) / video.timescale);
  const head = [u32(0), u32(0), u32(MOVIE_TIMESCALE), u32(ms), u32(0x10000), u16(0x100), Buffer.alloc(10)];
  const tracks = [videoTrack(video, tables.vide, ms)];
  if (audio !== null) tracks.push(audioTrack(audio, tables.soun));
  const next = u32(tracks.length + 1);
  return box('moov', full('mvhd', 0, ...head, ...IDENTITY.map(u32), Buffer.alloc(24), next), ...tracks);
}

function table(kind: Table['kind'], chunks: readonly Chunk[]): Table {
  const own = chunks.filter((chunk) => chunk.kind === kind);
  return {
    kind,
    sizes: own.flatMap(({ sizes }) => sizes),
    perChunk: own.map(({ sizes }) => sizes.length),
    offsets: [],
  };
}

function videoTrack(video: VideoTrack, samples: Table, ms: number): Buffer {
  const { width, height, sequence, picture, frames, frameTicks, framesPerKey, timescale } = video;
  const parameters = [u8(0xe1), u16(sequence.length), sequence, u8(1), u16(picture.length), picture];
  const avcC = box('avcC', u8(1), sequence.subarray(1, 4), u8(0xff), ...parameters);
  const shape = [Buffer.alloc(16), u16(width), u16(height), u32(0x480000), u32(0x480000), u32(0), u16(1)];
  const avc1 = box('avc1', Buffer.alloc(6), u16(1), ...shape, Buffer.alloc(32), u16(24), u16(0xffff), avcC);
  const keys = Array.from({ length: Math.ceil(frames / framesPerKey) }, (_, nth) => nth * framesPerKey + 1);
  const stss = full('stss', 0, u32(keys.length), ...keys.map(u32));
  const times = [{ count: frames, ticks: frameTicks }];
  return track({
    id: 1,
    ms,
    width,
    height,
    samples,
    times,
    extra: [stss],
    media: { timescale, ticks: frames * frameTicks, head: full('vmhd', 1, Buffer.alloc(8)), entry: avc1 },
  });
}

function audioTrack({ rate, ticks, sampleTicks, config }: AudioTrack, samples: Table): Buffer {
  const specific = Buffer.concat([u8(5), u8(config.length), config]);
  const decoder = Buffer.concat([u8(0x40), u8(0x15), Buffer.alloc(3), u32(64_000), u32(64_000), specific]);
  const stream = Buffer.concat([u16(1), u8(0), u8(4), u8(decoder.length), decoder, u8(6), u8(1), u8(2)]);
  const esds = full('esds', 0, u8(3), u8(stream.length), stream);
  const shape = [Buffer.alloc(8), u16(1), u16(16), u32(0), u16(rate), u16(0)];
  const mp4a = box('mp4a', Buffer.alloc(6), u16(1), ...shape, esds);
  const whole = Math.floor(ticks / sampleTicks);
  const rest = ticks - whole * sampleTicks;
  const times = [
    { count: whole, ticks: sampleTicks },
    { count: rest === 0 ? 0 : 1, ticks: rest },
  ];
  const ms = Math.round((ticks * MOVIE_TIMESCALE) / rate);
  return track({
    id: 2,
    ms,
    width: 0,
    height: 0,
    samples,
    times: times.filter(({ count }) => count > 0),
    extra: [],
    media: { timescale: rate, ticks, head: full('smhd', 0, u32(0)), entry: mp4a },
  });
}

interface TrackParts {
  readonly id: number;
  readonly ms: number;
  readonly width: number;
  readonly height: number;
  readonly samples: Table;
  readonly times: readonly { readonly count: number; readonly ticks: number }[];
  readonly extra: readonly Buffer[];
  readonly media: {
    readonly timescale: number;
    readonly ticks: number;
    readonly head: Buffer;
    readonly entry: Buffer;
  };
}

function track({ id, ms, width, height, samples, times, extra, media }: TrackParts): Buffer {
  const { kind, sizes, perChunk, offsets } = samples;
  const shown = [u16(0), u16(0), u16(kind === 'soun' ? 0x100 : 0), u16(0), ...IDENTITY.map(u32)];
  const edges = [u32(width * 0x10000), u32(height * 0x10000)];
  const tkhd = full('tkhd', 3, u32(0), u32(0), u32(id), u32(0), u32(ms), Buffer.alloc(8), ...shown, ...edges);
  const mdhd = full('mdhd', 0, u32(0), u32(0), u32(media.timescale), u32(media.ticks), u16(0x55c4), u16(0));
  const hdlr = full('hdlr', 0, u32(0), Buffer.from(kind), Buffer.alloc(12), Buffer.from('Sim\0'));
  const dinf = box('dinf', full('dref', 0, u32(1), full('url ', 1)));
  const stbl = box(
    'stbl',
    full('stsd', 0, u32(1), media.entry),
    full('stts', 0, u32(times.length), ...times.flatMap(({ count, ticks }) => [u32(count), u32(ticks)])),
    ...extra,
    full('stsc', 0, ...runs(perChunk)),
    full('stsz', 0, u32(0), u32(sizes.length), numbers(sizes)),
    full('stco', 0, u32(offsets.length), numbers(offsets)),
  );
  return box('trak', tkhd, box('mdia', mdhd, hdlr, box('minf', media.head, dinf, stbl)));
}

/** Samples per chunk, one entry per change. */
function runs(perChunk: readonly number[]): readonly Buffer[] {
  const starts = perChunk.flatMap((count, nth) => (count === perChunk[nth - 1] ? [] : [[nth + 1, count, 1]]));
  return [u32(starts.length), ...starts.flat().map(u32)];
}

function numbers(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [nth, value] of values.entries()) bytes.writeUInt32BE(value, nth * 4);
  return bytes;
}

function box(type: string, ...content: readonly Buffer[]): Buffer {
  const bytes = content.reduce((sum, { length }) => sum + length, 8);
  return Buffer.concat([u32(bytes), Buffer.from(type, 'latin1'), ...content]);
}

function full(type: string, flags: number, ...content: readonly Buffer[]): Buffer {
  return box(type, u32(flags), ...content);
}

function u8(value: number): Buffer {
  return Buffer.from([value]);
}

function u16(value: number): Buffer {
  return numbers([value]).subarray(2);
}

function u32(value: number): Buffer {
  return numbers([value]);
}
