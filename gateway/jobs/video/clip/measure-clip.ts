import { MovieScan } from './movie-scan.ts';
import { type Movie, readFragment, readMovie, type VideoTrack } from './read-tables.ts';
import { UnreadableClip } from './unreadable-clip.ts';

/** A clip as delivered. Seconds and frames per second are decimal text, cut after nine and six digits. */
export interface ClipMeasure {
  readonly durationSeconds: string;
  readonly frames: number;
  readonly fps: string;
  readonly width: number;
  readonly height: number;
  readonly audio: boolean;
}

const SECOND_DIGITS = 9;
const RATE_DIGITS = 6;
/** Frames that are believed, beyond any clip that fits the largest file. */
const FRAMES_MAX = 10_000_000;

/**
 * Measures an MP4 while its bytes pass: length, frames, size and sound of its video track, read from its tables. Holds
 * at most one box of tables. (rule V18)
 */
export class ClipMeter {
  readonly #scan = new MovieScan({
    head: (box) => this.#takeHead(box),
    fragment: (box) => this.#takeFragment(box),
  });
  #movie: Movie | null = null;
  readonly #fragments = new Map<number, { frames: number; ticks: number }>();

  /** Yields the pieces unchanged. Throws UnreadableClip as soon as they cannot be a clip. */
  async *pass(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    for await (const piece of source) {
      readable(() => this.#scan.read(piece));
      yield piece;
    }
    readable(() => this.#scan.end());
  }

  /** Once all bytes have passed. Throws UnreadableClip. */
  measured(): ClipMeasure {
    return readable(() => this.#measure());
  }

  #takeHead(box: Buffer): void {
    if (this.#movie !== null) throw new UnreadableClip('two movies in one file');
    this.#movie = readMovie(box);
  }

  #takeFragment(box: Buffer): void {
    if (this.#movie === null) throw new UnreadableClip('a fragment ahead of its movie');
    for (const { track, frames, ticks } of readFragment(box, this.#movie)) {
      const known = this.#fragments.get(track) ?? { frames: 0, ticks: 0 };
      this.#fragments.set(track, { frames: known.frames + frames, ticks: known.ticks + ticks });
    }
  }

  #measure(): ClipMeasure {
    const movie = this.#movie;
    if (movie === null) throw new UnreadableClip('no movie');
    const tracks = movie.tracks.map((track) => ({ track, ...this.#lengthOf(track) }));
    const [video, ...others] = tracks.filter(({ frames }) => frames > 0);
    if (video === undefined || others.length > 0) throw new UnreadableClip('not exactly one video track');
    const { track, frames, ticks } = video;
    const { width, height, timescale } = track;
    const whole = tracks.every(({ frames: each, track: { id } }) => each === 0 || this.#fragments.has(id));
    if (!whole && frames !== movie.samples) throw new UnreadableClip('times and sizes of different frames');
    if (movie.sampleBytes > this.#scan.dataBytes) throw new UnreadableClip('tables of more bytes than the file has');
    const shown = shownTicks(track, ticks, movie.timescale);
    if (width === 0 || height === 0 || shown === 0n) throw new UnreadableClip('a picture without a size, or no time');
    return {
      durationSeconds: quotient(shown, BigInt(timescale), SECOND_DIGITS),
      frames,
      fps: quotient(BigInt(frames) * BigInt(timescale), ticks, RATE_DIGITS),
      width,
      height,
      audio: movie.audio,
    };
  }

  #lengthOf({ id, times }: VideoTrack): { readonly frames: number; readonly ticks: bigint } {
    const fragments = this.#fragments.get(id) ?? { frames: 0, ticks: 0 };
    const frames = times.reduce((sum, run) => sum + run.frames, fragments.frames);
    if (frames > FRAMES_MAX) throw new UnreadableClip(`${frames} frames`);
    const own = times.reduce((sum, run) => sum + BigInt(run.frames) * BigInt(run.ticks), 0n);
    return { frames, ticks: own + BigInt(fragments.ticks) };
  }
}

/**
 * The ticks that a player shows: all of the media, unless its edits cut off more than a frame. (Edits count in the
 * movie's timescale, often milliseconds, so a smaller difference is their rounding.)
 */
function shownTicks({ shownTicks: edited, timescale, times }: VideoTrack, ticks: bigint, movieScale: number): bigint {
  if (edited === null || edited === 0) return ticks;
  const shown = (BigInt(edited) * BigInt(timescale)) / BigInt(movieScale);
  const frame = BigInt(times[0]?.ticks ?? 0) + BigInt(Math.ceil(timescale / movieScale));
  return ticks - shown > frame ? shown : ticks;
}

/** `dividend / divisor` as decimal text, cut after that many digits. */
function quotient(dividend: bigint, divisor: bigint, digits: number): string {
  if (divisor === 0n) throw new UnreadableClip('no time passes');
  const scaled = (dividend * 10n ** BigInt(digits)) / divisor;
  const text = scaled.toString().padStart(digits + 1, '0');
  const rest = text.slice(-digits).replace(/0+$/, '');
  return rest === '' ? text.slice(0, -digits) : `${text.slice(0, -digits)}.${rest}`;
}

/** Any error while reading the tables means the same: no clip. */
function readable<T>(read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof UnreadableClip) throw thrown;
    throw new UnreadableClip(thrown instanceof Error ? thrown.message : 'unreadable');
  }
}
