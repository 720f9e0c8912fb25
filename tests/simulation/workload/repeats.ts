import type { Idempotency } from '../../../actors/terms/hold.ts';
import type { KeyMade } from './bank.ts';

/** Of this many requests one brings an idempotency key of its own, and the one after it repeats an earlier key. */
const KEYED_ONE_IN = 4;
/** Keys kept: every other repeat is of the newest, which often runs still, the others of the oldest. */
const KEPT = 6;

/** A request with an idempotency key, and the API key that sent it. */
interface Keyed {
  readonly nonce: string;
  readonly key: KeyMade;
  readonly idempotency: Idempotency | null;
}

/** Chooses the requests that bring or repeat an idempotency key, by their number. */
export class Repeats {
  readonly #keyed: Keyed[] = [];

  /** The earlier request that this one repeats; null where it repeats none. */
  earlier(op: number): Keyed | null {
    if (op % KEYED_ONE_IN !== 2) return null;
    return (op % (2 * KEYED_ONE_IN) === 2 ? this.#keyed.at(-1) : this.#keyed[0]) ?? null;
  }

  /** A key of this request's own; null where it brings none. */
  own(op: number, nonce: string, key: KeyMade): Idempotency | null {
    if (op % KEYED_ONE_IN !== 1) return null;
    const idempotency = { key: nonce, body: 'body' };
    this.#keyed.push({ nonce, key, idempotency });
    if (this.#keyed.length > KEPT) this.#keyed.shift();
    return idempotency;
  }
}
