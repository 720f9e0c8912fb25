import type { ModelsDocument } from '../../../gateway/catalogue/document/document-schema.ts';
import type { DeclaredPrices } from './evidence.ts';

const UNITS = {
  prompt: 'prompt token',
  completion: 'completion token',
  request: 'request request',
  image: 'prompt image',
  imageMegapixel: 'completion megapixel',
};

/**
 * The plain prices of a models document, for an oracle. Parses the document independently of the catalogue, which it
 * has to verify. Leaves out models with conditions or discounts; the audit then reports that a charge has no oracle.
 */
export function pricesOf(document: ModelsDocument | null): readonly DeclaredPrices[] {
  return (document?.data ?? []).flatMap((model) => {
    const declared = [
      ...model.input_modalities.flatMap(({ pricing }) => pricing ?? []),
      ...model.output_modalities.flatMap(({ pricing }) => pricing ?? []),
      ...(model.pricing ?? []),
    ];
    const conditional = declared.some((price) => price.overrides || price.utc_start !== undefined || price.utc_days);
    if (conditional || model.discount_to_user) return [];
    const costs = Object.entries(UNITS).flatMap(([name, unit]) => {
      const price = declared.find((each) => `${each.type} ${each.unit}` === unit)?.cost_usd;
      return price === undefined ? [] : [[name, price]];
    });
    return [{ model: model.slug ?? model.id, ...(Object.fromEntries(costs) as Omit<DeclaredPrices, 'model'>) }];
  });
}
