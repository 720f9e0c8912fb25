import { byPrice } from '../catalogue/by-price.ts';
import type { Preferences, Turn } from '../terms/turn.ts';
import { reach } from './fit.ts';
import type { Listed } from './listing.ts';
import { isNamed } from './objection.ts';

/** Uptimes this close, in percent points, share the load as equals. */
const UPTIME_EQUAL = 5;
/** Floor of the price in a weight, so that a free endpoint has a finite one. */
const WEIGHT_PRICE_MIN = 1e-12;

export interface OrderOptions {
  /** Uniform in [0, 1): decides how the load spreads, and nothing else. */
  readonly seed: number;
  /** Endpoint id that served this conversation last; null when unknown. */
  readonly last: string | null;
  readonly sort: Preferences['sort'] | undefined;
}

/** Smaller goes first: by group, within a group by value. */
interface Rank {
  readonly group: number;
  readonly value: number;
}

/** More than any group of a preference. */
const GROUPS = 8;

/**
 * Eligible endpoints in the order of trial: as the caller listed them; who is down behind who is not; who cannot reach
 * the asked ceiling behind who can; then by the caller's sort, or the conversation's last endpoint and the best ones
 * (health, uptime) in an order that spreads the load. (spec: inference, Routing rules 1 and 5)
 */
export function order(eligible: readonly Listed[], turn: Turn, options: OrderOptions): readonly Listed[] {
  if (eligible.length < 2) return eligible;
  const sort = options.sort ?? turn.preferences.sort;
  const preference = sort === undefined || sort === 'exacto' ? spread(eligible, turn, options) : sorted(eligible, sort);
  const asked = turn.completionTokensMax ?? 0;
  const names = turn.preferences.order;
  const ranked = eligible.map((listed) => {
    const { group, value } = preference(listed);
    const at = names?.findIndex((name) => isNamed(listed, name)) ?? -1;
    const named = at < 0 ? (names?.length ?? 0) : at;
    const down = listed.tier === 2 ? 1 : 0;
    const short = reach(listed.offer) < asked ? 1 : 0;
    return { listed, group: ((named * 2 + down) * 2 + short) * GROUPS + group, value };
  });
  ranked.sort((a, b) => a.group - b.group || a.value - b.value);
  return ranked.map(({ listed }) => listed);
}

function sorted(eligible: readonly Listed[], sort: 'price' | 'throughput' | 'latency'): (listed: Listed) => Rank {
  if (sort !== 'price') return (listed) => ({ group: 0, value: measuredRank(listed, sort) });
  const cheapest = [...eligible].sort((a, b) => byPrice(a.offer, b.offer));
  return (listed) => ({ group: 0, value: cheapest.indexOf(listed) });
}

/** Fastest first; what was not measured behind what was. */
function measuredRank({ offer }: Listed, sort: 'throughput' | 'latency'): number {
  const { throughput30m, throughput1d, ttft30m, ttft1d } = offer.measured;
  const figure = sort === 'throughput' ? (throughput30m ?? throughput1d) : (ttft30m ?? ttft1d);
  if (figure === null) return Number.MAX_VALUE;
  return sort === 'throughput' ? -figure.p50 : figure.p50;
}

function spread(eligible: readonly Listed[], turn: Turn, { seed, last }: OrderOptions): (listed: Listed) => Rank {
  let tier = 2;
  let uptime = 0;
  for (const listed of eligible) tier = Math.min(tier, listed.tier);
  for (const listed of eligible) if (listed.tier === tier) uptime = Math.max(uptime, listed.uptime);
  const draw = turn.conversation === undefined ? lottery(seed) : rendezvous(turn.conversation);
  return (listed) => {
    if (listed.offer.id === last) return { group: 0, value: 0 };
    const isBest = listed.tier === tier && uptime - listed.uptime <= UPTIME_EQUAL;
    return isBest ? { group: 1, value: draw(listed) } : { group: 2 + listed.tier, value: -listed.uptime };
  };
}

/** A weighted shuffle: the first place goes to an endpoint with the chance of its weight, 1 / price squared. */
function lottery(seed: number): (listed: Listed) => number {
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

/** The same conversation draws the same order on every node; each endpoint has its own draw. */
function rendezvous(conversation: string): (listed: Listed) => number {
  return ({ offer }) => {
    const text = `${conversation}\n${offer.id}`;
    let hash = 0x811c9dc5;
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    return (hash ^ (hash >>> 13)) >>> 0;
  };
}
