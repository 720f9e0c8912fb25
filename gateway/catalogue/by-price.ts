import type { Endpoint } from '../../actors/terms/endpoint.ts';
import { compare } from '../../actors/terms/usd.ts';

/** Cheapest first: prompt price, then completion price, then endpoint id; unknown prices last. (rule C1) */
export function byPrice(a: Endpoint, b: Endpoint): number {
  return (
    comparePrices(a.tariff.prompt, b.tariff.prompt) ||
    comparePrices(a.tariff.completion, b.tariff.completion) ||
    (a.id < b.id ? -1 : 1)
  );
}

function comparePrices(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  if (a === undefined) return 1;
  if (b === undefined) return -1;
  return compare(a, b);
}
