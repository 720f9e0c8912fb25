import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import { type Log, textOf } from './log.ts';

/** Who ended a node: itself (an uncaught error, an abort, its heap, a loop that went silent), or anything else. */
export type Cause = 'own-hand' | 'outside';

/** How long whoever saw a process end may take to say so; a death nobody explained by then came from outside. */
const WAIT_MS = 1_500;
const REMEMBERED_MAX = 256;

export interface DeathsParts {
  readonly store: Pick<Store, 'setting'>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Why nodes died, decided once for the whole cluster: the first word in the store counts, whoever says it. Own hand is
 * only what somebody saw to be so; a kill, a stop, a cut or a silence nobody explains never is.
 */
export class Deaths {
  readonly #parts: DeathsParts;
  readonly #causes = new Map<string, Cause | null>();

  constructor(parts: DeathsParts) {
    this.#parts = parts;
  }

  /** Somebody saw how it ended. Rejects when the store does not take it. */
  async record(incarnation: string, cause: Cause): Promise<void> {
    const stored = await this.#parts.store.setting(`death ${incarnation}`, cause);
    this.#remember(incarnation, stored === 'own-hand' ? 'own-hand' : 'outside');
  }

  /** Null while it is not known; asking begins the wait. */
  causeOf(incarnation: string): Cause | null {
    const known = this.#causes.get(incarnation);
    if (known !== undefined) return known;
    this.#remember(incarnation, null);
    const { clock, log } = this.#parts;
    clock.after(WAIT_MS, () => {
      this.record(incarnation, 'outside').catch((error: unknown) => {
        this.#causes.delete(incarnation);
        log({ level: 'warn', message: 'the cause of a death was not recorded', incarnation, why: textOf(error) });
      });
    });
    return null;
  }

  #remember(incarnation: string, cause: Cause | null): void {
    this.#causes.delete(incarnation);
    this.#causes.set(incarnation, cause);
    const [oldest] = this.#causes.keys();
    if (this.#causes.size > REMEMBERED_MAX && oldest !== undefined) this.#causes.delete(oldest);
  }
}
