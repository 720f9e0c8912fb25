import type { EndpointDeclaration } from '../../../actors/terms/endpoint.ts';
import type { PriceKey, Tariff } from '../../../actors/terms/tariff.ts';
import { compare, multiply } from '../../../actors/terms/usd.ts';

/** A price that grows or falls by more than this factor is more often a slip of the decimal point than a decision. */
const FACTOR_MAX = 10;
const WARNINGS_MAX = 50;

type Priced = Pick<EndpointDeclaration, 'id' | 'model' | 'tariff'>;

/**
 * Warnings about prices of known endpoints that a declaration changes by more than ten times, or drops. At most 50.
 * Conditional prices are not compared.
 */
export function priceChanges(before: Iterable<Priced>, after: readonly Priced[]): readonly string[] {
  const known = new Map([...before].map((each) => [each.id, each.tariff]));
  const warnings = after.flatMap(({ id, model, tariff }) => {
    const old = known.get(id);
    return old === undefined ? [] : changesOf(model, old, tariff);
  });
  return warnings.slice(0, WARNINGS_MAX);
}

function changesOf(model: string, before: Tariff, after: Tariff): readonly string[] {
  return pricesOf(before).flatMap(([key, old]) => {
    const now = pricesOf(after).find(([name]) => name === key)?.[1];
    if (now === undefined) return isConditional(after, key) ? [] : [`${model}: the ${key} price of ${old} USD is gone`];
    return isFarFrom(old, now) ? [`${model}: the ${key} price changes from ${old} to ${now} USD`] : [];
  });
}

function pricesOf(tariff: Tariff): readonly (readonly [PriceKey, string])[] {
  const { id: _1, overrides: _2, videoTiers: _3, audioSecondOf: _4, discount: _5, ...plain } = tariff;
  return Object.entries(plain) as [PriceKey, string][];
}

function isConditional({ overrides = [], videoTiers = [] }: Tariff, key: PriceKey): boolean {
  return (key === 'videoSecond' && videoTiers.length > 0) || overrides.some((each) => each[key] !== undefined);
}

function isFarFrom(a: string, b: string): boolean {
  return compare(a, multiply(b, FACTOR_MAX)) > 0 || compare(b, multiply(a, FACTOR_MAX)) > 0;
}
