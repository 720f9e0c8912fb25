/** Frames that one write takes. */
const BATCH_MAX = 128;

/** Writes frames; null: continue. A promise resolves when the client has read enough for more. */
type WriteFrames = (frames: readonly string[]) => Promise<void> | null;

/**
 * The frames of one client that reads more slowly than events arrive. What it missed before is written as fast as it
 * reads; more than `charactersMax` of what follows do not wait: the caller then ends the stream.
 */
export class FrameQueue {
  readonly #charactersMax: number;
  readonly #write: WriteFrames;
  #frames: { readonly text: string; readonly counted: boolean }[] = [];
  #waiting = 0;
  #writing = false;
  /** Frames added and frames written or dropped so far, and who waits until a number of them is. */
  #added = 0;
  #gone = 0;
  #waiters: { readonly at: number; readonly resolve: () => void }[] = [];

  constructor(charactersMax: number, write: WriteFrames) {
    this.#charactersMax = charactersMax;
    this.#write = write;
  }

  /** `counted`: against the bound. False: too much waits, and the frames were not added. */
  add(frames: readonly string[], counted: boolean): boolean {
    const size = counted ? frames.reduce((sum, { length }) => sum + length, 0) : 0;
    if (this.#waiting + size > this.#charactersMax) return false;
    this.#waiting += size;
    this.#added += frames.length;
    for (const text of frames) this.#frames.push({ text, counted });
    void this.#writeOn();
    return true;
  }

  /** Resolves when the client has taken everything that was added before, or when it was dropped. */
  written(): Promise<void> {
    if (this.#gone === this.#added) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push({ at: this.#added, resolve }));
  }

  /** Drops what was not written. */
  clear(): void {
    this.#leave(this.#frames.length);
    this.#frames = [];
  }

  async #writeOn(): Promise<void> {
    if (this.#writing) return;
    this.#writing = true;
    while (this.#frames.length > 0) {
      const some = this.#frames.splice(0, BATCH_MAX);
      const waits = this.#write(some.map(({ text }) => text));
      if (waits !== null) await waits;
      for (const { text, counted } of some) if (counted) this.#waiting -= text.length;
      this.#leave(some.length);
    }
    this.#writing = false;
  }

  #leave(count: number): void {
    this.#gone += count;
    while (this.#waiters[0] !== undefined && this.#waiters[0].at <= this.#gone) this.#waiters.shift()?.resolve();
  }
}
