import { createHash } from 'node:crypto';
import type { PriceKey, PriceOverride, Prices, Tariff } from '../../../actors/terms/tariff.ts';
import { add, multiply, subtract, usd } from '../../../actors/terms/usd.ts';

import type { DeclaredModel } from './document-schema.ts';
import { type Condition, type PriceEntry, priceEntries } from './price-entries.ts';
import { InvalidDocument, memberOf } from './validation-error.ts';
import { videoTiersOf } from './video-tiers-of.ts';

interface Conditional {
  readonly key: PriceKey;
  readonly condition: Condition;
  readonly price: string;
}

/** Published only as a single price without conditions. (rule C19, rule C23) */
const UNCONDITIONAL: ReadonlySet<PriceKey> = new Set([
  ...(['imageOutput', 'imageOutputToken', 'imageMegapixel', 'videoSecond'] as const),
]);

/**
 * The prices of an endpoint: those its model declares, less its discount. Drops a price whose condition depends on more
 * than the prompt's length and the clock. Tiers precede windows, so that an active window wins. Equal prices have equal
 * ids, at any provider. Throws `InvalidDocument`. (rule C21)
 */
export function tariffOf(model: DeclaredModel, at: readonly (string | number)[]): Tariff {
  const discount = discountOf(model, at);
  const all = priceEntries(model, at);
  const entries = all.filter((entry) => isClear(entry, all));
  if (model.is_free) return named(free(all), [], 0);
  const plain: { [key in PriceKey]?: string } = {};
  const tiers: Conditional[] = [];
  const windows: Conditional[] = [];
  for (const { key, window, declared } of entries) {
    const price = discounted(usd(declared.cost_usd), discount);
    if (window === null) plain[key] = price;
    else windows.push({ key, condition: window, price });
    for (const { when, cost_usd } of declared.overrides ?? []) {
      const tier = conditionOf(when);
      if (tier === null) continue;
      const conditional = { key, condition: { ...tier, ...window }, price: discounted(usd(cost_usd), discount) };
      (window === null ? tiers : windows).push(conditional);
    }
  }
  const videoTiers = videoTiersOf(model, all, (price) => discounted(usd(price), discount));
  if (videoTiers !== null) delete plain.videoSecond;
  const rates = videoTiers === null ? {} : { videoTiers };
  return named(plain, gathered([...tiers, ...windows]), discount, { ...audioSecondOf(entries), ...rates });
}

/** One key is published for two prices; where only one of them is declared, it applies to that side alone. */
function audioSecondOf(entries: readonly PriceEntry[]): Pick<Tariff, 'audioSecondOf'> {
  const sides = new Set(entries.filter(({ key }) => key === 'audioSecond').map(({ declared }) => declared.type));
  const [side] = sides;
  return sides.size === 1 ? { audioSecondOf: side === 'prompt' ? 'prompt' : 'completion' } : {};
}

/** False for a price that two entries disagree on, and for a media price under any condition. */
function isClear({ key, window, declared }: PriceEntry, all: readonly PriceEntry[]): boolean {
  const others = all.filter((other) => other.key === key);
  if (UNCONDITIONAL.has(key) && others.some((other) => other.window !== null || other.declared.overrides?.length)) {
    return false;
  }
  return (
    window !== null || others.every((other) => other.window !== null || other.declared.cost_usd === declared.cost_usd)
  );
}

function discountOf({ discount_to_user = 0 }: DeclaredModel, at: readonly (string | number)[]): number {
  if (isFraction(discount_to_user)) return discount_to_user;
  const path = [...at, 'discount_to_user'];
  throw new InvalidDocument(
    path,
    `${memberOf(path.map(String))} is ${discount_to_user} and must have at most 12 decimals`,
  );
}

/** Price 0 for every declared key, and always for tokens. */
function free(entries: readonly PriceEntry[]): Prices {
  return Object.fromEntries(['prompt', 'completion', ...entries.map(({ key }) => key)].map((key) => [key, '0']));
}

/** Null for a condition on anything but the prompt's length. */
function conditionOf(when: object): Condition | null {
  const { prompt_tokens, allOf, ...others } = when as Readonly<Record<string, unknown>>;
  if (Object.keys(others).length > 0) return null;
  const parts = Array.isArray(allOf) ? allOf.map((each) => conditionOf(Object(each))) : [];
  const own = prompt_tokens === undefined ? {} : longerThan(prompt_tokens);
  const least = [own, ...parts].map((part) => (part === null ? Number.NaN : (part.minPromptTokens ?? 0)));
  if (least.some(Number.isNaN) || (prompt_tokens === undefined && parts.length === 0)) return null;
  return { minPromptTokens: Math.max(...least) };
}

/** `{"gte": 200001}` is strictly longer than 200000. */
function longerThan(bound: unknown): Condition | null {
  const { gte, ...others } = Object(bound) as { readonly gte?: unknown };
  if (typeof gte !== 'number' || Object.keys(others).length > 0) return null;
  return { minPromptTokens: Math.max(0, Math.ceil(gte) - 1) };
}

/** Merges overrides of one condition, as far as possible without changing which price of a key comes last. */
function gathered(conditionals: readonly Conditional[]): readonly PriceOverride[] {
  const overrides: { condition: string; entry: { [name: string]: unknown } }[] = [];
  for (const { key, condition, price } of conditionals) {
    const text = JSON.stringify(Object.entries(condition).sort());
    const last = overrides.findLastIndex(({ entry }) => key in entry);
    const same = overrides.find((each, at) => at > last && each.condition === text);
    if (same) same.entry[key] = price;
    else overrides.push({ condition: text, entry: { ...condition, [key]: price } });
  }
  return overrides.map(({ entry }) => entry as PriceOverride);
}

/** A price less its discount, exact: nothing is rounded. `discount` is a fraction that `isFraction` accepts. */
export function discounted(price: string, discount: number): string {
  if (discount === 0) return price;
  const [whole = '0', decimals = ''] = subtract('1', String(discount)).split('.');
  return shifted(multiply(price, Number(whole + decimals)), decimals.length);
}

/** True for a fraction with at most 12 decimals: further decimals of a JSON number are binary rounding noise. */
function isFraction(discount: number): boolean {
  return /^-?\d{1,3}(\.\d{1,12})?$/.test(String(discount));
}

/** The amount with its decimal point moved to the left. */
function shifted(amount: string, places: number): string {
  const [whole = '0', decimals = ''] = amount.split('.');
  const digits = whole.padStart(places + 1, '0') + decimals;
  const point = digits.length - decimals.length - places;
  return places === 0 ? amount : add(`${digits.slice(0, point)}.${digits.slice(point)}`, '0');
}

function named(
  prices: Prices,
  overrides: readonly PriceOverride[],
  discount: number,
  side: Pick<Tariff, 'audioSecondOf' | 'videoTiers'> = {},
): Tariff {
  const text = JSON.stringify([Object.entries(prices).sort(), overrides, discount, ...Object.values(side)]);
  const id = `tar_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
  return { id, ...prices, ...(overrides.length === 0 ? {} : { overrides }), ...side, discount };
}
