import type { Clock } from '../../../actors/runtime/index.ts';
import type { GatewayError } from '../../terms/gateway-error.ts';
import { refusalError } from '../../terms/gateway-error.ts';
import type { WindowBudgets } from './budgets.ts';
import { HolderParts } from './holder-parts.ts';
import type { WindowPart } from './window-part.ts';
import { type ShareTaken, type UsedUp, WindowShare } from './window-part.ts';

/** Whom a request is counted for. */
export interface Requester {
  /** The account, or the client address of a request without a valid key. */
  readonly asker: string;
  /** The account, or one name for all requests without a valid key, since addresses cost nothing. */
  readonly holder: string;
}

/** One request taken from the window. */
export interface WindowTaken {
  /** Store time in ms when its window ends. */
  readonly resetAt: number;
  /** The holder whose part counted it; null if it was taken beyond a part, while nobody else asked. */
  readonly holder: string | null;
}

interface EndpointWindowOptions {
  /** Store time in ms. */
  readonly now: () => number;
  readonly idleMs: number;
  readonly part: WindowPart;
}

/**
 * The whole endpoint's window on this node. A request takes from it last, after its address or key was counted, and
 * returns what it took if it is refused. While several accounts or addresses ask, none takes more than its part; one
 * that asks alone may take everything. (rule E14)
 */
export class EndpointWindow {
  readonly #share: WindowShare;
  readonly #parts: HolderParts;
  readonly #options: EndpointWindowOptions;

  constructor(budgets: WindowBudgets, clock: Clock, options: EndpointWindowOptions) {
    this.#options = options;
    this.#share = new WindowShare(budgets, clock, options.idleMs);
    this.#parts = new HolderParts(budgets, options.part.free);
  }

  /** Throws the 429 of a request that `take` would certainly refuse; takes nothing. */
  check({ holder }: Requester): void {
    const usedUp = this.#share.usedUp();
    if (usedUp !== null) throw this.#endpointRefusal(usedUp);
    const { resetAt } = this.#share;
    if (resetAt !== null && this.#share.contended && this.#parts.isSpent(holder, resetAt)) {
      throw this.#partRefusal(resetAt);
    }
  }

  /** Takes one request. Throws the 429; a promise resolves or rejects likewise, or rejects with an AskError. */
  take({ asker, holder }: Requester): WindowTaken | Promise<WindowTaken> {
    const taken = this.#share.take(asker);
    return taken instanceof Promise
      ? taken.then((later) => this.#takePart(holder, later))
      : this.#takePart(holder, taken);
  }

  /** Returns what a refused request took. */
  giveBack({ holder, resetAt }: WindowTaken): void {
    this.#share.giveBack(resetAt);
    if (holder !== null) this.#parts.giveBack(holder, resetAt);
  }

  /** Returns the unused part of the share before the node leaves. */
  close(): void {
    this.#share.close();
  }

  #takePart(holder: string, taken: ShareTaken | UsedUp): WindowTaken | Promise<WindowTaken> {
    if (taken.granted === 0) throw this.#endpointRefusal(taken);
    const { resetAt } = taken;
    const counted = this.#parts.take(holder, resetAt);
    if (counted === true) return { resetAt, holder };
    if (counted === false) return this.#beyondPart(resetAt);
    return counted.then(
      (granted) => (granted ? { resetAt, holder } : this.#beyondPart(resetAt)),
      (failure) => {
        this.#share.giveBack(resetAt);
        throw failure;
      },
    );
  }

  #beyondPart(resetAt: number): WindowTaken {
    if (!this.#share.contended) return { resetAt, holder: null };
    this.#share.giveBack(resetAt);
    throw this.#partRefusal(resetAt);
  }

  #endpointRefusal({ limit, resetAt }: UsedUp): GatewayError {
    return this.#refusal(`The whole service is limited to ${limit} requests per minute`, limit, resetAt);
  }

  #partRefusal(resetAt: number): GatewayError {
    const { max } = this.#options.part;
    const message = `One account may take at most ${max} of the requests per minute that all share, while others ask`;
    return this.#refusal(message, max, resetAt);
  }

  #refusal(message: string, limit: number, resetAt: number): GatewayError {
    const window = { limit, resetAt };
    return refusalError({ status: 429, type: 'rate_limit_exceeded', message, window }, this.#options.now());
  }
}
