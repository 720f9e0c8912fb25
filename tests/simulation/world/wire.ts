import type { Dice } from './dice.ts';

const SPIKE_MS_MAX = 400;

/** How long things take from one node to another. */
export interface WireTraits {
  readonly minMs: number;
  readonly maxMs: number;
  /** Probability that something takes up to `SPIKE_MS_MAX` longer. */
  readonly spikes: number;
}

/** One direction between two nodes, whatever connections use it. While it is shut, nothing arrives. */
export class Wire {
  shut = false;
  traits: WireTraits;
  #waiting: (() => void)[] = [];

  constructor(traits: WireTraits) {
    this.traits = traits;
  }

  delayMs(dice: Dice): number {
    const { minMs, maxMs, spikes } = this.traits;
    return dice.between(minMs, maxMs) + (dice.happens(spikes) ? dice.between(0, SPIKE_MS_MAX) : 0);
  }

  whenOpen(run: () => void): void {
    this.#waiting.push(run);
  }

  open(): void {
    this.shut = false;
    for (const run of this.#waiting.splice(0)) run();
  }
}
