import type { Clock } from '../../actors/runtime/index.ts';
import type { GatewayError } from '../terms/gateway-error.ts';
import type { Measures } from '../terms/measures.ts';
import type { RequestLine } from '../terms/request-line.ts';
import type { Tracing } from '../terms/tracing.ts';
import { OVERLOADED } from './refuse.ts';
import type { RequestContext } from './request-context.ts';

/** Log records carry the generation id, never a key, a prompt or a secret. */
export interface EdgeLog {
  warn(record: Readonly<Record<string, unknown>>, message: string): void;
  error(record: Readonly<Record<string, unknown>>, message: string): void;
}

interface RequestReportsParts {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Store time, ms. */
  readonly now: () => number;
  readonly measures: Pick<Measures, 'requestRefused'>;
  readonly log: EdgeLog;
  /** Writes one line of the request log; null: there is none. */
  readonly requestLog: ((line: RequestLine) => void) | null;
  /** Null: requests are not traced. */
  readonly tracing: Tracing | null;
}

/** What a node keeps of its requests for the operator: spans, refusals and lines of the request log. */
export class RequestReports {
  readonly #parts: RequestReportsParts;

  constructor(parts: RequestReportsParts) {
    this.#parts = parts;
  }

  begin(context: RequestContext): void {
    const { tracing } = this.#parts;
    if (tracing !== null) traceRequest(context, tracing);
  }

  refused({ id, caller, route }: RequestContext, error: GatewayError): void {
    const { now, measures, log } = this.#parts;
    const { status, type, message, failure } = error;
    const key = caller?.key ?? null;
    const refused = { at: now(), generation: id, route, status, type, message, failure, key };
    measures.requestRefused(caller?.account ?? null, refused);
    if (status < 500 || error === OVERLOADED) return;
    const fields = { generation: id, key, status, ...error.log, detail: error.detail };
    if (status === 500) log.error(fields, 'a request failed');
    else log.warn(fields, 'a request was refused');
  }

  ended(context: RequestContext): void {
    const { requestLog, clock } = this.#parts;
    if (requestLog !== null) requestLog(lineOf(context, Math.round(clock.monotonic() - context.startedAt)));
  }
}

/** The span ends with the answer. The path is the route's: nothing that the client wrote. */
function traceRequest(context: RequestContext, tracing: Tracing): void {
  const { traceparent } = context.request.headers;
  const parent = typeof traceparent === 'string' ? traceparent : undefined;
  const span = tracing.begin(context.route ?? 'no route', parent, { 'troupe.generation': context.id });
  context.span = span;
  context.response.once('close', () => {
    const { caller, response } = context;
    const { statusCode } = response;
    const failed = statusCode >= 500;
    span.set({
      'http.response.status_code': statusCode,
      ...(caller === null ? {} : { 'troupe.account': caller.account, 'troupe.key': caller.key }),
      ...(failed ? { 'error.type': String(statusCode) } : {}),
    });
    span.end(failed ? `status ${statusCode}` : undefined);
  });
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
