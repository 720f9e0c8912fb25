import type { Tariff } from '../../../../actors/terms/tariff.ts';
import { compare, multiply } from '../../../../actors/terms/usd.ts';
import { publicPricing } from '../../../catalogue/public-pricing.ts';
import { usdText } from '../parts/text.ts';

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

export interface PriceLine {
  readonly name: string;
  /** `$0.50 / M tokens`. */
  readonly text: string;
}

/** Every declared price of a tariff, in the catalogue's order; those of videos that depend on the request last. */
export function priceLines(tariff: Tariff): readonly PriceLine[] {
  const rates = (tariff.videoTiers ?? []).map(({ rate }) => rate).sort(compare);
  const [least, most] = [rates.at(0), rates.at(-1)];
  const video =
    least === undefined || most === undefined ? [] : [{ name: 'Video', text: `${rangeText(least, most)} / second` }];
  return [...unitLines(tariff), ...video];
}

function rangeText(least: string, most: string): string {
  return least === most ? usdText(least) : `${usdText(least)} to ${usdText(most)}`;
}

function unitLines(tariff: Tariff): readonly PriceLine[] {
  return Object.entries(publicPricing(tariff)).flatMap(([unit, price]) => {
    if (unit === 'discount' || typeof price !== 'string') return [];
    const { name, per, times } = UNITS[unit] ?? { name: unit.replaceAll('_', ' '), per: 'unit', times: 1 };
    return [{ name, text: `${usdText(multiply(price, times))} / ${per}` }];
  });
}
