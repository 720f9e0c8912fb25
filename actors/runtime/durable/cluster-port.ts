import type { ActorEvent, Json } from '../actor/event.ts';
import type { ActivityHandler } from '../ports/activity.ts';
import type { Random } from '../ports/clock.ts';

const BACK_OFF_MS_MIN = 100;
const BACK_OFF_MS_MAX = 15_000;

/** Identifies one attempt of one activity. */
export interface ActivityAttempt {
  readonly address: string;
  readonly id: string;
  readonly attempt: number;
}

/** An engine's access to other nodes. An engine without one refuses sends to other shards, and activities. */
export interface ClusterPort {
  readonly random: Random;
  readonly activities: Readonly<Record<string, ActivityHandler>>;
  /** Sends to any actor and waits for its answer; repeats are idempotent. Rejects with AskError. */
  send(to: string, event: ActorEvent, withinMs: number): Promise<Json>;
  /** The attempts among these that a living node does not run. Rejects if the node is unreachable. */
  missing(incarnation: string, attempts: readonly ActivityAttempt[]): Promise<readonly ActivityAttempt[]>;
  /** Asks another node to abort these attempts, best effort. */
  abort(incarnation: string, attempts: readonly ActivityAttempt[]): void;
  /** Why an incarnation that is gone ended (`Cause` in cluster/membership/deaths.ts); null while the cause is unknown. */
  causeOf(incarnation: string): 'crashed' | 'killed' | null;
}

/** Delay before the next try: exponential, bounded, with half of it as random jitter. */
export function backOffMs(failures: number, random: Random): number {
  const ms = Math.min(BACK_OFF_MS_MAX, BACK_OFF_MS_MIN * 2 ** Math.min(failures, 10));
  return Math.ceil(ms / 2 + (ms / 2) * random.fraction());
}
