import type { Evidence } from '../terms/offer.ts';

/** Nothing was checked yet, or everything found is too old. */
export const NO_EVIDENCE: Evidence = {
  withheld: [],
  refutedEfforts: [],
  dispatchVerified: false,
  toolCallSuccess1d: null,
  toolCallSuccess1dSamples: 0,
};
