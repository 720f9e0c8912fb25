const EPOCH_DIGITS = 6;
const EPOCH_FITS = 36 ** EPOCH_DIGITS;
const EPOCH_DIGITS_BEYOND = 11;
/** Numbers per millisecond that `sortAt` can tell apart. */
const NUMBERS_PER_MS = 2_048;

/**
 * The sequence numbers of one engine, for messages, activity records and deferred inputs. They never restart while the
 * process lives; together with the epoch, which rises with every change of owner, a number is never reused, even by an
 * actor that was stopped and created again.
 */
export class Sequence {
  #given = 0;

  /** Ascending as text within a shard, across owners. */
  next(shard: { readonly epoch: number }): string {
    return `${epochText(shard.epoch)}-${(++this.#given).toString(36).padStart(9, '0')}`;
  }

  /**
   * The sort of the record numbered last: store time, then sequence, so that records keep the order of their requests
   * and pages lose none. Unique within a shard up to the bound above; fits in 53 bits.
   */
  sortAt(at: number): number {
    return at * NUMBERS_PER_MS + (this.#given % NUMBERS_PER_MS);
  }
}

/**
 * An epoch as text that sorts as epochs do. Restoring a backup raises epochs by as much as 32 bits each time, beyond
 * six digits; such epochs begin with a character that sorts after every digit.
 */
export function epochText(epoch: number): string {
  if (epoch < EPOCH_FITS) return epoch.toString(36).padStart(EPOCH_DIGITS, '0');
  return `~${epoch.toString(36).padStart(EPOCH_DIGITS_BEYOND, '0')}`;
}
