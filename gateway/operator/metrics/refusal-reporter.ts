import { noteRefused } from '../../../actors/refusal-log/refusal-log.ts';
import type { Clock, Cluster } from '../../../actors/runtime/index.ts';
import type { LastRefusals } from './last-refusals.ts';

/** How long a refused request waits in memory: one commit then stores those of an account. */
const EVERY_MS = 1_000;
/** Accounts whose refusals are stored each time. */
const ACCOUNTS_MAX = 50;

interface RefusalReporterParts {
  readonly cluster: Pick<Cluster, 'tell'>;
  readonly clock: Clock;
  readonly refusals: LastRefusals;
  /** Name of this node. */
  readonly node: string;
}

/** Stores the newest refused requests of each account, after their answers and never in their path. */
export class RefusalReporter {
  readonly #parts: RefusalReporterParts;
  #cancel: (() => void) | null = null;

  constructor(parts: RefusalReporterParts) {
    this.#parts = parts;
  }

  start(): void {
    const { clock } = this.#parts;
    this.#cancel = clock.after(EVERY_MS, () => {
      this.report();
      this.start();
    });
  }

  /** Reports once more what waits. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.report();
  }

  report(): void {
    const { cluster, refusals, node } = this.#parts;
    for (const [account, refused] of refusals.take(ACCOUNTS_MAX)) {
      noteRefused(
        cluster,
        account,
        refused.map((one) => ({ ...one, node })),
      );
    }
  }
}
