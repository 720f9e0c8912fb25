import type { ModelsDocument } from '../../../gateway/catalogue/document-schema.ts';
import type { DeclaredPrices } from './evidence.ts';

/**
 * The plain prices of a models document, for an oracle: read here once more, since what is to be judged is what the
 * catalogue makes of it. Knows neither conditions nor discounts, and throws where a document has them.
 */
export function pricesOf(document: ModelsDocument | null): readonly DeclaredPrices[] {
  return (document?.data ?? []).map((model) => {
    const declared = [
      ...model.input_modalities.flatMap(({ pricing }) => pricing ?? []),
      ...model.output_modalities.flatMap(({ pricing }) => pricing ?? []),
      ...(model.pricing ?? []),
    ];
    const conditional = declared.some((price) => price.overrides || price.utc_start !== undefined || price.utc_days);
    if (conditional || model.discount_to_user) throw new Error(`the prices of ${model.id} are not plain`);
    const costs = ['prompt token', 'completion token', 'request request'].map((name) =>
      declared.find(({ type, unit }) => `${type} ${unit}` === name),
    );
    const [prompt, completion, request] = costs.map((price) => price?.cost_usd);
    return {
      model: model.slug ?? model.id,
      ...(prompt === undefined ? {} : { prompt }),
      ...(completion === undefined ? {} : { completion }),
      ...(request === undefined ? {} : { request }),
    };
  });
}
