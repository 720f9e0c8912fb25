import type { Clock } from '../ports/clock.ts';

/**
 * Bytes of large texts that are worked on within one turn of the event loop, of all requests together: received, read or
 * written, some milliseconds.
 */
export const LOOP_TURN_BYTES = 256 * 1024;

interface Waiting {
  readonly bytes: number;
  readonly begin: () => void;
}

/** What is here already is worked off before more is let in: otherwise what waits to be read would grow. */
const reading: Waiting[] = [];
const arriving: Waiting[] = [];
let isDue = false;

/**
 * Resolves in a turn of the event loop that has time left for so many bytes, first come, first served; more than a turn is
 * worth has one of its own. Bodies that end together were once parsed within one turn, and twenty of 8 MiB held everything
 * else up for half a second (measured), heartbeats among it. There is one of these, as there is one event loop.
 */
export function loopShare(clock: Clock, bytes: number): Promise<void> {
  return queued(reading, clock, bytes);
}

/** The same for bytes that are still to come: behind all that have. */
export function arrivalShare(clock: Clock, bytes: number): Promise<void> {
  return queued(arriving, clock, bytes);
}

function queued(queue: Waiting[], clock: Clock, bytes: number): Promise<void> {
  return new Promise((begin) => {
    queue.push({ bytes, begin });
    if (!isDue) clock.after(0, () => serve(clock));
    isDue = true;
  });
}

/** Once per turn, so that no two shares begin in one. */
function serve(clock: Clock): void {
  let left = LOOP_TURN_BYTES;
  const fits = (next: Waiting): boolean => left === LOOP_TURN_BYTES || next.bytes <= left;
  for (let next = first(); next !== undefined && fits(next); next = first()) {
    (reading.length > 0 ? reading : arriving).shift();
    left -= next.bytes;
    next.begin();
  }
  isDue = first() !== undefined;
  if (isDue) clock.after(0, () => serve(clock));
}

function first(): Waiting | undefined {
  return reading[0] ?? arriving[0];
}
