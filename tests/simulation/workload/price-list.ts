import type { Tariff } from '../../../actors/terms/tariff.ts';
import type { DeclaredPrices } from '../../support/auditor/evidence.ts';

/** One endpoint of the simulated market. */
export interface Offer {
  readonly slug: string;
  readonly name: string;
  readonly endpoint: string;
  readonly tariff: Tariff;
}

export const MODEL = 'sim/fast';

/** A cheap provider and a dear one, with prices of many decimals. */
export const OFFERS: readonly [Offer, Offer] = [
  {
    slug: 'sim-a',
    name: 'Sim A',
    endpoint: 'ep_a',
    tariff: { id: 't-a', prompt: '0.00012345678901234567891', completion: '0.00034', discount: 0 },
  },
  {
    slug: 'sim-b',
    name: 'Sim B',
    endpoint: 'ep_b',
    tariff: { id: 't-b', prompt: '0.0002', completion: '0.00069999999999999999999999', request: '0.0001', discount: 0 },
  },
];

/** The same prices as the providers declare them: what the auditor's oracle reads. */
export const PRICES: Readonly<Record<string, readonly DeclaredPrices[]>> = Object.fromEntries(
  OFFERS.map(({ slug, tariff }) => {
    const { prompt = '0', completion = '0', request } = tariff;
    return [slug, [{ model: MODEL, prompt, completion, ...(request === undefined ? {} : { request }) }]];
  }),
);

export const SLUGS: Readonly<Record<string, string>> = Object.fromEntries(OFFERS.map(({ name, slug }) => [name, slug]));
