import type { Clock } from '../../actors/runtime/index.ts';

/**
 * One after the other, each in a turn of the event loop of its own: what takes long and cannot be divided. Bodies of 8 MiB
 * that ended together were parsed within one turn, and twenty of them held everything else up for half a second
 * (measured), heartbeats among it. There is one of these, as there is one event loop.
 */
let last: Promise<void> = Promise.resolve();

/** Resolves in a turn that nobody else was given. */
export function loopTurn(clock: Clock): Promise<void> {
  last = last.then(() => new Promise((resolve) => void clock.after(0, resolve)));
  return last;
}
