import type { Json } from '../../actors/runtime/index.ts';
import type { Family } from '../../actors/terms/endpoint.ts';
import { type CatalogueModel, catalogueModels } from './models.ts';

/** `data` of `GET /families`, by id. The newest model supplies name and author. (rule C8) */
export function listFamilies(topic: ReadonlyMap<string, Json>): readonly Readonly<Record<string, unknown>>[] {
  const families = new Map<string, { family: Family; models: CatalogueModel[] }>();
  for (const model of catalogueModels(topic)) {
    const family = model.endpoints.find((each) => each.family !== undefined)?.family;
    if (family === undefined) continue;
    const known = families.get(family.id);
    if (known) known.models.push(model);
    else families.set(family.id, { family, models: [model] });
  }
  return [...families.values()].sort((a, b) => (a.family.id < b.family.id ? -1 : 1)).map(familyObject);
}

function familyObject({ family, models }: { readonly family: Family; readonly models: readonly CatalogueModel[] }) {
  const endpoints = models.flatMap((model) => model.endpoints);
  return {
    id: family.id,
    name: family.name,
    author: models[0]?.summary.author,
    model_hub_id: family.modelHubId ?? null,
    models: models.map(({ id }) => id),
    endpoint_count: endpoints.length,
    providers: [...new Set(endpoints.map(({ provider }) => provider.slug))].sort(),
  };
}
