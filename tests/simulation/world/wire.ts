import type { Dice } from './dice.ts';

const SPIKE_MS_MAX = 400;

/** Latency from one node to another. */
export interface WireTraits {
  readonly minMs: number;
  readonly maxMs: number;
  /** Probability of up to `SPIKE_MS_MAX` more latency. */
  readonly spikes: number;
}

/** One direction between two nodes, shared by all their connections. While shut, it delivers no frames. */
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
