import type { Clock } from '../ports/clock.ts';

/**
 * Bytes of large texts that all requests together receive, parse or write within one turn of the event loop: some
 * milliseconds of work.
 */
export const LOOP_TURN_BYTES = 256 * 1024;

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

/** Bytes already received go before bytes still to be received; otherwise the memory of unread bodies would grow. */
const reading: QueuedShare[] = [];
const arriving: QueuedShare[] = [];
let isDue = false;

/**
 * Resolves in a turn of the event loop that has room for this many bytes, first come, first served. A text larger than
 * one turn's share gets a turn of its own. Without it, bodies that end together are parsed within one turn: twenty of 8
 * MiB stalled the loop, heartbeats included, for half a second (measured). The queue is module state because a process
 * has one event loop.
 */
export function loopShare(clock: Clock, bytes: number): Promise<void> {
  return queued(reading, clock, bytes);
}

/** The same for bytes still to be received: served after all `loopShare` calls. */
export function arrivalShare(clock: Clock, bytes: number): Promise<void> {
  return queued(arriving, clock, bytes);
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

function queued(queue: QueuedShare[], clock: Clock, bytes: number): Promise<void> {
  return new Promise((begin) => {
    queue.push({ bytes, begin });
    if (!isDue) clock.after(0, () => serve(clock));
    isDue = true;
  });
}

/** Runs once per turn, so that each turn has one share. */
function serve(clock: Clock): void {
  let left = LOOP_TURN_BYTES;
  const fits = (next: QueuedShare): boolean => left === LOOP_TURN_BYTES || next.bytes <= left;
  for (let next = first(); next !== undefined && fits(next); next = first()) {
    (reading.length > 0 ? reading : arriving).shift();
    left -= next.bytes;
    next.begin();
  }
  isDue = first() !== undefined;
  if (isDue) clock.after(0, () => serve(clock));
}

function first(): QueuedShare | undefined {
  return reading[0] ?? arriving[0];
}
