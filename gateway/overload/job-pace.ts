import { type Cancel, type Clock, FairQueue } from '../../actors/runtime/index.ts';
import type { OverloadLimits } from '../terms/config/config.ts';
import type { LiveTraffic } from './live-traffic.ts';
import type { Overload } from './overload.ts';

/** How far the rate follows the load of the loop in one interval. */
const DECREASE = 0.7;
const INCREASE = 1.1;
/** Jobs per second that begin when live requests come in again, and the most that are useful. */
const PER_SECOND = 50;
const PER_SECOND_MAX = 2_000;
/** A late timer lets so much time's jobs begin at once. */
const CATCH_UP_MS = 5;

interface JobPaceParts {
  readonly clock: Clock;
  readonly limits: Pick<OverloadLimits, 'jobsPerSecondMin' | 'jobBusyPercentMax' | 'intervalMs'>;
  readonly overload: Pick<Overload, 'mayDispatch'>;
  readonly live: Pick<LiveTraffic, 'isPresent'>;
  /** Time that the event loop of this process has worked so far, ms. */
  readonly busyMs: () => number;
}

interface JobWait {
  /** Ends the wait: it rejects with the reason. */
  readonly signal: AbortSignal;
  /** After so long the wait ends in vain. */
  readonly waitMs: number;
}

interface Waiter {
  readonly begin: () => void;
}

/**
 * When the jobs of a node begin. Without live requests at once. While live requests come in, the rate follows the part
 * of its time that the event loop works: it is multiplied by `jobBusyPercentMax` over that part, within bounds, while
 * jobs wait (a gradient limit, as Netflix's, with the aim of a background transport: to yield to all other traffic, RFC
 * 6817). A rate and no number of jobs, because a job that waits for its provider costs nothing. None begins while the
 * node sheds load. Jobs wait by account, accounts in turn; the runner of activities bounds how many wait and run.
 * (rule E48)
 */
export class JobPace {
  readonly #parts: JobPaceParts;
  readonly #queue = new FairQueue<Waiter>();
  #waiting = 0;
  #perSecond = PER_SECOND;
  #wasLive = false;
  /** A job began in this interval. */
  #hasBegun = false;
  /** When the next job may begin beside live requests. */
  #nextAt = Number.NEGATIVE_INFINITY;
  #timer: Cancel | null = null;
  #measuring: Cancel | null = null;
  #measuredAt = 0;
  #busyAt = 0;

  constructor(parts: JobPaceParts) {
    this.#parts = parts;
  }

  /** Resolves when the job may begin: true; false after `waitMs`. */
  enter(account: string, { signal, waitMs }: JobWait): Promise<boolean> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const ended = (): void => {
        cancel();
        signal.removeEventListener('abort', abort);
        this.#waiting--;
      };
      const leave = (): void => {
        this.#queue.remove(account, waiter);
        ended();
      };
      const abort = (): void => {
        leave();
        reject(signal.reason);
      };
      const waiter: Waiter = {
        begin: () => {
          ended();
          resolve(true);
        },
      };
      const cancel = this.#parts.clock.after(waitMs, () => {
        leave();
        resolve(false);
      });
      signal.addEventListener('abort', abort);
      this.#waiting++;
      this.#queue.add(account, waiter);
      this.#serve();
    });
  }

  readonly #serve = (): void => {
    const { clock, overload } = this.#parts;
    this.#follow();
    while (this.#waiting > 0 && overload.mayDispatch('jobs')) {
      const now = clock.monotonic();
      if (this.#wasLive && now < this.#nextAt) break;
      this.#nextAt = (this.#wasLive ? Math.max(this.#nextAt, now - CATCH_UP_MS) : now) + 1_000 / this.#perSecond;
      this.#hasBegun = true;
      this.#queue.take()?.begin();
    }
    if (this.#waiting > 0) this.#look();
  };

  /** Gives way at once to live requests, and takes everything back once they end. */
  #follow(): void {
    const { isPresent } = this.#parts.live;
    if (isPresent && !this.#wasLive) this.#perSecond = PER_SECOND;
    this.#wasLive = isPresent;
    if (isPresent) this.#measure();
  }

  /** Looks again when the next job may begin, or whether the node still sheds load. */
  #look(): void {
    if (this.#timer !== null) return;
    const { clock, limits, overload } = this.#parts;
    const paced = overload.mayDispatch('jobs') ? this.#nextAt - clock.monotonic() : limits.intervalMs;
    this.#timer = clock.after(Math.min(Math.max(1, paced), limits.intervalMs), () => {
      this.#timer = null;
      this.#serve();
    });
  }

  /** Measures one interval; no effect while one is measured. */
  #measure(): void {
    if (this.#measuring !== null) return;
    const { clock, busyMs, limits } = this.#parts;
    this.#measuredAt = clock.monotonic();
    this.#busyAt = busyMs();
    this.#measuring = clock.after(limits.intervalMs, this.#adapt);
  }

  readonly #adapt = (): void => {
    const { clock, busyMs, limits } = this.#parts;
    this.#measuring = null;
    const busyPercent = (100 * (busyMs() - this.#busyAt)) / (clock.monotonic() - this.#measuredAt);
    // A rate that no job waits for does not grow.
    const most = this.#waiting > 0 ? INCREASE : 1;
    const factor = Math.min(most, Math.max(DECREASE, limits.jobBusyPercentMax / busyPercent));
    this.#perSecond = Math.min(PER_SECOND_MAX, Math.max(limits.jobsPerSecondMin, this.#perSecond * factor));
    const isUsed = this.#hasBegun || this.#waiting > 0;
    this.#hasBegun = false;
    // Nothing is measured while there are no jobs: the next one begins at the first rate again.
    if (isUsed) this.#follow();
    else this.#wasLive = false;
  };
}
