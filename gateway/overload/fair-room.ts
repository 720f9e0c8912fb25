import { type Cancel, type Clock, FairQueue } from '../../actors/runtime/index.ts';

/** How long one waits for room. */
interface RoomWait {
  readonly clock: Clock;
  readonly waitMs: number;
}

interface Waiting {
  readonly account: string;
  readonly bytes: number;
  readonly begin: () => void;
}

/** Of all room, the most that one account holds. */
const ACCOUNT_SHARE = 0.5;

/**
 * Bounds the bytes of one kind that a node holds in memory: large whole replies, stored files. A piece without room
 * waits; accounts are served in turn, and one holds at most half of the room.
 */
export class FairRoom {
  readonly #bytesMax: number;
  readonly #waiting = new FairQueue<Waiting>();
  readonly #byAccount = new Map<string, number>();
  #bytes = 0;

  /** `bytesMax` is at least twice the largest piece. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Bytes that are held now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Resolves with the function that gives the room back. */
  take(account: string, bytes: number): Promise<() => void> {
    return new Promise((resolve) => void this.#wait(account, bytes, resolve));
  }

  /** The same; resolves with null if there was no room within `waitMs`. */
  takeWithin(account: string, bytes: number, { clock, waitMs }: RoomWait): Promise<(() => void) | null> {
    return new Promise((resolve) => {
      let isGiven = false;
      let cancel: Cancel = nothing;
      const waiting = this.#wait(account, bytes, (release) => {
        isGiven = true;
        cancel();
        resolve(release);
      });
      if (isGiven) return;
      cancel = clock.after(waitMs, () => {
        this.#waiting.remove(account, waiting);
        this.#serve();
        resolve(null);
      });
    });
  }

  #wait(account: string, bytes: number, given: (release: () => void) => void): Waiting {
    const waiting = { account, bytes, begin: () => given(this.#open(account, bytes)) };
    this.#waiting.add(account, waiting);
    this.#serve();
    return waiting;
  }

  #serve(): void {
    for (let next = this.#next(); next !== null; next = this.#next()) next.begin();
  }

  #next(): Waiting | null {
    return this.#waiting.take(
      ({ account, bytes }) =>
        this.#bytes + bytes <= this.#bytesMax &&
        (this.#byAccount.get(account) ?? 0) + bytes <= this.#bytesMax * ACCOUNT_SHARE,
    );
  }

  #open(account: string, bytes: number): () => void {
    this.#bytes += bytes;
    this.#byAccount.set(account, (this.#byAccount.get(account) ?? 0) + bytes);
    return () => {
      this.#bytes -= bytes;
      const left = (this.#byAccount.get(account) ?? 0) - bytes;
      if (left > 0) this.#byAccount.set(account, left);
      else this.#byAccount.delete(account);
      this.#serve();
    };
  }
}

function nothing(): void {}
