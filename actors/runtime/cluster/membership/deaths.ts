import type { Clock } from '../../ports/clock.ts';
import { type Log, textOf } from '../../ports/log.ts';
import { deathSetting, type Store } from '../../ports/store.ts';

/**
 * Why a node ended: `crashed` by the process itself (an uncaught error, an abort, a full heap, a silent event loop), or
 * `killed` by any other cause.
 */
export type Cause = 'crashed' | 'killed';

/** How long the observer of a death may take to record its cause; a death without a record by then counts as killed. */
const WAIT_MS = 1_500;
const REMEMBERED_MAX = 256;

interface DeathsParts {
  readonly store: Pick<Store, 'setting'>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Why nodes died, decided once for the whole cluster: the first record in the store counts. A death counts as crashed
 * only if an observer recorded a crash; a kill, a stop, a network cut or an unexplained silence never does.
 */
export class Deaths {
  readonly #parts: DeathsParts;
  readonly #causes = new Map<string, Cause | null>();

  constructor(parts: DeathsParts) {
    this.#parts = parts;
  }

  /** Records the observed cause of a death. Rejects if the store fails. */
  async record(incarnation: string, cause: Cause): Promise<void> {
    const stored = await this.#parts.store.setting(deathSetting(incarnation), cause);
    this.#remember(incarnation, stored === 'crashed' ? 'crashed' : 'killed');
  }

  /** Null while the cause is unknown; the first call starts the wait for a record. */
  causeOf(incarnation: string): Cause | null {
    const known = this.#causes.get(incarnation);
    if (known !== undefined) return known;
    this.#remember(incarnation, null);
    const { clock, log } = this.#parts;
    clock.after(WAIT_MS, () => {
      this.record(incarnation, 'killed').catch((error: unknown) => {
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
