import { reportKey } from '../../../actors/provider/provider.ts';
import type { Clock, Cluster } from '../../../actors/runtime/index.ts';
import type { ProviderFailure } from '../../providers/provider-failure.ts';

/** The key is refused (401, 403), or its account has no credit or quota left (402, 429). */
const ALARMING: ReadonlySet<number> = new Set([401, 402, 403, 429]);
/** A refused key is reported again after this time, while calls go on. */
const AGAIN_MS = 60_000;

interface KeyAlarmParts {
  readonly cluster: Pick<Cluster, 'tell'>;
  readonly clock: Clock;
  readonly log: (record: KeyAlarmRecord) => void;
}

type KeyAlarmRecord = {
  readonly level: 'info' | 'error';
  readonly message: string;
  readonly provider: string;
  readonly status?: number;
};

/**
 * Raises the alarm when a provider refuses the operator's key or account, in the log and at the provider's actor, which `why` shows;
 * and ends it with the next answer. One entry per provider of the configuration.
 */
export class KeyAlarms {
  readonly #parts: KeyAlarmParts;
  /** Monotonic ms of the last report, by slug. */
  readonly #refused = new Map<string, number>();

  constructor(parts: KeyAlarmParts) {
    this.#parts = parts;
  }

  failed(provider: string, { reason, status }: Pick<ProviderFailure, 'reason' | 'status'>): void {
    if (reason !== 'misconfigured' || status === null || !ALARMING.has(status)) return;
    const { cluster, clock, log } = this.#parts;
    const now = clock.monotonic();
    if (now - (this.#refused.get(provider) ?? Number.NEGATIVE_INFINITY) < AGAIN_MS) return;
    this.#refused.set(provider, now);
    log({ level: 'error', message: 'a provider refuses our key', provider, status });
    reportKey(cluster, provider, status);
  }

  served(provider: string): void {
    if (this.#refused.size === 0 || !this.#refused.delete(provider)) return;
    const { cluster, log } = this.#parts;
    log({ level: 'info', message: 'a provider accepts our key again', provider });
    reportKey(cluster, provider, null);
  }
}
