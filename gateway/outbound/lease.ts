import type { Clock } from '../../actors/runtime/index.ts';

/** Whether no other node may have taken over this node's work: true while its read lease holds. */
export interface Lease {
  readonly connected: boolean;
}

/** Of a process that is no node: nobody takes over its work. */
export const NO_NODE: Lease = { connected: true };

/** Why a call was not sent. */
export const WITHOUT_LEASE = 'the node had no contact with the store';

/** A node beats twice a second. */
const LOOK_MS = 50;

/**
 * Resolves with true once the lease holds, and with false after `withinMs`. A process that was stopped wakes with work
 * that others have done meanwhile; it learns so at its next heartbeat, and until then it must begin no call.
 */
export function waitForLease(holds: () => boolean, clock: Clock, withinMs: number): Promise<boolean> {
  const end = clock.monotonic() + withinMs;
  return new Promise((resolve) => {
    const look = (): void => {
      if (holds()) resolve(true);
      else if (clock.monotonic() >= end) resolve(false);
      else clock.after(LOOK_MS, look);
    };
    look();
  });
}
