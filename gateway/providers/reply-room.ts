import { FairQueue } from '../../actors/runtime/index.ts';

interface Waiting {
  readonly account: string;
  readonly bytes: number;
  readonly begin: () => void;
}

/** Of all room, the most that one account holds. */
const ACCOUNT_SHARE = 0.5;

/**
 * The bytes of large whole replies that one node reads at once. A reply without room is not read on, so its provider
 * waits; accounts are served in turn, and one holds at most half of the room. (issue 18, line 2)
 */
export class ReplyRoom {
  readonly #bytesMax: number;
  readonly #waiting = new FairQueue<Waiting>();
  readonly #byAccount = new Map<string, number>();
  #bytes = 0;

  /** `bytesMax` is at least twice the largest reply. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Bytes that replies hold now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Resolves with the function that gives the room back. */
  take(account: string, bytes: number): Promise<() => void> {
    return new Promise((resolve) => {
      const waiting = { account, bytes, begin: () => resolve(this.#open(account, bytes)) };
      this.#waiting.add(account, waiting);
      this.#serve();
    });
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
