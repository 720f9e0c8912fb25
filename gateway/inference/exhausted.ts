import type { FailedCall } from '../../actors/terms/refused-request.ts';
import type { FailureCause, ProviderFailure } from '../providers/provider-failure.ts';
import { WAIT_MS_MAX } from '../routing/limited-endpoints.ts';
import { GatewayError } from '../terms/gateway-error.ts';
import type { Candidate } from '../terms/plan.ts';
import type { Turn } from '../terms/turn.ts';
import { rulesOf } from '../terms/turn-kind.ts';
import { callerParam, type FailedEndpoint, type Refused, refusedByAll, refusedStream } from './refused-by-all.ts';
import type { TurnRequest } from './turn-request.ts';

/** Failed endpoints shown to the client; any more would only repeat these. */
const SHOWN_MAX = 20;

/**
 * The error when no endpoint delivered: the request's fault when all refused it, 504 when all timed out, 503 when all
 * were full, 502 otherwise. The message names the required tool call or part that is missing. The metadata lists the
 * failure of each endpoint and why the others were not tried; it never carries a provider's own text. (rule E7,
 * rule I138)
 */
export function exhausted(
  failed: readonly FailedEndpoint[],
  request: Refused & Pick<TurnRequest, 'plan'>,
  unaffordable: readonly Candidate[] = [],
): GatewayError {
  const { turn, plan } = request;
  const metadata = {
    previous_errors: failed
      .map((each) => previousError(each, request))
      .concat(unaffordable.map(notTried))
      .slice(0, SHOWN_MAX),
    ...(plan.rejections.length === 0 ? {} : { rejections: plan.rejections.slice(0, SHOWN_MAX) }),
  };
  const detail = failed.map(({ candidate, failure }) => `${candidate.endpoint.id}: ${failure.message}`).join('; ');
  const last = failed.at(-1);
  const seen = { detail, log: logOf(last), failure: last === undefined ? null : failedCall(last), metadata };
  const all = (reason: FailureCause): boolean => failed.every(({ failure }) => failure.reason === reason);
  if (failed.length > 0 && all('rejected')) return refusedByAll(failed, request, { detail, metadata });
  if (failed.some(({ failure }) => failure.reason === 'contract')) {
    const message = contractMessage(turn);
    const headers = { 'x-should-retry': 'false' };
    return new GatewayError({ status: 502, type: 'provider_unavailable', message, headers, ...seen });
  }
  if (all('timeout')) {
    return new GatewayError({ status: 504, type: 'timeout', message: 'The provider timed out', ...seen });
  }
  if (all('overloaded')) {
    const message = 'Every provider of this model is overloaded';
    return new GatewayError({
      status: 503,
      type: 'provider_overloaded',
      message,
      headers: retryAfter(failed),
      ...seen,
    });
  }
  return new GatewayError({
    status: 502,
    type: 'provider_unavailable',
    message: 'The provider failed and no other could serve',
    ...seen,
  });
}

/** The shortest wait that an endpoint named, in seconds. (rule I144) */
function retryAfter(failed: readonly FailedEndpoint[]): Readonly<Record<string, string>> {
  const waitMs = Math.min(...failed.map(({ failure }) => failure.retryAfterMs ?? Number.POSITIVE_INFINITY));
  if (waitMs === Number.POSITIVE_INFINITY) return {};
  return { 'retry-after': String(Math.max(1, Math.ceil(Math.min(waitMs, WAIT_MS_MAX) / 1_000))) };
}

function contractMessage(turn: Turn): string {
  const { owed } = rulesOf(turn);
  if (owed !== null) return owed.refusal;
  const { toolChoice: choice } = turn;
  const required = typeof choice === 'object' ? `the function ${choice.name}` : String(choice);
  return `No endpoint kept the contract of tool_choice ${required}: the answer was not a tool call`;
}

/** Of the last endpoint that failed; `detail` names all of them. */
function logOf(last: FailedEndpoint | undefined): Readonly<Record<string, string>> {
  if (last === undefined) return {};
  const { id, model, provider } = last.candidate.endpoint;
  return { model, provider: provider.slug, endpoint: id, reason: last.failure.reason };
}

function failedCall({ candidate, failure }: FailedEndpoint): FailedCall {
  const { id, provider } = candidate.endpoint;
  return { provider: provider.slug, endpoint: id, ...failure.shown };
}

const BROKEN_OFF = { status: 502, type: 'provider_unavailable', message: 'The provider broke off its answer' } as const;
const BROKEN: { readonly [cause in FailureCause]?: Pick<GatewayError, 'status' | 'type' | 'message'> } = {
  timeout: { status: 504, type: 'timeout', message: 'The provider stopped answering' },
  /** Only the gateway aborts an answer that is still being read: the client reads too slowly. */
  aborted: { status: 504, type: 'timeout', message: 'The time for this answer was used up before all of it was read' },
};

/** The error of a stream that fails after its first delivery. */
export function brokenStream(failure: ProviderFailure, provider: string): GatewayError {
  if (failure.refusal !== null) return refusedStream(failure.refusal, failure.message, provider);
  const { status, type, message } = BROKEN[failure.reason] ?? BROKEN_OFF;
  return new GatewayError({
    status,
    type,
    message,
    detail: failure.message,
    log: { provider, reason: failure.reason },
    metadata: { provider_name: provider },
  });
}

/** An endpoint skipped because the hold could not be raised for it. */
function notTried({ endpoint }: Candidate): object {
  return { provider: endpoint.provider.name, code: 'payment_required', status: 402 };
}

function previousError(failed: FailedEndpoint, request: Refused): object {
  const { candidate, failure } = failed;
  const { sizes: { window, prompt, completion } = {}, ceilingMax } = failure.refusal ?? {};
  const param = callerParam(failed, request);
  return {
    provider: candidate.endpoint.provider.name,
    code: failure.category,
    status: failure.status,
    ...(param === null ? {} : { param }),
    ...(window === undefined ? {} : { context_length: window }),
    ...(prompt === undefined ? {} : { prompt_tokens: prompt }),
    ...(completion === undefined ? {} : { completion_tokens: completion }),
    ...(ceilingMax === undefined ? {} : { max_completion_tokens: ceilingMax }),
  };
}
