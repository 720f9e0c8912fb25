import { type Clock, FairQueue } from '../../actors/runtime/index.ts';
import type { OverloadLimits } from '../terms/config/config.ts';
import type { LiveTraffic } from './live-traffic.ts';
import type { LoopWork } from './loop-work.ts';

/** Bytes of a text in one piece: about 1 ms of the slowest reading, that of small JSON objects. */
const PIECE_BYTES_MAX = 8 * 1024;
/** After this time an asynchronous piece no longer delays the others: it waits for a disk that does not answer. */
const PIECE_MS_MAX = 1_000;
/** Part of the time that passes by which the credit of a burst grows again. */
const CREDIT_PART = 0.1;
/** The next rest is shorter by as much as a timer was late, up to this: timers count whole milliseconds. */
const LATE_MS_MAX = 1;

interface BackgroundParts {
  readonly clock: Clock;
  readonly limits: Pick<OverloadLimits, 'pieceMs' | 'restFactor' | 'burstMs'>;
  readonly live: Pick<LiveTraffic, 'isPresent'>;
  /** Time that the event loop of this process has worked so far, ms. */
  readonly busyMs: () => number;
}

/**
 * Work on a node that no live client waits for: submissions of batches, bodies and results of their lines, downloads.
 * It runs in pieces, by holder in turn, for `pieceMs` in one turn of the event loop. While live requests come in, the
 * pieces run one after the other, and after each `pieceMs` of work all of them rest `restFactor` times as long:
 * together they have a bounded part of the event loop, however many there are. The first `burstMs` of work rest less,
 * from nothing to the whole, so that one large submission is accepted within its second; a tenth of the time restores
 * them. Without live requests nothing rests. (rule E49)
 */
export class Background {
  readonly #parts: BackgroundParts;
  readonly #queue = new FairQueue<() => void>();
  #waiting = 0;
  /** Asynchronous pieces that delay the others. */
  #running = 0;
  /** Work since the last rest, ms; without live requests: in this turn of the event loop. */
  #spentMs = 0;
  #restsUntil = Number.NEGATIVE_INFINITY;
  /** Work that still rests less, ms, at `#creditAt`. */
  #creditMs: number;
  #creditAt: number;
  #isDue = false;

  constructor(parts: BackgroundParts) {
    this.#parts = parts;
    this.#creditMs = parts.limits.burstMs;
    this.#creditAt = parts.clock.monotonic();
  }

  /** Runs one step of a long answer: as a piece beside live requests, else now. */
  step<T>(holder: string, work: () => Promise<T>): Promise<T> {
    return this.#parts.live.isPresent ? this.run(holder, work) : work();
  }

  /** How the work of this holder runs in pieces of a text. */
  of(holder: string): LoopWork {
    return { pieceBytesMax: PIECE_BYTES_MAX, run: (_, work) => this.run(holder, work) };
  }

  /** Runs one piece. Its callers bound how many wait: each has one. */
  run<T>(holder: string, work: () => T | Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.add(holder, () => this.#begin(work, resolve, reject));
      this.#waiting++;
      this.#schedule();
    });
  }

  #begin<T>(
    work: () => T | Promise<T>,
    resolve: (value: T | Promise<T>) => void,
    reject: (why: unknown) => void,
  ): void {
    const { busyMs } = this.#parts;
    const from = busyMs();
    try {
      const result = work();
      this.#spentMs += busyMs() - from;
      if (result instanceof Promise) this.#follow(result);
      resolve(result);
    } catch (thrown) {
      this.#spentMs += busyMs() - from;
      reject(thrown);
    }
  }

  /** The rest of an asynchronous piece. What the event loop works meanwhile for others cannot be told from it. */
  #follow(result: Promise<unknown>): void {
    const { clock, busyMs, live } = this.#parts;
    const from = busyMs();
    this.#running++;
    let follows = true;
    const end = (): void => {
      if (!follows) return;
      follows = false;
      this.#running--;
      if (live.isPresent) this.#spentMs += busyMs() - from;
      this.#schedule();
    };
    const cancel = clock.after(PIECE_MS_MAX, end);
    const ended = (): void => {
      cancel();
      end();
    };
    result.then(ended, ended);
  }

  #schedule(): void {
    if (this.#isDue || this.#waiting === 0) return;
    const { clock, live } = this.#parts;
    if (live.isPresent && this.#running > 0) return;
    this.#isDue = true;
    const restMs = live.isPresent ? this.#restsUntil - clock.monotonic() : 0;
    clock.after(Math.max(0, restMs), this.#turn);
  }

  readonly #turn = (): void => {
    const { limits, live } = this.#parts;
    this.#isDue = false;
    if (live.isPresent) this.#rest();
    else this.#spentMs = 0;
    const mayBegin = (): boolean => !live.isPresent || (this.#running === 0 && !this.#isAtRest());
    while (this.#waiting > 0 && this.#spentMs < limits.pieceMs && mayBegin()) {
      this.#waiting--;
      this.#queue.take()?.();
    }
    this.#rest();
    this.#schedule();
  };

  /** Begins a rest if the work since the last one calls for it. */
  #rest(): void {
    const { clock, limits, live } = this.#parts;
    if (!live.isPresent || this.#spentMs < limits.pieceMs) return;
    const now = clock.monotonic();
    const lateMs = Math.min(LATE_MS_MAX, Math.max(0, now - this.#spentMs - this.#restsUntil));
    this.#restsUntil = now + Math.max(0, this.#spentMs * this.#restFactor(now) - lateMs);
    this.#spentMs = 0;
  }

  /** Takes the work from the credit; the less is left, the longer the rest. */
  #restFactor(now: number): number {
    const { burstMs, restFactor } = this.#parts.limits;
    const grownMs = this.#creditMs + (now - this.#creditAt) * CREDIT_PART;
    this.#creditMs = Math.max(0, Math.min(burstMs, grownMs) - this.#spentMs);
    this.#creditAt = now;
    return burstMs === 0 ? restFactor : restFactor * (1 - this.#creditMs / burstMs);
  }

  #isAtRest(): boolean {
    return this.#parts.clock.monotonic() < this.#restsUntil;
  }
}
