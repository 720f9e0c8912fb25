import type { Json } from '../../actors/runtime/index.ts';
import type { Endpoint } from '../../actors/terms/endpoint.ts';
import type { PriceKey, Tariff } from '../../actors/terms/tariff.ts';
import { toJsonNumberText } from '../../actors/terms/usd.ts';
import { imageParameters } from './image-models.ts';
import { type Listing, listingOf } from './listing.ts';
import { endpointsOf } from './models.ts';

/** What is charged beside a picture, in the words of this listing. */
const PRICES: readonly (readonly [key: PriceKey, billable: string, unit: string])[] = [
  ['imageMegapixel', 'output_image', 'megapixel'],
  ['imageOutput', 'output_image', 'image'],
  ['imageOutputToken', 'output_image', 'token'],
  ['request', 'output_image', 'request'],
  ['image', 'input_image', 'image'],
  ['prompt', 'input_text', 'token'],
];

/** `GET /images/models/:author/:slug/endpoints`, cheapest first; null where no endpoint draws. (rule I104) */
export function imageEndpoints(topic: ReadonlyMap<string, Json>, id: string): Listing | null {
  const drawing = endpointsOf(topic, id).filter(({ outputModalities }) => outputModalities.includes('image'));
  if (drawing.length === 0) return null;
  const { before } = listingOf({ id });
  return {
    before: `${before.slice(0, -1)},"endpoints":[${drawing.map(endpointText).join(',')}]}`,
    entries: [],
    after: '',
  };
}

function endpointText(endpoint: Endpoint): string {
  const { provider, tag, passthrough, tariff } = endpoint;
  const members = JSON.stringify({
    provider_name: provider.name,
    provider_slug: provider.slug,
    provider_tag: tag,
    supported_parameters: imageParameters([endpoint]),
    allowed_passthrough_parameters: Object.keys(passthrough).sort(),
    supports_streaming: true,
  });
  return `${members.slice(0, -1)},"pricing":[${pricesText(tariff)}]}`;
}

/** The declared prices as JSON numbers of all their digits; those under conditions are in the model's own endpoints. */
function pricesText(tariff: Tariff): string {
  const entries = PRICES.flatMap(([key, billable, unit]) => {
    const price = tariff[key];
    if (price === undefined) return [];
    return [`{"billable":"${billable}","unit":"${unit}","cost_usd":${toJsonNumberText(price)}}`];
  });
  return entries.join(',');
}
