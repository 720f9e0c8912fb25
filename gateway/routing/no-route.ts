import { GatewayError } from '../terms/gateway-error.ts';
import type { Rejection } from '../terms/plan.ts';

/** Rejections shown to a caller; the rest would only repeat them. */
const SHOWN_MAX = 50;

/** None of the requested ids is in the catalogue. (spec: inference, Errors 404) */
export function unknownModel(requested: string): GatewayError {
  const shown = requested.slice(0, 256);
  return new GatewayError({
    status: 404,
    type: 'not_found',
    message: `Model ${shown} is not in the catalogue`,
    metadata: { requested: shown, resolved: null, reason: 'model_not_in_catalogue' },
  });
}

/** The models are known and no endpoint may serve: 503, or 400 where the prompt is too long for every one of them. */
export function noEndpoint(rejections: readonly Rejection[]): GatewayError {
  const metadata = { rejections: rejections.slice(0, SHOWN_MAX) };
  const [first] = rejections;
  if (first && rejections.every(({ reason }) => reason === 'context_length')) {
    return new GatewayError({
      status: 400,
      type: 'context_length_exceeded',
      message: `The prompt is too long for every endpoint of this model: ${first.detail}`,
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

function because(rejections: readonly Rejection[]): string {
  const modalities = new Set(rejections.filter(({ reason }) => reason === 'modality').map(({ detail }) => detail));
  if (modalities.size > 0) return `: none accepts ${[...modalities].join(' or ')}`;
  const members = new Set(rejections.flatMap(({ member }) => (member === undefined ? [] : [member])));
  return members.size > 0 ? `: ${[...members].slice(0, 5).join(', ')}` : '';
}
