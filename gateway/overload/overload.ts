import { type Clock, FairQueue } from '../../actors/runtime/index.ts';
import type { OverloadLimits } from '../terms/config/config.ts';
import { LiveTraffic } from './live-traffic.ts';
import { LoopDelay } from './loop-delay.ts';
import { PlaceTimes } from './place-times.ts';
import { StreamShares } from './stream-shares.ts';

/** Kinds of work that a node may decline, in the order in which they are shed. */
export type Work = 'jobs' | 'catalogue' | 'live';

/** Each kind has its share of the bounds on the queue and of `standingMs`, so that reads are refused before turns. */
const QUEUE_SHARE = { catalogue: 0.5, live: 1 } as const;
/** How the number of places follows the delay of the loop, once per interval. */
const DECREASE = 0.7;
const INCREASE = 1.25;
/** Places beyond the number that follows the load, for accounts that have none. */
const MODEST_FACTOR = 2;
/** Places at the start. */
const PLACES = 32;

export interface OverloadGauges {
  readonly placesMax: number;
  readonly inside: number;
  readonly waiting: number;
  readonly streamsWaiting: number;
  /** Requests refused so far. */
  readonly shed: Readonly<Record<Exclude<Work, 'jobs'>, number>>;
}

/**
 * Decides what a node begins while it has more work than time. A request holds a place while the node itself works on
 * it: from its body to its hold or its answer, never while it waits for a client or a provider. Requests without a
 * place queue by account, and accounts are served in turn.
 *
 * Two controls, both published. The number of places falls by a third while the event loop has a standing delay, or
 * while requests stay inside for long because they queue at the owner of their account, and grows by a quarter while
 * requests wait without either (an adaptive concurrency limit, as Netflix's). The bound on the queue is that of a burst
 * until the queue has stood for `standingMs`, then small until it drains (controlled delay, as Facebook's "Fail at
 * Scale" and RFC 8290 for the accounts). A full queue still takes an account's request while the account has less than
 * its share of the queue. An account whose streams are late begins no turn. Refusals hold nothing. (rule E45, rule E47)
 */
export class Overload {
  readonly limits: OverloadLimits;
  /** Live requests that ask for a place. */
  readonly live: LiveTraffic;
  /** Streams of this node, whose accounts may begin no further turn while they are late. */
  readonly streams: StreamShares;
  readonly #clock: Clock;
  readonly #delay: LoopDelay;
  readonly #queue = new FairQueue<() => void>();
  readonly #shed = { catalogue: 0, live: 0 };
  readonly #onRefused: (tookMs: number) => void;
  readonly #placeTimes: PlaceTimes;
  /** Requests inside by holder. */
  readonly #insideBy = new Map<string, number>();
  #placesMax: number;
  #inside = 0;
  #waiting = 0;
  /** Since when requests wait, monotonic ms; null while none does. */
  #waitingSince: number | null = null;
  #tightUntil = Number.NEGATIVE_INFINITY;
  /** The loop had a standing delay in the last interval that was measured. */
  #isLate = false;
  /** Requests waited at some instant of this interval. */
  #hasWaited = false;

  /** `onRefused` receives how long each refusal took, from the head of its request. */
  constructor(clock: Clock, limits: OverloadLimits, onRefused: (tookMs: number) => void = ignore) {
    this.#clock = clock;
    this.limits = limits;
    this.#onRefused = onRefused;
    this.live = new LiveTraffic(clock, limits);
    this.streams = new StreamShares(clock, limits);
    this.#placesMax = Math.min(Math.max(PLACES, limits.placesMin), limits.placesMax);
    this.#placeTimes = new PlaceTimes(limits);
    this.#delay = new LoopDelay(clock, limits.intervalMs, (leastMs) => this.#adapt(leastMs));
  }

