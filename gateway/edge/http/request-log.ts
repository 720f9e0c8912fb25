import type { EndedTurn } from '../../inference/end-turn.ts';
import type { GatewayError } from '../../terms/gateway-error.ts';
import type { RequestContext } from '../request-context.ts';
import type { EdgeServices } from '../services.ts';

/** One request as the request log shows it: words of ours and of the catalogue, never what the client wrote. */
export interface RequestLine {
  readonly generation: string;
  /** Method and path of the route; null without one. */
  readonly route: string | null;
  readonly status: number;
  /** From the head of the request to its last byte, or to its charge where that is later. */
  readonly ms: number;
  /** Address and label of the key; null without a valid one. */
  readonly key: string | null;
  readonly label: string | null;
  /** Of the endpoint that served a turn; of one that failed only what is known. */
  readonly model: string | null;
  readonly provider: string | null;
  readonly endpoint: string | null;
  /** The type of the error that the client received, or `caller_left`; null for a success. */
  readonly reason: string | null;
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  /** The exact charge in USD; null without a turn that delivered. */
  readonly cost: string | null;
  /** False: the charge is not recorded yet, and repeated in the background. */
  readonly recorded?: false;
}

/** How a request ended, beside its status. Filled in on the way. */
export interface RequestEnd {
  turn: EndedTurn | null;
  /** The error that the client received; null for none, or where it left before the answer. */
  error: GatewayError | null;
  callerLeft: boolean;
}

/** Writes the line of a request that has ended, if the configuration has `edge.requestLog`. */
export function logRequest(context: RequestContext, { limits, clock, requestLog }: EdgeServices): void {
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
