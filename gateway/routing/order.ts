import { byPrice } from '../catalogue/models.ts';
import type { Candidate } from '../terms/plan.ts';
import type { Preferences, Turn } from '../terms/turn.ts';
import type { Conversation } from './affinity.ts';
import { isNamed } from './eligibility/preferences.ts';
import { type IndexedEndpoint, loadOf } from './endpoints/endpoint-index.ts';
import { declaredCompletionMax } from './fit.ts';
import { rendezvous, WEIGHT_PRICE_MIN } from './rendezvous.ts';

/** Uptimes within this many percent points of the best share the load as equals; further bands have the same width. */
const UPTIME_BAND = 5;
const BANDS = 21;
const LOADS = 3;
/** Larger than any rank computed from health, uptime and load. */
const RANKS = 3 * BANDS * LOADS + 1;

export interface OrderOptions {
  /** Uniform in [0, 1): decides only how the load is spread. */
  readonly seed: number;
  /** Store time, ms: older reports of capacity are not used. */
  readonly at: number;
  /** Null for a turn without a conversation. */
  readonly conversation: Conversation | null;
  readonly sort: Preferences['sort'] | undefined;
}

/** An eligible endpoint with its candidate and its position in the order: by group, then by value. */
export interface Eligible<C = Candidate> {
  readonly indexed: IndexedEndpoint;
  readonly candidate: C;
  group: number;
  value: number;
}

/**
 * Sorts eligible endpoints into the order of attempts: by the client's list; live ones before those that are down;
 * those that can emit the requested ceiling before the others; then by the client's sort. Without a sort a
 * conversation's turn goes to its place; otherwise health, uptime and free slots decide, and equals share the load by
 * price. A sort or a list of providers disables affinity. (rule I128, rule I29, rule I33)
 */
export function order<C>(
  eligible: Eligible<C>[],
  turn: Turn,
  { seed, at: now, conversation, sort }: OrderOptions,
): void {
  if (eligible.length < 2) return;
  const names = turn.preferences.order;
  if (sort !== undefined) sorted(eligible, sort);
  else if (conversation === null || names !== undefined) rank(eligible, weightedShuffle(seed), now);
  else place(eligible, conversation, now);
  const requestedMax = turn.completionTokensMax ?? 0;
  for (const each of eligible) {
    const { indexed } = each;
    const at = names?.findIndex((name) => isNamed(indexed, name)) ?? -1;
    const named = at < 0 ? (names?.length ?? 0) : at;
    const down = indexed.tier === 2 ? 1 : 0;
    const short = declaredCompletionMax(indexed.endpoint) < requestedMax ? 1 : 0;
    each.group += ((named * 2 + down) * 2 + short) * RANKS;
    if (names && at >= 0 && sort === undefined) each.value = indexed.price;
  }
  eligible.sort((a, b) => a.group - b.group || (a.value === b.value ? 0 : a.value - b.value));
}

/**
 * The place of a conversation: the endpoint that last served it unless that is full, then the others by health, full
 * ones last, by rendezvous. Uptime and free slots do not decide, because they change from turn to turn.
 */
function place(eligible: readonly Eligible<unknown>[], conversation: Conversation, now: number): void {
  const scoreOf = rendezvous(conversation.identity);
  const lasts = new Map<string, string | null>();
  for (const each of eligible) {
    const { indexed } = each;
    const { id, model } = indexed.endpoint;
    if (!lasts.has(model)) lasts.set(model, conversation.lastOf(model));
    const full = loadOf(indexed, now) === 2;
    each.group = !full && lasts.get(model) === id ? 0 : 1 + indexed.tier * 2 + (full ? 1 : 0);
    each.value = scoreOf(indexed);
  }
}

function sorted(eligible: readonly Eligible<unknown>[], sort: NonNullable<Preferences['sort']>): void {
  if (sort !== 'price') {
    for (const each of eligible) each.value = measuredRank(each.indexed, sort);
    return;
  }
  const cheapest = [...eligible].sort((a, b) => cheaper(a.indexed, b.indexed));
  cheapest.forEach((each, at) => {
    each.value = at;
  });
}

/** Prices that differ as numbers differ exactly; equal ones are compared digit by digit. */
function cheaper(a: IndexedEndpoint, b: IndexedEndpoint): number {
  return a.promptPrice === b.promptPrice ? byPrice(a.endpoint, b.endpoint) : a.promptPrice - b.promptPrice;
}

/** Fastest, or most reliable, first; unmeasured endpoints last. */
function measuredRank({ endpoint }: IndexedEndpoint, sort: 'throughput' | 'latency' | 'exacto'): number {
  if (sort === 'exacto') return -(endpoint.evidence.toolCallSuccess1d ?? -1);
  const { throughput30m, throughput1d, ttft30m, ttft1d } = endpoint.measured;
  const figure = sort === 'throughput' ? (throughput30m ?? throughput1d) : (ttft30m ?? ttft1d);
  if (figure === null) return Number.MAX_VALUE;
  return sort === 'throughput' ? -figure.p50 : figure.p50;
}

/** Ranks by health, then uptime in bands below the best of that health, then free slots; equals by rank value. */
function rank(eligible: readonly Eligible<unknown>[], rankValue: RankValue, now: number): void {
  const best = [0, 0, 0];
  for (const { indexed } of eligible) best[indexed.tier] = Math.max(best[indexed.tier] as number, indexed.uptime);
  for (const each of eligible) {
    const { indexed } = each;
    const below = (best[indexed.tier] as number) - indexed.uptime;
    const band = below <= UPTIME_BAND ? 0 : Math.min(BANDS - 1, Math.floor(below / UPTIME_BAND));
    each.group = (indexed.tier * BANDS + band) * LOADS + loadOf(indexed, now);
    each.value = rankValue(indexed);
  }
}

/** A number per endpoint; the smallest comes first. */
type RankValue = (indexed: IndexedEndpoint) => number;

/** A weighted shuffle: an endpoint comes first with a probability proportional to 1 / price squared. */
function weightedShuffle(seed: number): RankValue {
  let state = Math.floor(seed * 0x1_0000_0000) | 0;
  return ({ price }) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    const fraction = ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
    const floored = Math.max(price, WEIGHT_PRICE_MIN);
    return Number.isFinite(floored) ? -Math.log(1 - fraction) * floored * floored : Number.MAX_VALUE;
  };
}
