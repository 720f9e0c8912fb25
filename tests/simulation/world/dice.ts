import type { Random } from '../../../actors/runtime/ports/clock.ts';
import { chance } from '../../chaos/chance.ts';

/** Seeded random numbers. Each part of a world has its own generator, made by `fork`. */
export class Dice implements Random {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = chance(seed);
    // Discard the first numbers: those of neighbouring seeds are similar.
    for (let i = 0; i < 8; i++) this.#next();
  }

  fork(): Dice {
    return new Dice(Math.floor(this.#next() * 0x1_0000_0000));
  }

  fraction(): number {
    return this.#next();
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => Math.floor(this.#next() * 256));
  }

  /** True with this probability. */
  happens(probability: number): boolean {
    return this.#next() < probability;
  }

  /** Uniform between the two, not rounded. */
  between(min: number, max: number): number {
    return min + (max - min) * this.#next();
  }

  /** A whole number from `min` to `max`, both included. */
  whole(min: number, max: number): number {
    return min + Math.floor(this.#next() * (max - min + 1));
  }

  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new Error('nothing to pick from');
    return items[Math.floor(this.#next() * items.length)] as T;
  }
}
