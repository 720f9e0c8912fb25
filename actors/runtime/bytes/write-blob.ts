import { createSecretKey, type KeyObject } from 'node:crypto';
import { BlobsRefused, BlobTooLarge, type OpenBlob } from '../ports/blobs.ts';
import type { Clock, Random } from '../ports/clock.ts';
import { segment } from './segment.ts';

const SECRET_BYTES = 32;

/** One blob being written, provided by an implementation of the port. */
export interface BlobDraft {
  readonly id: string;
  /**
   * Appends the next piece, `segment.pieceBytes` long unless it is the last; resolves when another may follow. The
   * piece is overwritten then.
   */
  append(piece: Uint8Array): Promise<void>;
  /** Makes the blob durable, then visible. */
  finish(): Promise<void>;
  /** Removes what was written. Never rejects: the sweep removes what `discard` cannot. */
  discard(): Promise<void>;
}

interface BlobWriting {
  readonly bytesMax: number;
  readonly random: Random;
  readonly clock: Clock;
}

/**
 * After so many bytes a write rests as long as it worked on them, so that it takes at most half of a core and of the
 * disk. p99 of a commit beside 32 MiB blobs: 21 ms without rests, 10 ms with them, 12 ms without blobs; the blob takes
 * 356 ms instead of 233 ms (three times as long a rest: 623 ms, and no better).
 */
const RESTED_BYTES = 1024 * 1024;
const REST_MS_MAX = 20;

/** Encrypts one source into one draft, piece by piece in the same two buffers. Discards the draft on any failure. */
export async function writeBlob(
  begin: () => Promise<BlobDraft>,
  source: AsyncIterable<Uint8Array>,
  { bytesMax, random, clock }: BlobWriting,
): Promise<OpenBlob> {
  const draft = await begin();
  try {
    const secret = newSecret(random);
    const segments = new Segments(secret, random);
    const pace = new Pace(clock);
    let bytes = 0;
    for await (const given of source) {
      bytes += given.length;
      if (bytes > bytesMax) throw new BlobTooLarge(bytesMax);
      pace.begin();
      for (let taken = 0; taken < given.length; ) {
        taken += segments.take(given, taken);
        if (segments.isPiece) await draft.append(segments.piece());
      }
      await pace.end(given.length);
    }
    segments.close(true);
    await draft.append(segments.piece());
    await draft.finish();
    return { id: draft.id, bytes, secret };
  } catch (error) {
    await draft.discard();
    throw error;
  }
}

/** Measures the work on passing bytes, without the waits for their sender, and rests after it. */
class Pace {
  readonly #clock: Clock;
  #beganAt = 0;
  #workedMs = 0;
  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  begin(): void {
    this.#beganAt = this.#clock.monotonic();
  }

  async end(bytes: number): Promise<void> {
    this.#workedMs += this.#clock.monotonic() - this.#beganAt;
    this.#bytes += bytes;
    if (this.#bytes < RESTED_BYTES) return;
    const restMs = Math.min(REST_MS_MAX, this.#workedMs);
    this.#bytes = 0;
    this.#workedMs = 0;
    if (restMs > 0) await new Promise<void>((resolve) => void this.#clock.after(restMs, resolve));
  }
}

/**
 * Cuts passing bytes into segments and encrypts them into one piece. A full segment waits for the next byte, because
 * the last segment is bound to being the last; an empty source has one empty segment.
 */
class Segments {
  readonly #secret: KeyObject;
  readonly #random: Random;
  readonly #plain = new Uint8Array(segment.plainBytes);
  readonly #piece = new Uint8Array(segment.pieceBytes);
  #plainFilled = 0;
  #pieceFilled = 0;
  #position = 0;

  constructor(secret: KeyObject, random: Random) {
    this.#secret = secret;
    this.#random = random;
  }

  /** The piece is full: it must be stored before the next `take`. */
  get isPiece(): boolean {
    return this.#pieceFilled === segment.pieceBytes;
  }

  /** Takes bytes of `given` from `from` on, up to the end of a segment; returns how many. */
  take(given: Uint8Array, from: number): number {
    if (this.#plainFilled === segment.plainBytes) this.close(false);
    const part = given.subarray(from, from + segment.plainBytes - this.#plainFilled);
    this.#plain.set(part, this.#plainFilled);
    this.#plainFilled += part.length;
    return part.length;
  }

  close(last: boolean): void {
    const plain = this.#plain.subarray(0, this.#plainFilled);
    const place = { position: this.#position++, last };
    const target = this.#piece.subarray(this.#pieceFilled);
    this.#pieceFilled += segment.closeInto(target, this.#secret, plain, place, this.#random);
    this.#plainFilled = 0;
  }

  /** The encrypted bytes since the last call; overwritten by the next `take`. */
  piece(): Uint8Array {
    const piece = this.#piece.subarray(0, this.#pieceFilled);
    this.#pieceFilled = 0;
    return piece;
  }
}

function newSecret(random: Random): KeyObject {
  const bytes = random.bytes(SECRET_BYTES);
  const secret = createSecretKey(bytes);
  bytes.fill(0);
  return secret;
}

/** Blobs written at once in one process, unless an implementation sets its own bound. */
const WRITES_MAX = 256;

/** Bounds the number of concurrent blob writes. A further write is refused as busy before any of its source is read. */
export class WriteSlots {
  readonly #max: number;
  #taken = 0;

  constructor(max: number = WRITES_MAX) {
    this.#max = max;
  }

  async take<T>(write: () => Promise<T>): Promise<T> {
    if (this.#taken >= this.#max)
      throw new BlobsRefused('busy', `the bound of ${this.#max} concurrent blob writes is reached`);
    this.#taken++;
    try {
      return await write();
    } finally {
      this.#taken--;
    }
  }
}
