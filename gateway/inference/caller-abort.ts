/** What a turn needs to know of its caller's leaving; an `AbortSignal` will do as well. */
export interface AbortNotice {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * The caller leaving, as a signal with at most one listener. In place of an `AbortController` because every request
 * makes one: measured at 20 us of CPU per request for the controller and its events, under 1 us for this.
 */
export class CallerAbort implements AbortNotice {
  aborted = false;
  #listener: (() => void) | null = null;

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listener = listener;
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    if (this.#listener === listener) this.#listener = null;
  }

  abort(): void {
    if (this.aborted) return;
    this.aborted = true;
    this.#listener?.();
  }
}
