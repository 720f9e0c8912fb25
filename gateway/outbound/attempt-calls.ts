import type { Outbound, OutboundCall, OutboundReply } from './outbound.ts';

/**
 * The calls of one attempt of an activity, one at a time. The abort of the attempt ends the call that runs, and no call
 * begins after it: an abort between two calls has no call to end.
 */
export class AttemptCalls {
  readonly #outbound: Outbound;
  readonly #signal: AbortSignal;
  #abort: () => void = () => {};

  constructor(outbound: Outbound, signal: AbortSignal) {
    this.#outbound = outbound;
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#abort(), { once: true });
  }

  /**
   * Rejects with the signal's reason where the attempt has ended, else as `Outbound.send`. `outlives` is asked when the
   * attempt ends during the call: true lets the call go on, because its answer names what has to be undone.
   */
  async send(call: OutboundCall, outlives: () => boolean = never): Promise<OutboundReply> {
    this.#signal.throwIfAborted();
    const begun = (abort: () => void): void => {
      this.#abort = () => {
        if (!outlives()) abort();
      };
    };
    return this.#outbound.send({ ...call, begun });
  }
}

function never(): boolean {
  return false;
}
