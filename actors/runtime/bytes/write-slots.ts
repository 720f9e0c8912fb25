import { BlobsRefused } from '../ports/blobs.ts';

/** Blobs written at once in one process: the bound of every implementation that names no other. */
const WRITES_MAX = 256;

/** Lets at most so many blobs be written at once; one more is refused as busy, and nothing of it is read. */
export class WriteSlots {
  readonly #max: number;
  #taken = 0;

  constructor(max: number = WRITES_MAX) {
    this.#max = max;
  }

  async take<T>(write: () => Promise<T>): Promise<T> {
    if (this.#taken >= this.#max) throw new BlobsRefused('busy', `${this.#max} blobs are being written already`);
    this.#taken++;
    try {
      return await write();
    } finally {
      this.#taken--;
    }
  }
}
