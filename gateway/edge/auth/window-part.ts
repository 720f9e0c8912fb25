import type { RateLimits } from '../../terms/config/config.ts';

/** How a holder's part of the endpoint's window is distributed. Together never more than the part. */
export interface WindowPart {
  /** Requests per window that one holder may take while others ask. */
  readonly max: number;
  /** Requests that each node lets a holder take without asking. */
  readonly free: number;
  /** Requests that are granted to the nodes that ask for more. */
  readonly pool: number;
}

/**
 * An eighth of the part is free, in even shares of the nodes: of a part of 1,500 on three nodes, 62 requests a minute
 * on each, so that most accounts never cost a message. A holder that uses one node alone cannot reach the free shares
 * of the others, and so gets at most an eighth less than its part.
 */
const FREE_PARTS = 8;

export function windowPart({ endpointPerMinute, partPercentMax }: RateLimits, nodes: number): WindowPart {
  // Without a bound below the whole, the window itself is the only one.
  if (partPercentMax >= 100) return { max: endpointPerMinute, free: endpointPerMinute, pool: 0 };
  const max = Math.max(1, Math.floor((endpointPerMinute * partPercentMax) / 100));
  const free = Math.floor(max / (FREE_PARTS * nodes));
  return { max, free, pool: max - free * nodes };
}
