import type { Tariff } from '../../actors/terms/tariff.ts';
import { total } from './total.ts';

export interface Charge {
  /** Exact decimal USD, floored once at 24 decimals. */
  readonly cost: string;
  /** Units that were consumed and have no declared price: recorded, and charged nothing. */
  readonly unpriced: readonly string[];
}

const NOTHING_UNPRICED: readonly string[] = [];

/** The charge for what was consumed, by the tariff the turn was admitted with. */
export function charge(
  tariff: Tariff,
  consumed: { readonly promptTokens?: number; readonly completionTokens?: number },
): Charge {
  const prompt = consumed.promptTokens ?? 0;
  const completion = consumed.completionTokens ?? 0;
  const promptUnpriced = prompt > 0 && tariff.prompt === undefined;
  const completionUnpriced = completion > 0 && tariff.completion === undefined;
  return {
    cost: total(tariff, prompt, completion),
    unpriced:
      promptUnpriced || completionUnpriced
        ? [...(promptUnpriced ? ['prompt'] : []), ...(completionUnpriced ? ['completion'] : [])]
        : NOTHING_UNPRICED,
  };
}
