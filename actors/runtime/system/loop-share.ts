import type { Clock } from '../ports/clock.ts';

/**
 * Bytes of text that may be worked on within one turn of the event loop, of all requests together: read, weighed or written,
 * some milliseconds.
 */
export const LOOP_TURN_BYTES = 256 * 1024;

interface Waiting {
  readonly bytes: number;
  readonly begin: () => void;
}

const waiting: Waiting[] = [];
let left = LOOP_TURN_BYTES;
let turned = false;

/**
 * Resolves in a turn of the event loop that has time left for so many bytes, first come, first served; more than a turn is
 * worth has one of its own. Bodies that end together were once parsed within one turn, and twenty of 8 MiB held everything
 * else up for half a second (measured), heartbeats among it. There is one of these, as there is one event loop.
 */
export function loopShare(clock: Clock, bytes: number): Promise<void> {
  return new Promise((resolve) => {
    waiting.push({ bytes, begin: resolve });
    serve(clock);
  });
}

function serve(clock: Clock): void {
  for (let next = waiting[0]; next && (left === LOOP_TURN_BYTES || next.bytes <= left); next = waiting[0]) {
    waiting.shift();
    left -= next.bytes;
    next.begin();
  }
  if (turned || left === LOOP_TURN_BYTES) return;
  turned = true;
  clock.after(0, () => {
    turned = false;
    left = LOOP_TURN_BYTES;
    serve(clock);
  });
}
