import type { Clock } from '../../../actors/runtime/index.ts';

/** Bytes of large bodies worked on in one turn of the event loop, of all requests together: a few milliseconds. */
const TURN_BYTES_MAX = 256 * 1024;

interface Waiting {
  readonly bytes: number;
  readonly begin: () => void;
}

const waiting: Waiting[] = [];
let left = TURN_BYTES_MAX;
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
  for (let next = waiting[0]; next && (left === TURN_BYTES_MAX || next.bytes <= left); next = waiting[0]) {
    waiting.shift();
    left -= next.bytes;
    next.begin();
  }
  if (turned || left === TURN_BYTES_MAX) return;
  turned = true;
  clock.after(0, () => {
    turned = false;
    left = TURN_BYTES_MAX;
    serve(clock);
  });
}
