import type { Json } from '../../actors/runtime/index.ts';
import type { EndpointOffer } from '../../actors/terms/offer.ts';

/** An offer with what every request would otherwise work out again. */
export interface Listed {
  readonly offer: EndpointOffer;
  readonly declares: ReadonlySet<string>;
  /** Prompt and completion are declared, and cost nothing. */
  readonly free: boolean;
  /** Prompt plus completion price as a number: for weights and first comparisons only, never for money. */
  readonly price: number;
  /** 0 healthy or not yet known, 1 degraded, 2 down. */
  readonly tier: 0 | 1 | 2;
  /** Percent; what was never measured counts as perfect, so that a new endpoint gets traffic. */
  readonly uptime: number;
}

/** The board's endpoints by model. */
export type Listing = ReadonlyMap<string, readonly Listed[]>;

const cache = new WeakMap<ReadonlyMap<string, Json>, Listing>();

/** Worked out once per state of the board: the board hands out the same map until something in it changes. */
export function listing(offers: ReadonlyMap<string, Json>): Listing {
  const known = cache.get(offers);
  if (known) return known;
  const models = new Map<string, Listed[]>();
  for (const value of offers.values()) {
    const listed = listedOf(value as unknown as EndpointOffer);
    const others = models.get(listed.offer.model);
    if (others) others.push(listed);
    else models.set(listed.offer.model, [listed]);
  }
  cache.set(offers, models);
  return models;
}

function listedOf(offer: EndpointOffer): Listed {
  const { prompt, completion } = offer.tariff;
  const price =
    prompt === undefined || completion === undefined ? Number.POSITIVE_INFINITY : Number(prompt) + Number(completion);
  const { health } = offer;
  return {
    offer,
    declares: new Set(offer.supportedParameters),
    free: price === 0,
    price,
    tier: health === 'down' ? 2 : health === 'degraded' ? 1 : 0,
    uptime: offer.measured.uptime30m ?? 100,
  };
}
