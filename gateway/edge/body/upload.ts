import type { IncomingMessage } from 'node:http';
import type { Cancel, Clock } from '../../../actors/runtime/index.ts';
import { tooComplex, tooLarge } from '../../json/json-refusal.ts';
import type { JsonScan } from '../../json/json-scan.ts';
import { BlockBuffer } from '../../outbound/body-buffers.ts';
import { arrivalShare, LOOP_TURN_BYTES } from '../../overload/loop-work.ts';
import type { EdgeLimits } from '../../terms/config/config.ts';
import { CallerLeft } from '../../terms/gateway-error.ts';
import { noRoom, tooManyPieces, tooSlow } from './body-refusal.ts';

/** A body may arrive in as many pieces as the largest one would have at the smallest usual size of a packet. */
const PIECE_BYTES_MIN = 512;
/** A piece counts as at least this many bytes of work. */
const PIECE_WORTH_BYTES = 1_024;

/** Smaller bodies need no reservation. */
export const SMALL_BYTES_MAX = 64 * 1024;

interface UploadOptions {
  readonly limits: EdgeLimits;
  readonly clock: Clock;
  /** Scans every byte. */
  readonly scan: Pick<JsonScan, 'feed' | 'exceeded'>;
  /** Reserves room for the bytes of a large body, as they arrive. */
  readonly reserve: (bytes: number) => boolean;
}

export interface Uploaded {
  readonly chunks: readonly Uint8Array[];
  readonly length: number;
}

/**
 * Receives a body within its bounds of size, depth, tokens and speed, no faster than the event loop has time for.
 * Rejects with GatewayError 400, 408, 413 or 503, or with `CallerLeft`. (rule E23, rule E26)
 */
export function gatherUpload(
  request: IncomingMessage,
  { limits, clock, scan, reserve }: UploadOptions,
): Promise<Uploaded> {
  return new Promise((resolve, reject) => {
    const blocks = new BlockBuffer();
    const piecesMax = Math.ceil(limits.bodyBytesMax / PIECE_BYTES_MIN);
    let length = 0;
    let pieces = 0;
    /** Work received since the sender was last paused. */
    let worth = 0;
    let reserved = 0;
    let isOver = false;
    /** Reserves what has arrived and not what is announced: announcing costs nothing. */
    const lacksRoom = (): boolean => {
      if (length <= SMALL_BYTES_MAX) return false;
      const missing = length - reserved;
      reserved = length;
      return !reserve(missing);
    };
    const pace = new UploadPace(clock, limits, () => end(tooSlow()));
    /** Pauses the sender until the event loop has time for as much again. */
    const hold = (): void => {
      pace.hold();
      worth = 0;
      request.pause();
      void arrivalShare(clock, LOOP_TURN_BYTES).then(() => {
        pace.resume();
        if (!isOver) request.resume();
      });
    };
    const receive = (chunk: Buffer): void => {
      length += chunk.length;
      pace.received(chunk.length);
      worth += Math.max(chunk.length, PIECE_WORTH_BYTES);
      if (length > limits.bodyBytesMax) end(tooLarge(limits.bodyBytesMax));
      else if (lacksRoom()) end(noRoom());
      else if (++pieces > piecesMax) end(tooManyPieces(piecesMax));
      else if (!scan.feed(chunk)) end(tooComplex(scan.exceeded));
      else {
        blocks.add(chunk);
        if (worth >= LOOP_TURN_BYTES && !pace.held) hold();
      }
    };
    const finish = (): void => end(null);
    const leave = (): void => end(new CallerLeft());
    const end = (failure: Error | null): void => {
      isOver = true;
      pace.stop();
      request.off('data', receive).off('end', finish).off('close', leave).off('error', leave);
      // Drains the rest of the upload, so that a client still writing can read the response.
      request.on('error', ignore);
      if (failure !== null) request.resume();
      if (failure !== null) reject(failure);
      else resolve({ chunks: blocks.take(), length });
    };
    request.on('data', receive).on('end', finish).on('close', leave).on('error', leave);
  });
}

function ignore(): void {}

/**
 * Watches the average speed of an upload: `onSlow` is called once if it falls below `bodyBytesPerSecondMin` after
 * `bodyGraceMs`. Time for which the gateway holds the sender back does not count.
 */
export class UploadPace {
  readonly #clock: Clock;
  readonly #limits: Pick<EdgeLimits, 'bodyGraceMs' | 'bodyBytesPerSecondMin'>;
  readonly #onSlow: () => void;
  readonly #startedAt: number;
  #bytes = 0;
  #heldMs = 0;
  #heldAt: number | null = null;
  #stop: Cancel;

  constructor(clock: Clock, limits: Pick<EdgeLimits, 'bodyGraceMs' | 'bodyBytesPerSecondMin'>, onSlow: () => void) {
    this.#clock = clock;
    this.#limits = limits;
    this.#onSlow = onSlow;
    this.#startedAt = clock.monotonic();
    this.#stop = clock.after(limits.bodyGraceMs, this.#check);
  }

  get held(): boolean {
    return this.#heldAt !== null;
  }

  received(bytes: number): void {
    this.#bytes += bytes;
  }

  /** The gateway holds the sender back from now on. */
  hold(): void {
    this.#heldAt ??= this.#clock.monotonic();
  }

  resume(): void {
    if (this.#heldAt === null) return;
    this.#heldMs += this.#clock.monotonic() - this.#heldAt;
    this.#heldAt = null;
  }

  stop(): void {
    this.#stop();
  }

  readonly #check = (): void => {
    const now = this.#clock.monotonic();
    const heldMs = this.#heldMs + (this.#heldAt === null ? 0 : now - this.#heldAt);
    const owedBytes = ((now - this.#startedAt - heldMs) * this.#limits.bodyBytesPerSecondMin) / 1_000;
    if (this.#bytes >= owedBytes) this.#stop = this.#clock.after(this.#limits.bodyGraceMs, this.#check);
    else this.#onSlow();
  };
}
