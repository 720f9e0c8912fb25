import { wholeEnvelope } from '../dialects/messages/error-envelope.ts';
import { type ErrorEnvelope, standardEnvelope } from '../dialects/reply/error-envelope.ts';
import { unreadMembers } from '../dialects/request/read-members.ts';
import type { ContextOf } from '../http/connection.ts';
import type { HttpExchange } from '../http/exchange.ts';
import type { PathParams } from '../http/http-router.ts';
import type { EndedTurn } from '../inference/end-turn.ts';
import type { Caller } from '../terms/caller.ts';
import type { GatewayError } from '../terms/gateway-error.ts';
import type { TraceSpan } from '../terms/tracing.ts';
import type { Authenticated } from './auth/authentication.ts';
import type { WindowTaken } from './auth/endpoint-window.ts';
import { credentialReader, type RequestCredential } from './auth/request-credential.ts';
import type { FormFields } from './body/form-fields.ts';
import type { ReadBody } from './body/request-bodies.ts';
import type { BodyRequest } from './body/route-body.ts';

/** The context of one request at the edge, passed to every handler and filled in on the way. */
export interface RequestContext extends HttpExchange<RequestContext>, Authenticated, BodyRequest {
  /** Generation id, created before anything can fail. */
  readonly id: string;
  /** Method and path of the route, for the metrics; null without one. */
  route: string | null;
  /** The whole request, where it is traced. */
  span: TraceSpan | null;
  /** Parameters of the route's path, decoded. The object has no prototype. */
  params: PathParams;
  /** The query as sent, undecoded; empty without one. */
  query: string;
  /** Whom the request counts for among those under way: an account or an address; null before that. */
  holder: string | null;
  /** What the request took from the endpoint's window; null before it took anything. */
  taken: WindowTaken | null;
  /** What the route takes, once it is read; null before that and where it takes nothing. */
  body: ReadBody | null;
  /** What the request log shows of the end. */
  readonly end: RequestEnd;
  /** Renders refusals; the route and, once the body is read, the dialect may set their own. */
  errorEnvelope: ErrorEnvelope;
}

const NO_PARAMS: PathParams = Object.freeze(Object.create(null) as PathParams);

/** Makes the contexts of one connection's requests, each under an id of its own. */
export function contextsOf(generation: () => string): ContextOf<RequestContext> {
  const credentialOf = credentialReader();
  return (exchange, head) => beginRequest(exchange, generation(), credentialOf(head));
}

/** The context of a request whose head has just arrived. */
export function beginRequest(
  { request, response, startedAt, invite, upgrade }: HttpExchange<RequestContext>,
  id: string,
  credential: RequestCredential,
): RequestContext {
  return {
    request,
    response,
    id,
    credential,
    startedAt,
    invite,
    upgrade,
    route: null,
    span: null,
    params: NO_PARAMS,
    query: '',
    caller: null,
    address: null,
    digest: null,
    counted: false,
    place: null,
    holder: null,
    taken: null,
    body: null,
    bodyDigest: null,
    end: { turn: null, error: null, callerLeft: false },
    errorEnvelope: firstEnvelope(request.url),
  };
}

/** `/messages` and everything below it, also below the base addresses that clients of this dialect get wrong. */
const MESSAGES = /^(?:\/api)?(?:\/v1)*\/messages(?![^/?])/;

/**
 * The envelope of a request's refusals before its route is known and its body is read. Clients of the messages dialect
 * read its word in `error.type` of every refusal. (rule E2)
 */
function firstEnvelope(url = ''): ErrorEnvelope {
  return MESSAGES.test(url) ? wholeEnvelope : standardEnvelope;
}

/** The caller, on a route whose policy requires a key. */
export function callerOf({ caller }: RequestContext): Caller {
  if (!caller) throw new Error('a handler needs a caller on a route without a key policy');
  return caller;
}

/** The parsed body, on a route that takes JSON; the context drops its reference. */
export function takeBody(context: RequestContext): { readonly value: unknown; readonly bytes: number } {
  const { body } = context;
  if (body?.type !== 'json') throw new Error('a handler needs a body on a route that takes no JSON');
  const value = body.take();
  if (body.members !== null && typeof value === 'object' && value !== null && !Array.isArray(value)) {
    nameUnread(context, body.members, value);
  }
  return { value, bytes: body.bytes };
}

/** Names in `X-Unread-Members` of the answer, whose head is written elsewhere, what nothing reads. */
export function nameUnread({ response }: RequestContext, read: ReadonlySet<string>, body: object): void {
  const unread = unreadMembers(read, body);
  if (unread !== null) response.setHeader('x-unread-members', unread.join(', '));
}

/** The fields of the form, on a route that takes one. */
export function formOf({ body }: RequestContext): FormFields {
  if (body?.type !== 'form') throw new Error('a handler needs a form on a route that takes none');
  return body.fields;
}

/** The file of a form and its fields, on a route that takes one. */
export function uploadOf({ body }: RequestContext): Extract<ReadBody, { type: 'upload' }> {
  if (body?.type !== 'upload') throw new Error('a handler needs a file on a route that takes none');
  return body;
}

/** A parameter that the route's path names. */
export function paramOf({ params }: RequestContext, name: string): string {
  const value = params[name];
  if (value === undefined) throw new Error(`the route's path has no parameter ${name}`);
  return value;
}

/** How a request ended, beside its status. Filled in on the way. */
interface RequestEnd {
  turn: EndedTurn | null;
  /** The error that the client received; null for none, or where it left before the answer. */
  error: GatewayError | null;
  callerLeft: boolean;
}
