import { type Clock, FairQueue } from '../../actors/runtime/index.ts';

/** What a piece costs whatever its length, in bytes: to read it, and to write what becomes of it. */
const PIECE_BYTES = 4 * 1024;

interface Waiting {
  /** Of the bytes of a turn. */
  readonly cost: number;
  readonly begin: () => void;
}

interface StreamLimits {
  readonly streamTurnBytes: number;
  readonly streamDelayMs: number;
}

/**
 * The bytes of streams that a node takes from providers within one turn of the event loop, by account in turn. One turn
 * serves every socket that is readable: without shares, 64 streams of a fast provider delay each step of another
 * account's request by all of their pieces. A stream that waits is not read meanwhile, so its provider waits as well.
 * An account whose pieces wait for too long has more streams than the node has time for, and begins no further turn.
 * (rule E39)
 */
export class StreamShares {
  readonly #clock: Clock;
  readonly #turnBytes: number;
  readonly #delayMs: number;
  readonly #queue = new FairQueue<Waiting>();
  /** Accounts of waiting pieces whose last one waited for more than the delay. */
  readonly #late = new Set<string>();
  #waiting = 0;
  #left: number;
  #isDue = false;

  constructor(clock: Clock, { streamTurnBytes, streamDelayMs }: StreamLimits) {
    this.#clock = clock;
    this.#turnBytes = streamTurnBytes;
    this.#delayMs = streamDelayMs;
    this.#left = streamTurnBytes;
  }

  /** Pieces that wait for a turn. */
  get waiting(): number {
    return this.#waiting;
  }

  /** True while the pieces of this account wait for more than the delay. */
  isLate(account: string): boolean {
    return this.#late.has(account);
  }

  /** Null: the piece is taken now. Else resolves in the turn that takes it. Each stream waits for one piece. */
  take(account: string, bytes: number): Promise<void> | null {
    this.#schedule();
    const cost = bytes + PIECE_BYTES;
    if (this.#waiting === 0 && this.#left > 0) {
      this.#left -= cost;
      return null;
    }
    this.#waiting++;
    const since = this.#clock.monotonic();
    return new Promise((begin) => {
      const taken = (): void => {
        const isLate = this.#clock.monotonic() - since > this.#delayMs && this.#queue.has(account);
        if (isLate) this.#late.add(account);
        else this.#late.delete(account);
        begin();
      };
      this.#queue.add(account, { cost, begin: taken });
    });
  }

  #schedule(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#clock.after(0, this.#turn);
  }

  readonly #turn = (): void => {
    this.#isDue = false;
    this.#left = this.#turnBytes;
    while (this.#waiting > 0 && this.#left > 0) {
      const { cost, begin } = this.#queue.take() as Waiting;
      this.#waiting--;
      this.#left -= cost;
      begin();
    }
    if (this.#waiting > 0) this.#schedule();
  };
}
