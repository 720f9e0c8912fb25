import type { TurnEvent } from '../terms/turn-event.ts';
import type { Usage } from '../terms/usage.ts';

/** One call to one endpoint whose answer has begun. The same interface for every dialect. */
export interface ProviderAttempt {
  /** Upstream HTTP status. */
  readonly status: number;
  /** The provider's own id of the reply; null until it arrives. */
  readonly upstreamId: string | null;
  /** The usage reported so far; later running totals replace earlier ones. */
  readonly usage: Usage;
  /**
   * The parts that arrived since the last read, at least one; null at a clean end, which always follows `finish`.
   * Rejects with `ProviderFailure`. One read at a time.
   */
  read(): Promise<readonly TurnEvent[] | null>;
  /** Closes the connection now. A pending read rejects. */
  abort(): void;
}
