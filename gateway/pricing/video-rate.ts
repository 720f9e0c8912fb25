import type { Tariff, VideoTier } from '../../actors/terms/tariff.ts';
import { isOpen, isTimed } from './is-open.ts';

/** What decides the rate of one render at one endpoint, the endpoint's declared defaults included. */
export interface RenderTerms {
  /** Store time, ms, of the submission: its price window stays, however long the render takes. */
  readonly at: number;
  readonly resolution: string | null;
  readonly size: string | null;
  /** Null: neither asked for nor declared as the default. */
  readonly audio: boolean | null;
  /** Ids of the adapters that the price of the generation does not include. */
  readonly adapters: readonly string[];
}

/** A rate in USD per second; `unpriced`: none is declared; `undecided`: rates are declared, and none of them for these terms. */
type VideoRate = { readonly rate: string } | 'unpriced' | 'undecided';

/**
 * The rate of a render. A size never matches a rate of a resolution. Undecided where the soundtrack decides the rate
 * and is not known, where several adapters have a rate of their own, and where no rate matches: a partial declaration
 * is not free. (rule V16)
 */
export function videoRate({ videoSecond, videoTiers }: Tariff, terms: RenderTerms): VideoRate {
  if (videoTiers === undefined) {
    if (videoSecond === undefined) return 'unpriced';
    return terms.adapters.length > 0 ? 'undecided' : { rate: videoSecond };
  }
  const heard = terms.audio === null ? [true, false] : [terms.audio];
  const rates = new Set(heard.map((audio) => rateOf(videoTiers, { ...terms, audio })));
  const [rate] = rates;
  return rates.size !== 1 || rate === undefined || rate === null ? 'undecided' : { rate };
}

/** The last of the matching rates. */
function rateOf(tiers: readonly VideoTier[], terms: RenderTerms): string | null {
  const matching = tiers.filter((tier) => isMatch(tier, terms));
  const last = matching.at(-1);
  const [adapter, another] = terms.adapters;
  if (adapter === undefined) return last?.rate ?? null;
  return another === undefined && last?.adapter === adapter ? last.rate : null;
}

function isMatch(tier: VideoTier, { at, resolution, size, audio, adapters }: RenderTerms): boolean {
  if (tier.resolution !== undefined && tier.resolution !== resolution) return false;
  if (tier.size !== undefined && tier.size !== size) return false;
  if (tier.audio !== undefined && tier.audio !== audio) return false;
  if (tier.adapter !== undefined && !adapters.includes(tier.adapter)) return false;
  return !isTimed(tier) || isOpen(tier, at);
}
