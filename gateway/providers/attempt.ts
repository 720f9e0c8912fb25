import type { TurnEvent } from '../terms/turn-event.ts';
import type { Usage } from '../terms/usage.ts';

/** One call to one endpoint whose answer has begun. Whatever the provider speaks, this is how it is read. */
export interface ProviderAttempt {
  /** Upstream HTTP status. */
  readonly status: number;
  /** The provider's own id of the reply, once it was seen. */
  readonly upstreamId: string | null;
  /** What was reported so far; running totals are replaced by later ones. */
  readonly usage: Usage;
  /**
   * The parts that arrived since the last read, at least one; null at a clean end, which `finish` always precedes.
   * Rejects with `ProviderFailure`. One read at a time.
   */
  read(): Promise<readonly TurnEvent[] | null>;
  /** Closes the connection now. A read under way rejects. */
  abort(): void;
}
