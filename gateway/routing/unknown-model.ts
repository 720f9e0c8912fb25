import { nearestIds } from '../catalogue/nearest-ids.ts';
import type { GatewayError } from '../terms/gateway-error.ts';
import { notFound } from '../terms/not-found.ts';
import { SUFFIXES } from './resolve.ts';

/** Models of a family shown to the client; any more would only repeat them. */
const SHOWN_MAX = 50;
const ID_CHARACTERS_MAX = 256;

/** The ids of the catalogue, in any collection with look-up. */
export type CatalogueIds = Pick<ReadonlyMap<string, unknown>, 'has' | 'keys'>;

/**
 * 404: the requested id is not in the catalogue. If other models extend it (`author/slug-...`, or with a suffix), it is
 * a base model without endpoints, and they are listed. The ids that the client may have meant are suggested.
 * (spec: inference, Errors 404)
 */
export function unknownModel(requested: string, ids: CatalogueIds): GatewayError {
  const shown = requested.slice(0, ID_CHARACTERS_MAX);
  const variants = shown.includes('/') ? [...ids.keys()].filter((id) => isVariant(id, shown)) : [];
  const suffix = unknownSuffix(shown, ids);
  const suggestions = suffix === null ? nearestIds(shown, ids.keys()) : [withoutSuffix(shown)];
  return notFound(messageOf(shown, suffix, suggestions), {
    ...{ requested: shown, resolved: null, reason: 'model_not_in_catalogue' },
    ...(variants.length > 0 ? { family_variants: variants.sort().slice(0, SHOWN_MAX) } : {}),
    ...(suggestions.length > 0 ? { suggestions } : {}),
  });
}

function messageOf(shown: string, suffix: string | null, suggestions: readonly string[]): string {
  const message = `Model ${shown} is not in the catalogue`;
  if (suffix !== null) {
    const known = Object.keys(SUFFIXES).map((name) => `:${name}`);
    return `${message}: the suffix :${suffix} is unknown; the suffixes are ${known.join(', ')}`;
  }
  return suggestions.length === 0 ? message : `${message}; similar: ${suggestions.join(', ')}`;
}

/** The suffix that keeps an id from naming a model; null where there is none, or where it is not the cause. */
function unknownSuffix(id: string, ids: CatalogueIds): string | null {
  const base = withoutSuffix(id);
  const suffix = id.slice(base.length + 1);
  return base === id || !ids.has(base) || Object.hasOwn(SUFFIXES, suffix) ? null : suffix;
}

function withoutSuffix(id: string): string {
  const colon = id.lastIndexOf(':');
  return colon < 0 ? id : id.slice(0, colon);
}

function isVariant(id: string, base: string): boolean {
  return id.startsWith(base) && (id[base.length] === '-' || id[base.length] === ':');
}
