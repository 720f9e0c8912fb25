import { BlobsRefused } from '../ports/blobs.ts';

/** Blobs written at once in one process, unless an implementation sets its own bound. */
const WRITES_MAX = 256;

/** Bounds the number of concurrent blob writes. A further write is refused as busy before any of its source is read. */
export class WriteSlots {
  readonly #max: number;
  #taken = 0;

  constructor(max: number = WRITES_MAX) {
    this.#max = max;
  }

  async take<T>(write: () => Promise<T>): Promise<T> {
    if (this.#taken >= this.#max)
      throw new BlobsRefused('busy', `the bound of ${this.#max} concurrent blob writes is reached`);
    this.#taken++;
    try {
      return await write();
    } finally {
      this.#taken--;
    }
  }
}