  get gauges(): OverloadGauges {
    return {
      placesMax: this.#placesMax,
      inside: this.#inside,
      waiting: this.#waiting,
      streamsWaiting: this.streams.waiting,
      shed: { ...this.#shed },
    };
  }

  /**
   * True if this kind of work may begin now. Jobs: only while no request waits, half of the places are free and the
   * loop is on time; ask again later, since nothing is queued. Requests: unless the queue would refuse them. `holder`
   * is the account, or the client address while the key is not known.
   */
  mayDispatch(work: Work, holder = ''): boolean {
    if (work === 'jobs') {
      this.#delay.start();
      return this.#waiting === 0 && !this.#isLate && this.#inside * 2 <= this.#placesMax;
    }
    if (this.#hasLateStreams(work, holder)) return false;
    if (this.#isModest(holder)) return true;
    const { waitingMax, standingWaitingMax } = this.limits;
    const share = QUEUE_SHARE[work];
    if (this.#waiting < standingWaitingMax * share) return true;
    const bound = (this.#isStanding(share) ? standingWaitingMax : waitingMax) * share;
    if (this.#waiting < bound) return true;
    const holders = this.#queue.groupCount + (this.#queue.has(holder) ? 0 : 1);
    return this.#queue.count(holder) < Math.floor(bound / holders);
  }

  /**
   * A place, at once or after others; null, at once or after the wait, if the request has to be refused. Whoever gets a
   * place calls `leave`.
   */
  enter(work: Exclude<Work, 'jobs'>, holder: string): WorkPlace | Promise<WorkPlace | null> | null {
    this.#delay.start();
    if (work === 'live') this.live.note();
    if (this.#hasLateStreams(work, holder)) return null;
    if (this.#waiting === 0 && this.#inside < this.#placesMax) return this.#open(work, holder);
    if (this.#isModest(holder)) return this.#open(work, holder);
    if (!this.mayDispatch(work, holder)) return null;
    this.#waiting++;
    this.#hasWaited = true;
    this.#waitingSince ??= this.#clock.monotonic();
    return new Promise((resolve) => {
      // If its streams became late while it waited, it is refused rather than left to wait for longer.
      const enter = (): void => resolve(this.#hasLateStreams(work, holder) ? null : this.#open(work, holder));
      this.#queue.add(holder, enter);
    });
  }

  /** Counts a request that is refused now; `arrivedAt` is the monotonic ms of its head. */
  refused(work: Exclude<Work, 'jobs'>, arrivedAt: number): void {
    this.#shed[work]++;
    this.#onRefused(this.#clock.monotonic() - arrivedAt);
  }

  #hasLateStreams(work: Work, holder: string): boolean {
    return work === 'live' && this.streams.isLate(holder);
  }

  /** An account with nothing inside and nothing in the queue need not wait for those that have both. */
  #isModest(holder: string): boolean {
    return this.#inside < this.#placesMax * MODEST_FACTOR && !this.#insideBy.has(holder) && !this.#queue.has(holder);
  }

  #open(work: Work, holder: string): WorkPlace {
    const enteredAt = this.#clock.monotonic();
    this.#inside++;
    this.#insideBy.set(holder, (this.#insideBy.get(holder) ?? 0) + 1);
    return new WorkPlace(() => {
      this.#inside--;
      const left = (this.#insideBy.get(holder) as number) - 1;
      if (left === 0) this.#insideBy.delete(holder);
      else this.#insideBy.set(holder, left);
      if (work === 'live') this.#placeTimes.add(this.#clock.monotonic() - enteredAt);
      this.#serveNext();
    });
  }

  #serveNext(): void {
    while (this.#waiting > 0 && this.#inside < this.#placesMax) {
      const enter = this.#queue.take();
      if (enter === null) return;
      this.#waiting--;
      if (this.#waiting === 0) this.#waitingSince = null;
      enter();
    }
  }

  /** True from when the queue has stood for `standingMs` until it has not done so for as long; for reads half of it. */
  #isStanding(share: number): boolean {
    const now = this.#clock.monotonic();
    const { standingMs } = this.limits;
    const stoodMs = this.#waitingSince === null ? 0 : now - this.#waitingSince;
    if (stoodMs >= standingMs) this.#tightUntil = now + standingMs;
    return now < this.#tightUntil || stoodMs >= standingMs * share;
  }

  /** Ends an interval; true while there is work to measure. */
  #adapt(leastMs: number): boolean {
    const { loopDelayMs, placesMax } = this.limits;
    this.#isLate = leastMs > loopDelayMs;
    const isQueued = this.#placeTimes.endInterval(this.#placesMax);
    const least = Math.min(this.#placeTimes.leastPlaces, placesMax);
    if (this.#isLate || isQueued) this.#placesMax = Math.max(least, Math.floor(this.#placesMax * DECREASE));
    else if (this.#hasWaited) this.#placesMax = Math.min(placesMax, Math.ceil(this.#placesMax * INCREASE));
    this.#hasWaited = this.#waiting > 0;
    this.#serveNext();
    return this.#inside > 0 || this.#waiting > 0;
  }
}

/** One request that the node works on. */
export class WorkPlace {
  #left: (() => void) | null;

  constructor(left: () => void) {
    this.#left = left;
  }

  /** Gives the place to the next request. No effect the second time. */
  leave(): void {
    const left = this.#left;
    this.#left = null;
    left?.();
  }
}

function ignore(): void {}
