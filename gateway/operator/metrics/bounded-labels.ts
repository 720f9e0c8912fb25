import type { MeasuredEndpoint } from '../../terms/measures.ts';

/** Pairs of model and provider that have a series of their own; a catalogue rarely lists as many. */
const PAIRS_MAX = 1_000;
const OTHER: Labels = { model: 'other', provider: 'other' };

export interface Labels {
  readonly model: string;
  readonly provider: string;
}

/** The labels of an endpoint. Beyond a bound on pairs all further endpoints share one series. */
export class BoundedLabels {
  readonly #known = new Map<string, Labels>();
  readonly #pairsMax: number;

  constructor(pairsMax = PAIRS_MAX) {
    this.#pairsMax = pairsMax;
  }

  of({ model, provider }: MeasuredEndpoint): Labels {
    const name = `${model} ${provider}`;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    if (this.#known.size >= this.#pairsMax) return OTHER;
    const labels = { model, provider };
    this.#known.set(name, labels);
    return labels;
  }
}
