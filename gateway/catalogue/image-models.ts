import type { Json } from '../../actors/runtime/index.ts';
import type { Descriptor, Endpoint } from '../../actors/terms/endpoint.ts';
import { catalogueModels } from './models.ts';

type Published = Readonly<Record<string, unknown>>;

/** `data` of `GET /images/models`, newest first. (rule I104) */
export function listImageModels(topic: ReadonlyMap<string, Json>): readonly Published[] {
  return catalogueModels(topic).flatMap(({ endpoints }) => {
    const drawing = endpoints.filter(({ outputModalities }) => outputModalities.includes('image'));
    return drawing.length === 0 ? [] : [imageModel(drawing)];
  });
}

/** What some live endpoint declares; the cheapest describes the model. */
function imageModel(endpoints: readonly Endpoint[]): Published {
  const { model, modelName, created, description } = endpoints[0] as Endpoint;
  return {
    id: model,
    name: modelName,
    description: description ?? '',
    created,
    architecture: {
      input_modalities: [...new Set(endpoints.flatMap(({ inputModalities }) => inputModalities))],
      output_modalities: [...new Set(endpoints.flatMap(({ outputModalities }) => outputModalities))],
    },
    endpoints: `/api/v1/images/models/${model}/endpoints`,
    supported_parameters: imageParameters(endpoints),
    // Every picture can be sent as an event.
    supports_streaming: true,
  };
}

/** The settings of pictures that some of these endpoints declare, by their names in a request. */
export function imageParameters(endpoints: readonly Endpoint[]): Published {
  const declared = new Map<string, Descriptor[]>();
  for (const { descriptors } of endpoints) {
    const { image_config: config } = descriptors;
    for (const [name, descriptor] of Object.entries((config?.type === 'object' ? config.properties : null) ?? {})) {
      declared.set(name, [...(declared.get(name) ?? []), descriptor]);
    }
  }
  return Object.fromEntries([...declared].map(([name, descriptors]) => [name, capability(descriptors)]));
}

/**
 * The union of what endpoints declare for one parameter: a list, a range or a switch, in the three forms that clients of
 * this listing know; `unknown` for anything else, such as a whole number without bounds.
 */
function capability(descriptors: readonly Descriptor[]): Published {
  const values = descriptors.flatMap((each) => (each.type === 'enum' ? each.values.map(String) : []));
  if (values.length > 0) return { type: 'enum', values: [...new Set(values)] };
  const ranges = descriptors.flatMap((each) => (each.type === 'range' || each.type === 'integer' ? [each] : []));
  const [min, max] = [ranges.map((each) => each.min ?? -Infinity), ranges.map((each) => each.max ?? Infinity)];
  const [least, most] = [Math.min(...min), Math.max(...max)];
  if (Number.isFinite(least) && Number.isFinite(most)) return { type: 'range', min: least, max: most };
  return { type: descriptors.some(({ type }) => type === 'boolean') ? 'boolean' : 'unknown' };
}
