import type { Json } from '../../actors/runtime/index.ts';
import type { EndpointOutput } from '../../actors/terms/endpoint.ts';
import { nearestIds } from '../catalogue/document/nearest-ids.ts';
import type { GatewayError } from '../terms/gateway-error.ts';
import { notFound } from '../terms/gateway-error.ts';
import { endpointIndex, type IndexedEndpoint } from './endpoints/endpoint-index.ts';
import { SUFFIXES } from './endpoints/resolve.ts';

/** Models of a family shown to the client; any more would only repeat them. */
const SHOWN_MAX = 50;
const ID_CHARACTERS_MAX = 256;
/** Models named to a client whose id resembles none of them. */
const OTHERS_MAX = 3;

type Models = ReadonlyMap<string, readonly IndexedEndpoint[]>;

/**
 * 404: the requested id is not in the catalogue. If other models extend it (`author/slug-...`, or with a suffix), it is
 * a base model without endpoints, and they are listed. The ids that the client may have meant are suggested; if none
 * resembles it, as for a name of another service, models that answer with `output`. `board` is the topic `endpoints`.
 * (rule I12)
 */
export function unknownModel(
  requested: string,
  board: ReadonlyMap<string, Json>,
  output: EndpointOutput = 'text',
): GatewayError {
  const { models } = endpointIndex(board);
  const shown = requested.slice(0, ID_CHARACTERS_MAX);
  const variants = shown.includes('/') ? [...models.keys()].filter((id) => isVariant(id, shown)) : [];
  const suffix = unknownSuffix(shown, models);
  const near = suffix === null ? nearestIds(shown, models.keys()) : [withoutSuffix(shown)];
  const suggestions = near.length > 0 ? near : othersThan(models, output);
  const said = near.length > 0 ? `similar: ${near.join(', ')}` : `others are: ${suggestions.join(', ')}`;
  return notFound(messageOf(shown, suffix, suggestions.length === 0 ? '' : `; ${said}`), {
    requested: shown,
    resolved: null,
    reason: 'model_not_in_catalogue',
    ...(variants.length > 0 ? { family_variants: variants.sort().slice(0, SHOWN_MAX) } : {}),
    ...(suggestions.length > 0 ? { suggestions } : {}),
  });
}

/** Models that answer with `output`: those for agents first, then those at most providers. */
function othersThan(models: Models, output: EndpointOutput): readonly string[] {
  const found: { readonly id: string; readonly isForAgents: boolean; readonly providers: number }[] = [];
  for (const [id, all] of models) {
    const serving = all.filter(({ tier, endpoint }) => tier < 2 && endpoint.outputModalities.includes(output));
    if (serving.length === 0) continue;
    found.push({ id, isForAgents: serving.some(({ declares }) => declares.has('tools')), providers: serving.length });
  }
  found.sort(
    (a, b) => Number(b.isForAgents) - Number(a.isForAgents) || b.providers - a.providers || (a.id < b.id ? -1 : 1),
  );
  return found.slice(0, OTHERS_MAX).map(({ id }) => id);
}

function messageOf(shown: string, suffix: string | null, suggested: string): string {
  const message = `Model ${shown} is not in the catalogue`;
  if (suffix !== null) {
    const known = Object.keys(SUFFIXES).map((name) => `:${name}`);
    return `${message}: the suffix :${suffix} is unknown; the suffixes are ${known.join(', ')}`;
  }
  return message + suggested;
}

/** The suffix that keeps an id from naming a model; null where there is none, or where it is not the cause. */
function unknownSuffix(id: string, models: Models): string | null {
  const base = withoutSuffix(id);
  const suffix = id.slice(base.length + 1);
  return base === id || !models.has(base) || Object.hasOwn(SUFFIXES, suffix) ? null : suffix;
}

function withoutSuffix(id: string): string {
  const colon = id.lastIndexOf(':');
  return colon < 0 ? id : id.slice(0, colon);
}

function isVariant(id: string, base: string): boolean {
  return id.startsWith(base) && (id[base.length] === '-' || id[base.length] === ':');
}
