import type { ActorEvent, Json } from '../actor/event.ts';
import type { Performer } from '../ports/performer.ts';
import type { Random } from '../ports/random.ts';

/** One attempt of one intent, by name. */
export interface Attempt {
  readonly address: string;
  readonly id: string;
  readonly attempt: number;
}

/** What an engine reaches beyond its own shards. Without it, it refuses sends to other shards and work in the world. */
export interface Outside {
  readonly random: Random;
  readonly performers: Readonly<Record<string, Performer>>;
  /** Sends to any actor and waits; a repeat is harmless. Rejects with AskError. */
  send(to: string, event: ActorEvent, withinMs: number): Promise<Json>;
  /** Which of these a living node does not run. Rejects when it was not reached. */
  missing(incarnation: string, attempts: readonly Attempt[]): Promise<readonly Attempt[]>;
  /** Has another node abort these, best effort. */
  abort(incarnation: string, attempts: readonly Attempt[]): void;
  /** How an incarnation that is gone ended; null while that is not known. */
  causeOf(incarnation: string): 'own-hand' | 'outside' | null;
}
