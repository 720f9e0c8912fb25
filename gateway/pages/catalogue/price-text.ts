import type { Tariff } from '../../../actors/terms/tariff.ts';
import { compare, multiply } from '../../../actors/terms/usd.ts';
import { publicPricing } from '../../catalogue/public-pricing.ts';
import { countText, usdText } from '../kit/parts/format.ts';

const MILLION = 1_000_000;

/** What a person reads for the units of the catalogue's prices; tokens are priced by the million. */
const UNITS: Readonly<Record<string, { readonly name: string; readonly per: string; readonly times: number }>> = {
  prompt: { name: 'Input', per: 'M tokens', times: MILLION },
  completion: { name: 'Output', per: 'M tokens', times: MILLION },
  input_cache_read: { name: 'Cache read', per: 'M tokens', times: MILLION },
  input_cache_write: { name: 'Cache write', per: 'M tokens', times: MILLION },
  input_cache_write_1h: { name: 'Cache write, one hour', per: 'M tokens', times: MILLION },
  internal_reasoning: { name: 'Reasoning', per: 'M tokens', times: MILLION },
  request: { name: 'Request', per: 'request', times: 1 },
  image: { name: 'Image read', per: 'image', times: 1 },
  image_output: { name: 'Image drawn', per: 'image', times: 1 },
  image_output_token: { name: 'Image drawn', per: 'M tokens', times: MILLION },
  image_megapixel: { name: 'Image drawn', per: 'megapixel', times: 1 },
  video_second: { name: 'Video', per: 'second', times: 1 },
  mesh_output: { name: 'Mesh', per: 'mesh', times: 1 },
  audio_second: { name: 'Audio', per: 'second', times: 1 },
  audio_output: { name: 'Speech', per: 'M tokens', times: MILLION },
  character: { name: 'Text spoken', per: 'M characters', times: MILLION },
  search: { name: 'Ranking', per: 'search', times: 1 },
};

/** Exact USD per million tokens; null without a declared price. */
export function perMillion(rate: string | undefined): string | null {
  return rate === undefined ? null : multiply(rate, MILLION);
}

/** A price per million tokens: `$0.50`, or a dash without a declared one. */
export function perMillionText(rate: string | undefined): string {
  const price = perMillion(rate);
  return price === null ? '–' : usdText(price);
}

/** Prices per million tokens in one column: as many digits behind each point as the longest has. */
export function alignedPrices(rates: readonly (string | undefined)[]): readonly string[] {
  const texts = rates.map(perMillionText);
  const decimals = Math.max(0, ...texts.map((text) => text.split('.')[1]?.length ?? 0));
  return texts.map((text) =>
    /^\$[\d,]+\.\d+$/.test(text) ? text.padEnd(text.indexOf('.') + 1 + decimals, '0') : text,
  );
}

export interface PriceLine {
  readonly name: string;
  /** `$0.50`. */
  readonly price: string;
  /** `M tokens`. */
  readonly per: string;
}

/** Every declared price of a tariff, in the catalogue's order; those of videos that depend on the request last. */
export function priceLines(tariff: Tariff): readonly PriceLine[] {
  const range = videoRange(tariff);
  const video = range === null ? [] : [{ name: 'Video', price: rangeText(...range), per: 'second' }];
  return [...unitLines(publicPricing(tariff)), ...video];
}

/** The least and the highest rate of a second of video; null where none is declared. */
export function videoRange({ videoTiers = [] }: Tariff): readonly [string, string] | null {
  const rates = videoTiers.map(({ rate }) => rate).sort(compare);
  const [least, most] = [rates.at(0), rates.at(-1)];
  return least === undefined || most === undefined ? null : [least, most];
}

function rangeText(least: string, most: string): string {
  return least === most ? usdText(least) : `${usdText(least)} to ${usdText(most)}`;
}

/** Prices that hold under conditions, in the order in which they apply: the last match wins. */
interface ConditionalPrices {
  /** `over 200,000 prompt tokens, sat, 22:00 to 06:00 UTC`. */
  readonly when: string;
  readonly lines: readonly PriceLine[];
}

export function conditionalPrices(tariff: Tariff): readonly ConditionalPrices[] {
  const { overrides = [] } = publicPricing(tariff) as { readonly overrides?: readonly Published[] };
  return overrides.map((override) => ({ when: conditionText(override), lines: unitLines(override) }));
}

type Published = Readonly<Record<string, unknown>>;

function conditionText({ min_prompt_tokens, utc_start, utc_end, utc_days }: Published): string {
  const conditions = [
    typeof min_prompt_tokens === 'number' && `over ${countText(min_prompt_tokens)} prompt tokens`,
    Array.isArray(utc_days) && utc_days.join(', '),
    typeof utc_start === 'number' && typeof utc_end === 'number' && `${clock(utc_start)} to ${clock(utc_end)} UTC`,
  ];
  return conditions.filter((condition) => condition !== false).join(', ');
}

/** `2230` is `22:30`. */
function clock(hhmm: number): string {
  const digits = String(hhmm).padStart(4, '0');
  return `${digits.slice(0, 2)}:${digits.slice(2)}`;
}

function unitLines(pricing: Published): readonly PriceLine[] {
  return Object.entries(pricing).flatMap(([unit, price]) => {
    if (unit === 'discount' || typeof price !== 'string') return [];
    const { name, per, times } = UNITS[unit] ?? { name: unit.replaceAll('_', ' '), per: 'unit', times: 1 };
    return [{ name, price: usdText(multiply(price, times)), per }];
  });
}
