import type { Clock } from '../../actors/runtime/index.ts';

/**
 * Bytes of large texts that all requests together receive, parse or write within one turn of the event loop: some
 * milliseconds of work.
 */
export const LOOP_TURN_BYTES = 256 * 1024;
/** Longest rest after a turn, also one that another process prolonged. */
const REST_MS_MAX = 50;

/** How a text is worked on in pieces: its caller's work shares the event loop with other work in some order. */
export interface LoopWork {
  /** Bytes of a text that one piece has at most. */
  readonly pieceBytesMax: number;
  /** Runs one piece of work, on this many bytes, in a turn of the event loop that has time for it. */
  run<T>(bytes: number, work: () => T): Promise<T>;
}

interface QueuedShare {
  readonly bytes: number;
  readonly begin: () => void;
}

/**
 * Resolves in a turn of the event loop that has room for this many bytes, first come, first served. A text larger than
 * one turn's share gets a turn of its own. Without it, bodies that end together are parsed within one turn: twenty of 8
 * MiB stalled the loop, heartbeats included, for half a second (measured).
 */
export function loopShare(clock: Clock, bytes: number): Promise<void> {
  return sharesOf(clock).take('reading', bytes);
}

/** The same for bytes still to be received: served after all `loopShare` calls. */
export function arrivalShare(clock: Clock, bytes: number): Promise<void> {
  return sharesOf(clock).take('arriving', bytes);
}

/** Pieces of texts of live requests: each begins in a turn with room for its bytes. */
export function loopWork(clock: Clock): LoopWork {
  return {
    pieceBytesMax: LOOP_TURN_BYTES,
    run: async (bytes, work) => {
      await loopShare(clock, bytes);
      return work();
    },
  };
}

/** A process has one clock, as it has one event loop. */
const shares = new WeakMap<Clock, LoopShares>();

function sharesOf(clock: Clock): LoopShares {
  let own = shares.get(clock);
  if (own === undefined) {
    own = new LoopShares(clock);
    shares.set(clock, own);
  }
  return own;
}

/**
 * One share per turn. After it, shares rest for as long: a node spends at most half of its time on large texts, and
 * their senders do not take the whole of the processors that it shares with others.
 */
class LoopShares {
  readonly #clock: Clock;
  /** Bytes already received go before bytes still to be received; otherwise the memory of unread bodies would grow. */
  readonly #queues: Readonly<Record<'reading' | 'arriving', QueuedShare[]>> = { reading: [], arriving: [] };
  #isDue = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  take(kind: 'reading' | 'arriving', bytes: number): Promise<void> {
    return new Promise((begin) => {
      this.#queues[kind].push({ bytes, begin });
      if (!this.#isDue) this.#clock.after(0, this.#serve);
      this.#isDue = true;
    });
  }

  readonly #serve = (): void => {
    const begunAt = this.#clock.monotonic();
    let left = LOOP_TURN_BYTES;
    for (let queue = this.#next(left); queue !== null; queue = this.#next(left)) {
      const { bytes, begin } = queue.shift() as QueuedShare;
      left -= bytes;
      begin();
    }
    this.#clock.after(0, () => this.#ended(this.#clock.monotonic() - begunAt));
  };

  /** The queue whose first share fits; a share larger than a turn has one of its own. */
  #next(left: number): QueuedShare[] | null {
    const queue = this.#queues.reading.length > 0 ? this.#queues.reading : this.#queues.arriving;
    const next = queue[0];
    return next !== undefined && (left === LOOP_TURN_BYTES || next.bytes <= left) ? queue : null;
  }

  /** After a turn with a share, and all that its work asked for in turn. */
  #ended(tookMs: number): void {
    this.#isDue = this.#next(LOOP_TURN_BYTES) !== null;
    if (this.#isDue) this.#clock.after(Math.min(tookMs, REST_MS_MAX), this.#serve);
  }
}
