import { observeAttempts } from '../../../actors/endpoint/endpoint.ts';
import type { ObservedAttempt } from '../../../actors/endpoint/window.ts';
import type { Cancel, Clock, Cluster } from '../../../actors/runtime/index.ts';

/** Characters of an account's id that tell its attempts from those of others. */
const TAG_CHARACTERS = 8;
const FLUSH_MS = 200;
const GATHERED_MAX = 64;

/** Batches outcomes for the endpoint actors without waiting for them: a lost batch costs statistics, never money. */
export class Outcomes {
  readonly #cluster: Cluster;
  readonly #clock: Clock;
  readonly #gathered = new Map<string, ObservedAttempt[]>();
  #count = 0;
  #timer: Cancel | null = null;

  constructor(cluster: Cluster, clock: Clock) {
    this.#cluster = cluster;
    this.#clock = clock;
  }

  observe(endpoint: string, attempt: ObservedAttempt): void {
    const own = this.#gathered.get(endpoint);
    if (own) own.push(attempt);
    else this.#gathered.set(endpoint, [attempt]);
    this.#count++;
    if (this.#count >= GATHERED_MAX) this.flush();
    else this.#timer ??= this.#clock.after(FLUSH_MS, () => this.flush());
  }

  flush(): void {
    this.#timer?.();
    this.#timer = null;
    this.#count = 0;
    for (const [endpoint, attempts] of this.#gathered) {
      if (attempts.length === 0) continue;
      // The entry stays: a Map that is emptied repeatedly keeps its memory (see `Slab`).
      this.#gathered.set(endpoint, []);
      observeAttempts(this.#cluster, endpoint, attempts);
    }
  }
}

/** The tag of an account, by its address, in the attempts observed for it. */
export function accountTag(account: string): string {
  return account.slice(-TAG_CHARACTERS);
}
