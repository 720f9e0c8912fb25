import type { Clock } from '../../actors/runtime/index.ts';
import type { ServingState } from '../terms/serving-state.ts';

/** Longest wait for the heartbeat of a node that wakes: two of its heartbeats, and the round trip on a busy machine. */
const WAKING_MS_MAX = 2_000;
const LOOK_MS = 20;

/**
 * The state of a node once it is no longer waking, or `waking` after the longest wait. A node whose own event loop
 * stalled serves again as soon as its next heartbeat is answered, so its requests wait for that instead of failing.
 */
export async function awaitWaking(services: {
  readonly readiness: () => ServingState;
  readonly clock: Clock;
}): Promise<ServingState> {
  const { readiness, clock } = services;
  const end = clock.monotonic() + WAKING_MS_MAX;
  let state = readiness();
  while (state === 'waking' && clock.monotonic() < end) {
    await new Promise<void>((resolve) => void clock.after(LOOK_MS, resolve));
    state = readiness();
  }
  return state;
}
