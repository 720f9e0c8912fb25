import { GatewayError } from '../terms/gateway-error.ts';
import type { Rejection } from '../terms/plan.ts';
import type { Turn } from '../terms/turn.ts';
import { inexpressible } from '../terms/turn.ts';
import { INEXPRESSIBLE } from './eligibility/outputs.ts';
import { causesOf, type RejectionCause } from './rejection-causes.ts';

/** Rejections shown to the client; any more would only repeat these. */
const SHOWN_MAX = 50;
const CAUSES_MAX = 5;
const MODELS_MAX = 3;
const ID_CHARACTERS_MAX = 128;

/** Reasons that may be gone at the next request; every other one is a declaration. */
const PASSING: ReadonlySet<Rejection['reason']> = new Set<Rejection['reason']>([
  ...(['health', 'capacity', 'tool_dispatch', 'tool_fidelity'] as const),
]);

/**
 * The models are known but no endpoint may serve: 503, 422 where all answer in what the caller's dialect cannot carry,
 * or 400 where the request is at fault, because its prompt is too long for every admitted endpoint or because it
 * requests speech without a voice and format. The message says what was asked, how many endpoints were looked at, and
 * what to leave out or where to look instead. Where no repeat can change it, the 503 says so, since SDKs repeat every
 * other one. (rule E6, rule E5)
 */
export function noEndpoint(turn: Turn, rejections: readonly Rejection[]): GatewayError {
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
  if (first && turn.inexpressible && admitted.every(({ member }) => member === INEXPRESSIBLE)) {
    return inexpressible(turn.inexpressible.join(', '), metadata);
  }
  if (rejections.some(({ member }) => member === 'audio')) {
    return new GatewayError({
      status: 400,
      type: 'invalid_request',
      message: 'audio is required where modalities name it: the voice and format of the speech',
      metadata,
    });
  }
  const isLasting = rejections.length > 0 && rejections.every(({ reason }) => !PASSING.has(reason));
  return new GatewayError({
    status: 503,
    type: 'provider_overloaded',
    message: messageOf(turn, rejections),
    log: logOf(rejections),
    metadata,
    ...(isLasting ? { headers: { 'x-should-retry': 'false' } } : {}),
  });
}

/** Of the first; the metadata of the answer has all of them. */
function logOf([first]: readonly Rejection[]): Readonly<Record<string, string>> {
  return first === undefined ? {} : { provider: first.provider, endpoint: first.endpoint, reason: first.reason };
}

function messageOf(turn: Turn, rejections: readonly Rejection[]): string {
  const causes = causesOf(turn, rejections).slice(0, CAUSES_MAX);
  const models = turn.models.slice(0, MODELS_MAX).map((id) => id.slice(0, ID_CHARACTERS_MAX));
  const named = models.join(', ') + (turn.models.length > MODELS_MAX ? ', ...' : '');
  const endpoints =
    rejections.length === 1 ? 'The one live endpoint' : `None of the ${rejections.length} live endpoints`;
  if (rejections.length === 0) return `No live endpoint of ${named} can serve this request`;
  const head = `${endpoints} of ${named} can${rejections.length === 1 ? 'not' : ''} serve this request`;
  const reasons = causes.map(({ text, count }) => (causes.length === 1 ? text : `${text} (${count})`));
  return `${head}: ${reasons.join('; ')}.${adviceOf(causes)}`;
}

/** What to leave out, and the filters that list models without these causes. */
function adviceOf(causes: readonly RejectionCause[]): string {
  const members = [...new Set(causes.flatMap(({ leaveOut }) => leaveOut ?? []))];
  const filters = new Map<string, Set<string>>();
  for (const { filter } of causes) {
    if (filter !== undefined) filters.set(filter.name, (filters.get(filter.name) ?? new Set()).add(filter.value));
  }
  const query = [...filters].map(([name, values]) => `${name}=${[...values].join(',')}`).join('&');
  const leave = members.length === 0 ? '' : ` Change or leave out ${members.join(' or ')}.`;
  return leave + (query === '' ? '' : ` GET /api/v1/models?${query} lists the models that can.`);
}
