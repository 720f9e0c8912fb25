import { epochText } from './epoch-text.ts';

/** Numbers given out in one millisecond before they are told apart by that no more. */
const NUMBERS_PER_MS = 2_048;

/**
 * The numbers of one engine, for messages, intents and inputs that are kept. They never begin anew while this process
 * lives: together with the epoch, which rises with every change of hands, a number is never used twice, even by an
 * actor that stopped and was made again.
 */
export class Sequence {
  #given = 0;

  /** Ascending as text within a shard, whoever owns it. */
  next(home: { readonly epoch: number }): string {
    return `${epochText(home.epoch)}-${(++this.#given).toString(36).padStart(9, '0')}`;
  }

  /**
   * Where what was numbered last stands among its like, by store time: in the order of asking, and no two of a shard
   * alike, so that pages of them lose none. All of it within 53 bits.
   */
  sortAt(at: number): number {
    return at * NUMBERS_PER_MS + (this.#given % NUMBERS_PER_MS);
  }
}
