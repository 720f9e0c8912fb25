import type { Clock } from '../../ports/clock.ts';
import type { NodeLimits } from '../../ports/limits.ts';
import { type Log, textOf } from '../../ports/log.ts';

/** Changes of one takeover follow each other at once; they give one notice. */
const GATHER_MS = 20;

/**
 * Notices that nodes or owners of shards may have changed: hints to read the present state, for operators who look. With
 * nobody watching it does nothing.
 */
export class MembershipNotices {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #watchersMax: number;
  readonly #watchers = new Set<{ readonly see: () => void }>();
  #isPending = false;

  constructor({ clock, log, limits }: { clock: Clock; log: Log; limits: Pick<NodeLimits, 'watchersMax'> }) {
    this.#clock = clock;
    this.#log = log;
    this.#watchersMax = limits.watchersMax;
  }

  /** Returns the function that ends it. Throws at the bound. */
  watch(see: () => void): () => void {
    if (this.#watchers.size >= this.#watchersMax) throw new Error('too many watchers at once');
    const watcher = { see };
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  notify(): void {
    if (this.#watchers.size === 0 || this.#isPending) return;
    this.#isPending = true;
    this.#clock.after(GATHER_MS, () => {
      this.#isPending = false;
      for (const watcher of this.#watchers) this.#show(watcher);
    });
  }

  #show(watcher: { readonly see: () => void }): void {
    try {
      watcher.see();
    } catch (error) {
      this.#watchers.delete(watcher);
      this.#log({ level: 'warn', message: 'a watcher threw and was removed', why: textOf(error) });
    }
  }
}
