import { AskError } from '../../actors/runtime/index.ts';
import { writeAnswer } from '../http/write-answer.ts';
import { CallerLeft, type GatewayError, gatewayErrorOf, unavailable } from '../terms/gateway-error.ts';
import { generationHeaders } from './generation-headers.ts';
import type { RequestContext } from './request-context.ts';

/**
 * Clients repeat 409 and every 5xx by default, and Claude Code repeats 401 for minutes without a word; a repeat of
 * these cannot succeed. (rule E5)
 */
const POINTLESS: ReadonlySet<number> = new Set([401, 409, 500]);

export interface RefuseParts {
  readonly admission: {
    count(context: RequestContext): Promise<GatewayError | null>;
    giveBack(context: RequestContext): void;
  };
  readonly reports: { refused(context: RequestContext, error: GatewayError): void };
}

/**
 * The one place that answers a failed request, in the envelope of its context. A refusal of a known caller is counted
 * against the key's rate budget first; if that count is refused, its refusal is sent instead. What a refused request
 * took from the endpoint's window is returned; a failure of ours or of the providers (5xx) keeps it. If part of an
 * answer was sent, the connection is closed. Never rejects. (rule E17, rule E14)
 */
export async function refuse(
  thrown: unknown,
  context: RequestContext,
  { admission, reports }: RefuseParts,
): Promise<void> {
  const { request, response } = context;
  if (thrown instanceof CallerLeft) {
    request.destroy();
    context.end.callerLeft = true;
    if (!context.counted) admission.giveBack(context);
    // A client that leaves costs as much as one that is refused; nobody waits for its count.
    if (context.caller !== null) admission.count(context).catch(nothing);
    return;
  }
  // Without an answer of the cluster a second ask would only add to the wait. A refusal that is not counted creates no
  // promise: it is sent within the time that counts as its own.
  const isUncounted = context.caller === null || context.counted || thrown instanceof AskError;
  const error = isUncounted ? gatewayErrorOf(thrown) : await counted(context, thrown, admission);
  if (error.status < 500) admission.giveBack(context);
  context.end.error = error;
  reports.refused(context, error);
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
  admission: RefuseParts['admission'],
): Promise<GatewayError> {
  const error = gatewayErrorOf(thrown);
  try {
    return (await admission.count(context)) ?? error;
  } catch (failure) {
    return error.status >= 500 ? error : gatewayErrorOf(failure);
  }
}

/**
 * The refusal of a request that the node has no time for. One object, since making an error and logging it cost more
 * than the rest of the refusal; refused requests are counted instead (`troupe_requests_shed_total`).
 */
export const OVERLOADED = unavailable('the node has more work than time');
