import type { IndexedEndpoint } from './endpoints/endpoint-index.ts';

/** Lower bound of the price in a weight, so that a free endpoint has a finite weight. */
export const WEIGHT_PRICE_MIN = 1e-12;
/** Scores of endpoints without a price: larger than any other score. */
const UNPRICED = 1e300;

/**
 * A score per endpoint; the smallest comes first. Equal on every node, and independent of all other endpoints: the loss
 * of one moves only the conversations that it had. Over many conversations an endpoint comes first with a probability
 * proportional to 1 / price squared, as without a conversation (weighted rendezvous hashing).
 */
export function rendezvous(identity: string): (indexed: IndexedEndpoint) => number {
  const seed = fnv1a(`${identity}\n`, 0x811c9dc5);
  return ({ endpoint, price }) => {
    let hash = fnv1a(endpoint.id, seed);
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    const fraction = (((hash ^ (hash >>> 16)) >>> 0) + 0.5) / 0x1_0000_0000;
    const floored = Math.max(price, WEIGHT_PRICE_MIN);
    return Number.isFinite(floored) ? -Math.log(fraction) * floored * floored : UNPRICED * (1 + fraction);
  };
}

/** The endpoint with the smallest score; null without endpoints. */
export function firstOf(identity: string, endpoints: readonly IndexedEndpoint[]): IndexedEndpoint | null {
  const scoreOf = rendezvous(identity);
  let first: IndexedEndpoint | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const indexed of endpoints) {
    const score = scoreOf(indexed);
    if (score >= least) continue;
    least = score;
    first = indexed;
  }
  return first;
}

/** FNV-1a over UTF-16 units, continued from `hash`. */
function fnv1a(text: string, hash: number): number {
  let state = hash;
  for (let at = 0; at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  return state;
}
