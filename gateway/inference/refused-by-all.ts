import type { ProviderFailure } from '../providers/provider-failure.ts';
import type { ProviderRefusal, RefusalCode } from '../providers/refusal/provider-refusal.ts';
import { GatewayError } from '../terms/gateway-error.ts';
import type { Candidate } from '../terms/plan.ts';
import type { TurnRequest } from './turn-request.ts';

/** The last failure of one endpoint. */
export interface FailedEndpoint {
  readonly candidate: Candidate;
  readonly failure: ProviderFailure;
}

/** The request that was refused; its dialect where it is not chat. */
export type Refused = Pick<TurnRequest, 'turn'> & { readonly reply?: Pick<TurnRequest['reply'], 'pathOf'> };

interface Answer {
  readonly status: number;
  readonly type: GatewayError['type'];
  /** What was refused; `param` is the path, or null where the provider named none that callers have. */
  readonly what: (refusal: ProviderRefusal, param: string | null) => string;
}

/** Each code of the vocabulary as the caller's error. (rule I139) */
const ANSWERS: { readonly [code in RefusalCode]: Answer } = {
  context_length_exceeded: { status: 400, type: 'context_length_exceeded', what: tooLong },
  max_tokens_exceeded: {
    status: 400,
    type: 'max_tokens_exceeded',
    what: ({ ceilingMax }) =>
      `max_tokens is above what it can emit${ceilingMax === undefined ? '' : `; at most ${ceilingMax} is accepted`}`,
  },
  content_policy_violation: {
    status: 403,
    type: 'content_policy_violation',
    what: () => 'its moderation does not admit the content',
  },
  invalid_schema: {
    status: 400,
    type: 'invalid_request',
    what: (_, param) => `${param ?? 'a JSON schema'} is not a schema that it accepts`,
  },
  unsupported_parameter: {
    status: 400,
    type: 'invalid_request',
    what: (_, param) => `${param ?? 'a parameter'} is not supported there; change it or leave it out`,
  },
  invalid_parameter: {
    status: 400,
    type: 'invalid_request',
    what: (_, param) => `${param ?? 'a parameter'} has a value that it does not accept`,
  },
  invalid_image: { status: 400, type: 'invalid_image', what: () => 'it cannot fetch or read an image' },
  payload_too_large: { status: 413, type: 'payload_too_large', what: () => 'the request has too many bytes' },
  inexpressible_output: {
    status: 422,
    type: 'unprocessable',
    what: () => 'its answer has a modality that this route cannot express; use /chat/completions',
  },
  invalid_request: { status: 400, type: 'invalid_request', what: () => 'it gave no reason that can be passed on' },
};

/** Codes that stay 422 where the provider answered so. */
const UNPROCESSABLE: ReadonlySet<RefusalCode> = new Set<RefusalCode>([
  ...(['invalid_schema', 'unsupported_parameter', 'invalid_parameter', 'invalid_request'] as const),
]);

/**
 * Every endpoint that was tried refused the request: the caller's error, which no repeat changes. Of several codes the
 * first that explains anything is told; the metadata lists all. (rule I138)
 */
export function refusedByAll(
  failed: readonly FailedEndpoint[],
  request: Refused,
  { detail, metadata }: { readonly detail: string; readonly metadata: object },
): GatewayError {
  const told =
    failed.find(({ failure }) => failure.refusal?.code !== 'invalid_request') ?? (failed[0] as FailedEndpoint);
  const refusal = told.failure.refusal ?? { code: 'invalid_request' };
  const param = callerParam(told, request);
  const { status, type, what } = ANSWERS[refusal.code];
  const isUnprocessable = told.failure.status === 422 && UNPROCESSABLE.has(refusal.code);
  const who = failed.length === 1 ? 'The provider' : `Each of the ${failed.length} endpoints tried`;
  return new GatewayError({
    status: isUnprocessable ? 422 : status,
    type: isUnprocessable ? 'unprocessable' : type,
    message: `${who} refused this request: ${what(refusal, param)}`,
    detail,
    metadata: { provider_code: refusal.code, ...(param === null ? {} : { param }), ...metadata },
    headers: { 'x-should-retry': 'false' },
  });
}

/** A stream that its provider ended with a refusal after the first part. */
export function refusedStream(refusal: ProviderRefusal, detail: string, provider: string): GatewayError {
  const { status, type, what } = ANSWERS[refusal.code];
  const message = `The provider ended its answer with a refusal: ${what(refusal, null)}`;
  const metadata = { provider_name: provider, provider_code: refusal.code };
  return new GatewayError({ status, type, message, detail, metadata });
}

/**
 * The path that a provider named, in the caller's own request; null where it has none. Indexes of messages are the
 * caller's only where no message was dropped.
 */
export function callerParam({ candidate, failure }: FailedEndpoint, { turn, reply }: Refused): string | null {
  const param = failure.refusal?.param;
  if (param === undefined) return null;
  const isWhole = candidate.messages === turn.messages || !param.startsWith('messages[');
  const path = isWhole ? param : 'messages';
  return reply?.pathOf === undefined ? path : reply.pathOf(path);
}

function tooLong({ sizes: { window, prompt, completion } = {} }: ProviderRefusal): string {
  const named = [
    ...(prompt === undefined ? [] : [`${prompt} tokens of prompt`]),
    ...(completion === undefined ? [] : [`${completion} of completion`]),
    ...(window === undefined ? [] : [`at most ${window} are accepted`]),
  ];
  return `it is too long${named.length === 0 ? '' : `: ${named.join(', ')}`}`;
}
