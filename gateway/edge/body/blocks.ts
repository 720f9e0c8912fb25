/** Smaller pieces are copied together. */
const KEPT_BYTES_MIN = 4 * 1024;
/** As much as a socket gives at once. */
export const BLOCK_BYTES = 64 * 1024;

/**
 * The bytes of a body as they come, kept for what they are: a piece of one byte weighs a hundred as an object of its own, and
 * holds the memory of all that came with it.
 */
export class Blocks {
  readonly #kept: Buffer[] = [];
  #block: Buffer | null = null;
  #filled = 0;

  add(piece: Buffer): void {
    if (piece.length >= KEPT_BYTES_MIN) {
      this.#close();
      this.#kept.push(piece);
      return;
    }
    if (this.#block !== null && this.#filled + piece.length > BLOCK_BYTES) this.#close();
    this.#block ??= Buffer.allocUnsafeSlow(BLOCK_BYTES);
    this.#filled += piece.copy(this.#block, this.#filled);
  }

  /** All of them, in their order. */
  take(): readonly Buffer[] {
    this.#close();
    return this.#kept;
  }

  #close(): void {
    if (this.#block !== null) this.#kept.push(this.#block.subarray(0, this.#filled));
    this.#block = null;
    this.#filled = 0;
  }
}
