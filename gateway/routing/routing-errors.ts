import { GatewayError } from '../terms/gateway-error.ts';
import { notFound } from '../terms/not-found.ts';
import type { Rejection } from '../terms/plan.ts';
import type { EndpointIndex } from './endpoint-index.ts';

/** Rejections, and models of a family, shown to the client; any more would only repeat them. */
const SHOWN_MAX = 50;
const NAMED_MAX = 5;
const ID_CHARACTERS_MAX = 256;

/**
 * 404: no requested id is in the catalogue. If other models extend the first id (`author/slug-...`, or with a suffix), it
 * is a base model without endpoints, and they are listed. (spec: inference, Errors 404)
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

/**
 * The models are known but no endpoint may serve: 503, or 400 where the request is at fault, because its prompt is too
 * long for every admitted endpoint or because it requests speech without a voice and format.
 */
export function noEndpoint(rejections: readonly Rejection[]): GatewayError {
  const metadata = { rejections: rejections.slice(0, SHOWN_MAX) };
  const admitted = rejections.filter(({ reason }) => reason !== 'allowed_providers');
  const [first] = admitted;
  if (first && admitted.every(({ reason }) => reason === 'context_length')) {
    return new GatewayError({
      status: 400,
      type: 'context_length_exceeded',
      message: `The prompt is too long for every endpoint of this model: ${first.detail}`,
      metadata,
    });
  }
  if (rejections.some(({ member }) => member === 'audio')) {
    return new GatewayError({
      status: 400,
      type: 'invalid_request',
      message: 'audio is required where modalities name it: the voice and format of the speech',
      metadata,
    });
  }
  return new GatewayError({
    status: 503,
    type: 'provider_overloaded',
    message: `No live endpoint can serve this request${because(rejections)}`,
    metadata,
  });
}

/** Names unsupported modalities, and the members that other rejections come from. */
function because(rejections: readonly Rejection[]): string {
  const causes = new Set(rejections.flatMap(causeOf));
  return causes.size === 0 ? '' : `: ${[...causes].slice(0, NAMED_MAX).join(', ')}`;
}

function causeOf({ reason, member, detail }: Rejection): string | readonly never[] {
  if (reason === 'modality' || reason === 'source') return `${detail} is not supported`;
  return member ?? [];
}
