import { AskError, type Cluster } from '../../actors/runtime/index.ts';
import { writeAnswer } from '../http/write-answer.ts';
import { CallerLeft, type GatewayError, gatewayErrorOf, unavailable } from '../terms/gateway-error.ts';
import type { Measures } from '../terms/measures.ts';
import type { Authentication } from './auth/authentication.ts';
import type { EndpointWindow } from './auth/endpoint-window.ts';
import { generationHeaders } from './generation-headers.ts';
import type { RequestContext } from './request-context.ts';

/**
 * Clients repeat 409 and every 5xx by default, and Claude Code repeats 401 for minutes without a word; a repeat of
 * these cannot succeed. (rule E5)
 */
const POINTLESS: ReadonlySet<number> = new Set([401, 409, 500]);

/** Log records carry the generation id, never a key, a prompt or a secret. */
export interface EdgeLog {
  warn(record: Readonly<Record<string, unknown>>, message: string): void;
  error(record: Readonly<Record<string, unknown>>, message: string): void;
}

export interface RefuseParts {
  readonly cluster: Pick<Cluster, 'now' | 'board'>;
  readonly authentication: Pick<Authentication, 'count'>;
  readonly window: Pick<EndpointWindow, 'giveBack'>;
  readonly measures: Pick<Measures, 'requestRefused'>;
  readonly log: EdgeLog;
}

/**
 * The one place that answers a failed request, in the envelope of its context. A refusal of a known caller is counted
 * against the key's rate budget first; if that count is refused, its refusal is sent instead. What a refused request
 * took from the endpoint's window is returned; a failure of ours or of the providers (5xx) keeps it. If part of an
 * answer was sent, the connection is closed. Never rejects. (rule E17, rule E14)
 */
export async function refuse(thrown: unknown, context: RequestContext, edge: RefuseParts): Promise<void> {
  const { request, response, taken } = context;
  if (thrown instanceof CallerLeft) {
    request.destroy();
    context.end.callerLeft = true;
    if (taken !== null && !context.counted) edge.window.giveBack(taken);
    // A client that leaves costs as much as one that is refused; nobody waits for its count.
    if (context.caller !== null) edge.authentication.count(context).catch(nothing);
    return;
  }
  // Without an answer of the cluster a second ask would only add to the wait. A refusal that is not counted creates no
  // promise: it is sent within the time that counts as its own.
  const isUncounted = context.caller === null || context.counted || thrown instanceof AskError;
  const error = isUncounted ? gatewayErrorOf(thrown) : await counted(context, thrown, edge);
  if (taken !== null && error.status < 500) edge.window.giveBack(taken);
  context.end.error = error;
  record(context, error, edge);
  if (response.headersSent) {
    // Part of an answer was sent: closing the connection is the only way left to signal the failure.
    response.destroy();
    return;
  }
  const headers = generationHeaders(context.id);
  for (const name in error.headers) headers.push(name, error.headers[name] as string);
  if (POINTLESS.has(error.status) && !('x-should-retry' in error.headers)) headers.push('x-should-retry', 'false');
  const reply = context.errorEnvelope(error, context.id);
  for (const name in reply.headers) headers.push(name, reply.headers[name] as string);
  headers.push('content-type', reply.type);
  writeAnswer(response, error.status, headers, reply.body);
}

function nothing(): void {}

async function counted(
  context: RequestContext,
  thrown: unknown,
  { authentication }: Pick<RefuseParts, 'authentication'>,
): Promise<GatewayError> {
  const error = gatewayErrorOf(thrown);
  try {
    return (await authentication.count(context)) ?? error;
  } catch (failure) {
    return error.status >= 500 ? error : gatewayErrorOf(failure);
  }
}

function record(
  { id, caller, route }: RequestContext,
  error: GatewayError,
  { cluster, measures, log }: RefuseParts,
): void {
  const { status, type, message, failure } = error;
  const key = caller?.key ?? null;
  const at = cluster.now();
  const refused = { at, generation: id, route, status, type, message, failure, key };
  measures.requestRefused(caller?.account ?? null, refused);
  if (error.status < 500 || error === OVERLOADED) return;
  const fields = { generation: id, key: caller?.key ?? null, status: error.status, ...error.log, detail: error.detail };
  if (error.status === 500) log.error(fields, 'a request failed');
  else log.warn(fields, 'a request was refused');
}

/**
 * The refusal of a request that the node has no time for. One object, since making an error and logging it cost more
 * than the rest of the refusal; refused requests are counted instead (`troupe_requests_shed_total`).
 */
export const OVERLOADED = unavailable('the node has more work than time');
