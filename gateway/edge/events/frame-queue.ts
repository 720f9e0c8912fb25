/** Frames that one write takes. */
const BATCH_MAX = 128;

/** Writes frames; null: continue. A promise resolves when the client has read enough for more. */
export type WriteFrames = (frames: readonly string[]) => Promise<void> | null;

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

  constructor(charactersMax: number, write: WriteFrames) {
    this.#charactersMax = charactersMax;
    this.#write = write;
  }

  /** `counted`: against the bound. False: too much waits, and the frames were not added. */
  add(frames: readonly string[], counted: boolean): boolean {
    const size = counted ? frames.reduce((sum, { length }) => sum + length, 0) : 0;
    if (this.#waiting + size > this.#charactersMax) return false;
    this.#waiting += size;
    for (const text of frames) this.#frames.push({ text, counted });
    void this.#writeOn();
    return true;
  }

  /** Drops what was not written. */
  clear(): void {
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
    }
    this.#writing = false;
  }
}
