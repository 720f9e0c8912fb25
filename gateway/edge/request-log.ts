import type { Clock } from '../../actors/runtime/index.ts';
import type { EdgeLimits } from '../terms/config/config.ts';
import type { RequestLine } from '../terms/request-line.ts';
import type { RequestContext } from './request-context.ts';

export interface RequestLogParts {
  readonly clock: Clock;
  readonly limits: Pick<EdgeLimits, 'requestLog'>;
  /** Writes one line of the request log. */
  readonly requestLog: (line: RequestLine) => void;
}

/** Writes the line of a request that has ended, if the configuration has `edge.requestLog`. */
export function logRequest(context: RequestContext, { limits, clock, requestLog }: RequestLogParts): void {
  if (!limits.requestLog) return;
  requestLog(lineOf(context, Math.round(clock.monotonic() - context.startedAt)));
}

function lineOf({ id, route, response, caller, end }: RequestContext, ms: number): RequestLine {
  const { turn } = end;
  const error = end.error ?? turn?.error ?? null;
  const settlement = turn?.settlement ?? null;
  const named = error?.metadata.provider_name;
  return {
    generation: id,
    route,
    status: end.callerLeft ? CALLER_LEFT_STATUS : (error?.status ?? response.statusCode),
    ms,
    key: caller?.key ?? null,
    label: caller?.label ?? null,
    model: turn?.receipt.candidate.model ?? null,
    provider: turn?.receipt.candidate.endpoint.provider.name ?? (typeof named === 'string' ? named : null),
    endpoint: turn?.receipt.candidate.endpoint.id ?? null,
    reason: end.callerLeft ? 'caller_left' : (error?.type ?? null),
    promptTokens: settlement?.promptTokens ?? null,
    completionTokens: settlement?.completionTokens ?? null,
    cost: settlement?.cost ?? null,
    ...(turn?.charge === 'unrecorded' ? { recorded: false as const } : {}),
  };
}

/** What access logs write for a client that closed its connection before the answer. */
const CALLER_LEFT_STATUS = 499;
