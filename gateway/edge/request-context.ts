import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { wholeEnvelope } from '../dialects/messages/error-envelope.ts';
import { type ErrorEnvelope, standardEnvelope } from '../dialects/reply/error-envelope.ts';
import type { PathParams } from '../http/http-router.ts';
import type { WorkPlace } from '../overload/overload.ts';
import type { Caller } from '../terms/caller.ts';
import type { TraceSpan } from '../terms/tracing.ts';
import type { WindowTaken } from './auth/endpoint-window.ts';
import type { RequestCredential } from './auth/request-credential.ts';
import type { FormFields } from './body/form-fields.ts';
import type { RequestBody } from './body/request-body.ts';
import type { RequestEnd } from './request-end.ts';

/** All requests without a valid key are one holder: an address costs nothing, and one client may have many. */
export const STRANGERS = 'strangers';

/** A WebSocket of a client, as the listener of its node sees it. */
export interface SocketSession {
  /** The node drains: ends the socket with a restart code once nothing is under way on it. Called until it has. */
  drain(): void;
}

/** The offer of a client to go on as a WebSocket. */
export interface Upgrade {
  readonly socket: Socket;
  /** Bytes that arrived behind the request. */
  readonly head: Buffer;
  /** Ends the request; the connection belongs to the session from now on. */
  adopt(session: SocketSession): void;
  /** Begins a request inside the session, under a generation id of its own. */
  begin(request: IncomingMessage, response: ServerResponse): RequestContext;
}

/** The context of one request at the edge, passed to every handler and filled in on the way. */
export interface RequestContext {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Generation id, created before anything can fail. */
  readonly id: string;
  readonly credential: RequestCredential;
  /** Monotonic ms at which the head arrived. */
  readonly startedAt: number;
  /** Sends `100 Continue` to a client that waits for it before sending the body; null for any other request. */
  readonly invite: (() => void) | null;
  /** The offer to go on as a WebSocket; null for any other request. */
  readonly upgrade: Upgrade | null;
  /** Method and path of the route, for the metrics; null without one. */
  route: string | null;
  /** The whole request, where it is traced. */
  span: TraceSpan | null;
  /** Parameters of the route's path, decoded. The object has no prototype. */
  params: PathParams;
  /** The query as sent, undecoded; empty without one. */
  query: string;
  /** Null until the key is found; stays null for a credential that matches no key. */
  caller: Caller | null;
  /** The client address, once a request without a valid key was counted by it; else null. */
  address: string | null;
  /** Digest of the credential's key; null without one. */
  digest: string | null;
  /** True once the caller's rate budget was charged for this request. */
  counted: boolean;
  /** Held while the node works on the request; left early where it waits for a client or a provider. */
  place: WorkPlace | null;
  /** What the request took from the endpoint's window; null before it took anything. */
  taken: WindowTaken | null;
  /** The parsed body of a route that takes JSON, from reading it until its handler takes it. */
  body: RequestBody | null;
  /** The fields of a route that takes a form; null elsewhere. */
  form: FormFields | null;
  /** SHA-256 of the body as sent, hex; null until it is read, and for a request without an `Idempotency-Key`. */
  bodyDigest: string | null;
  /** What the request log shows of the end. */
  readonly end: RequestEnd;
  /** Renders refusals; the route and, once the body is read, the dialect may set their own. */
  errorEnvelope: ErrorEnvelope;
}

const NO_PARAMS: PathParams = Object.freeze(Object.create(null) as PathParams);

/** The context of a request whose head has just arrived. */
export function beginRequest(
  arrived: Pick<RequestContext, 'request' | 'response' | 'id' | 'credential' | 'startedAt' | 'invite' | 'upgrade'>,
): RequestContext {
  const { request, response, id, credential, startedAt, invite, upgrade } = arrived;
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
    taken: null,
    body: null,
    form: null,
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
export function takeBody({ body }: RequestContext): { readonly value: unknown; readonly bytes: number } {
  if (!body) throw new Error('a handler needs a body on a route that takes no JSON');
  return { value: body.take(), bytes: body.bytes };
}

/** The fields of the form, on a route that takes one. */
export function formOf({ form }: RequestContext): FormFields {
  if (form === null) throw new Error('a handler needs a form on a route that takes none');
  return form;
}

/** A parameter that the route's path names. */
export function paramOf({ params }: RequestContext, name: string): string {
  const value = params[name];
  if (value === undefined) throw new Error(`the route's path has no parameter ${name}`);
  return value;
}
