import type { GatewayError } from '../terms/gateway-error.ts';
import { notFound } from '../terms/not-found.ts';
import type { EndpointIndex } from './endpoint-index.ts';

/** Models of a family shown to the client; any more would only repeat them. */
const SHOWN_MAX = 50;
const ID_CHARACTERS_MAX = 256;

/**
 * 404: no requested id is in the catalogue. If other models extend the first id (`author/slug-...`, or with a suffix),
 * it is a base model without endpoints, and they are listed. (spec: inference, Errors 404)
 */
export function unknownModel(requested: string, { models }: EndpointIndex): GatewayError {
  const shown = requested.slice(0, ID_CHARACTERS_MAX);
  const variants = shown.includes('/') ? [...models.keys()].filter((id) => isVariant(id, shown)) : [];
  const family = variants.length > 0 ? { family_variants: variants.sort().slice(0, SHOWN_MAX) } : {};
  const metadata = { requested: shown, resolved: null, reason: 'model_not_in_catalogue', ...family };
  return notFound(`Model ${shown} is not in the catalogue`, metadata);
}

function isVariant(id: string, base: string): boolean {
  return id.startsWith(base) && (id[base.length] === '-' || id[base.length] === ':');
}
