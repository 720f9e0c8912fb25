import type { ActorEvent, Json } from '../../actor/event.ts';
import type { ActivityHandler } from '../../ports/activity.ts';
import type { Random } from '../../ports/random.ts';

/** One attempt of one intent, by name. */
export interface ActivityAttempt {
  readonly address: string;
  readonly id: string;
  readonly attempt: number;
}

/** What an engine reaches beyond its own shards. Without it, it refuses sends to other shards and work in the world. */
export interface ClusterPort {
  readonly random: Random;
  readonly activities: Readonly<Record<string, ActivityHandler>>;
  /** Sends to any actor and waits; a repeat is harmless. Rejects with AskError. */
  send(to: string, event: ActorEvent, withinMs: number): Promise<Json>;
  /** Which of these a living node does not run. Rejects when it was not reached. */
  missing(incarnation: string, attempts: readonly ActivityAttempt[]): Promise<readonly ActivityAttempt[]>;
  /** Has another node abort these, best effort. */
  abort(incarnation: string, attempts: readonly ActivityAttempt[]): void;
  /** How an incarnation that is gone ended; null while that is not known. */
  causeOf(incarnation: string): 'own-hand' | 'outside' | null;
}
