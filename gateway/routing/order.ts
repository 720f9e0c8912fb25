import { byPrice } from '../catalogue/by-price.ts';
import type { Candidate } from '../terms/plan.ts';
import type { Preferences, Turn } from '../terms/turn.ts';
import { isNamed } from './eligibility/preferences.ts';
import type { IndexedEndpoint } from './endpoint-index.ts';
import { reach } from './fit.ts';
import { type RankValue, rendezvous, weightedShuffle } from './rank-value.ts';

/** Uptimes this close to the best, in percent points, share the load as equals; so do those of every further band. */
const UPTIME_BAND = 5;
const BANDS = 21;
const LOADS = 3;
/** More than any place by standing. */
const RANKS = 3 * BANDS * LOADS + 1;

export interface OrderOptions {
  /** Uniform in [0, 1): decides how the load spreads, and nothing else. */
  readonly seed: number;
  /** Endpoint id that served this conversation last; null when unknown. */
  readonly last: string | null;
  readonly sort: Preferences['sort'] | undefined;
}

/** An endpoint that may serve, as it would, and its place in the order: by group, within a group by value. */
export interface Eligible {
  readonly indexed: IndexedEndpoint;
  readonly candidate: Candidate;
  group: number;
  value: number;
}

/**
 * Puts eligible endpoints into the order of trial: as the caller listed them; who is down behind who is not; who cannot
 * reach the asked ceiling behind who can; then by the caller's sort. Without one the conversation's last endpoint comes
 * first, then health, uptime and free slots decide, and equals share the load by price. Neither a sort nor a list of
 * providers leaves anything to a conversation. (spec: inference, Routing rules 1 and 5; conventions 1.1, `order`, `sort`)
 */
export function order(eligible: Eligible[], turn: Turn, { seed, last, sort }: OrderOptions): void {
  if (eligible.length < 2) return;
  const names = turn.preferences.order;
  if (sort === undefined) rank(eligible, names === undefined ? last : null, rankValueOf(turn, seed));
  else sorted(eligible, sort);
  const asked = turn.completionTokensMax ?? 0;
  for (const each of eligible) {
    const { indexed } = each;
    const at = names?.findIndex((name) => isNamed(indexed, name)) ?? -1;
    const named = at < 0 ? (names?.length ?? 0) : at;
    const down = indexed.tier === 2 ? 1 : 0;
    const short = reach(indexed.endpoint) < asked ? 1 : 0;
    each.group += ((named * 2 + down) * 2 + short) * RANKS;
    if (names && at >= 0 && sort === undefined) each.value = indexed.price;
  }
  eligible.sort((a, b) => a.group - b.group || (a.value === b.value ? 0 : a.value - b.value));
}

/** A list of providers leaves no conversation with anybody: what it does not name shares the load. */
function rankValueOf({ conversation, preferences }: Turn, seed: number): RankValue {
  return conversation === undefined || preferences.order ? weightedShuffle(seed) : rendezvous(conversation);
}

function sorted(eligible: readonly Eligible[], sort: NonNullable<Preferences['sort']>): void {
  if (sort !== 'price') {
    for (const each of eligible) each.value = measuredRank(each.indexed, sort);
    return;
  }
  const cheapest = [...eligible].sort((a, b) => cheaper(a.indexed, b.indexed));
  cheapest.forEach((each, at) => {
    each.value = at;
  });
}

/** Prices that differ as numbers differ the same way exactly; only equal ones are compared digit by digit. */
function cheaper(a: IndexedEndpoint, b: IndexedEndpoint): number {
  return a.promptPrice === b.promptPrice ? byPrice(a.endpoint, b.endpoint) : a.promptPrice - b.promptPrice;
}

/** Fastest, or most reliable, first; what was not measured behind what was. */
function measuredRank({ endpoint }: IndexedEndpoint, sort: 'throughput' | 'latency' | 'exacto'): number {
  if (sort === 'exacto') return -(endpoint.evidence.toolCallSuccess1d ?? -1);
  const { throughput30m, throughput1d, ttft30m, ttft1d } = endpoint.measured;
  const figure = sort === 'throughput' ? (throughput30m ?? throughput1d) : (ttft30m ?? ttft1d);
  if (figure === null) return Number.MAX_VALUE;
  return sort === 'throughput' ? -figure.p50 : figure.p50;
}

/** Health first, then uptime in bands below the best of that health, then free slots; equals by the draw. */
function rank(eligible: readonly Eligible[], last: string | null, draw: RankValue): void {
  const best = [0, 0, 0];
  for (const { indexed } of eligible) best[indexed.tier] = Math.max(best[indexed.tier] as number, indexed.uptime);
  for (const each of eligible) {
    const { indexed } = each;
    if (indexed.endpoint.id === last && indexed.load !== 2) {
      each.group = 0;
      continue;
    }
    const below = (best[indexed.tier] as number) - indexed.uptime;
    const band = below <= UPTIME_BAND ? 0 : Math.min(BANDS - 1, Math.floor(below / UPTIME_BAND));
    each.group = 1 + (indexed.tier * BANDS + band) * LOADS + indexed.load;
    each.value = draw(indexed);
  }
}
