import type { IndexedEndpoint } from './endpoint-index.ts';

/** Floor of the price in a weight, so that a free endpoint has a finite one. */
const WEIGHT_PRICE_MIN = 1e-12;

/** A number per endpoint; the smallest goes first. */
export type RankValue = (indexed: IndexedEndpoint) => number;

/** A weighted shuffle: the first place goes to an endpoint with the chance of its weight, 1 / price squared. */
export function weightedShuffle(seed: number): RankValue {
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
export function rendezvous(conversation: string): RankValue {
  const begun = hashed(`${conversation}\n`, 0x811c9dc5);
  return ({ endpoint }) => {
    let hash = hashed(endpoint.id, begun);
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    return (hash ^ (hash >>> 13)) >>> 0;
  };
}

/** FNV-1a over UTF-16 units, going on from `hash`. */
function hashed(text: string, hash: number): number {
  let state = hash;
  for (let at = 0; at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  return state;
}
