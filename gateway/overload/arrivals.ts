import type { Clock } from '../../actors/runtime/index.ts';
import { LoopShare } from './loop-share.ts';

/** A request whose head was read and that has not begun. */
interface Arrival {
  /** Its account, or its client address while the key is not known. */
  readonly holder: string;
  /** True if it would be refused for overload if it began now. */
  readonly isRefused: boolean;
  readonly begin: () => void;
}

interface ArrivalLimits {
  /** Time that each turn of the event loop has for requests to begin and for refusals, ms. Busy turns give more. */
  readonly startsMs: number;
  readonly refusalsMs: number;
  /** Requests that wait for a turn; each further one begins at once. */
  readonly arrivalsMax: number;
}

/** Time for either, as a part of the time that the rest of the turn took. */
const STARTS_PART = 1;
const REFUSALS_PART = 0.25;

/**
 * Begins the requests of a node in shares of the event loop, by holder in turn. One turn of the loop serves every
 * socket that is readable: without shares, 700 connections of one client delay each step of another client's request by
 * 40 ms, and heartbeats as well. Requests begin for at most as long as the rest of a turn takes, and refusals take at
 * most a quarter of it, since a flood of them would otherwise leave no time for the work that was admitted. A request
 * that finds time left begins at once. (rule E46)
 */
export class Arrivals {
  readonly #clock: Clock;
  readonly #max: number;
  readonly #starts: LoopShare;
  readonly #refusals: LoopShare;
  #isDue = false;
  #turnBeganAt = 0;

  constructor(clock: Clock, { startsMs, refusalsMs, arrivalsMax }: ArrivalLimits) {
    this.#clock = clock;
    this.#max = arrivalsMax;
    this.#starts = new LoopShare(clock, startsMs, STARTS_PART);
    this.#refusals = new LoopShare(clock, refusalsMs, REFUSALS_PART);
  }

  /** Requests that wait for a turn. */
  get waiting(): number {
    return this.#starts.waiting + this.#refusals.waiting;
  }

  /** Begins a request now or in a later turn. */
  add({ holder, isRefused, begin }: Arrival): void {
    if (!this.#isDue) {
      this.#turnBeganAt = this.#clock.monotonic();
      this.#schedule();
    }
    const share = isRefused ? this.#refusals : this.#starts;
    if (this.waiting >= this.#max) share.run(begin);
    else share.add(holder, begin);
  }

  #schedule(): void {
    this.#isDue = true;
    this.#clock.after(0, this.#turn);
  }

  readonly #turn = (): void => {
    this.#isDue = false;
    const spentMs = this.#starts.spentMs + this.#refusals.spentMs;
    const restMs = this.#clock.monotonic() - this.#turnBeganAt - spentMs;
    this.#starts.serve(restMs);
    this.#refusals.serve(restMs);
    this.#turnBeganAt = this.#clock.monotonic();
    if (this.waiting > 0) this.#schedule();
  };
}
