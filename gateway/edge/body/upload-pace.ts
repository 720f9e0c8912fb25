import type { Cancel, Clock } from '../../../actors/runtime/index.ts';
import type { EdgeLimits } from '../../terms/config/config.ts';

/**
 * Watches the average speed of an upload: `onSlow` is called once if it falls below `bodyBytesPerSecondMin` after
 * `bodyGraceMs`. Time for which the gateway holds the sender back does not count.
 */
export class UploadPace {
  readonly #clock: Clock;
  readonly #limits: Pick<EdgeLimits, 'bodyGraceMs' | 'bodyBytesPerSecondMin'>;
  readonly #onSlow: () => void;
  readonly #startedAt: number;
  #bytes = 0;
  #heldMs = 0;
  #heldAt: number | null = null;
  #stop: Cancel;

  constructor(clock: Clock, limits: Pick<EdgeLimits, 'bodyGraceMs' | 'bodyBytesPerSecondMin'>, onSlow: () => void) {
    this.#clock = clock;
    this.#limits = limits;
    this.#onSlow = onSlow;
    this.#startedAt = clock.monotonic();
    this.#stop = clock.after(limits.bodyGraceMs, this.#check);
  }

  get held(): boolean {
    return this.#heldAt !== null;
  }

  received(bytes: number): void {
    this.#bytes += bytes;
  }

  /** The gateway holds the sender back from now on. */
  hold(): void {
    this.#heldAt ??= this.#clock.monotonic();
  }

  resume(): void {
    if (this.#heldAt === null) return;
    this.#heldMs += this.#clock.monotonic() - this.#heldAt;
    this.#heldAt = null;
  }

  stop(): void {
    this.#stop();
  }

  readonly #check = (): void => {
    const now = this.#clock.monotonic();
    const heldMs = this.#heldMs + (this.#heldAt === null ? 0 : now - this.#heldAt);
    const owedBytes = ((now - this.#startedAt - heldMs) * this.#limits.bodyBytesPerSecondMin) / 1_000;
    if (this.#bytes >= owedBytes) this.#stop = this.#clock.after(this.#limits.bodyGraceMs, this.#check);
    else this.#onSlow();
  };
}
