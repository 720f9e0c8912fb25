import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ErrorEnvelope, standardEnvelope } from '../dialects/reply/error-envelope.ts';
import type { Caller } from '../terms/caller.ts';
import type { RequestCredential } from './auth/request-credential.ts';
import type { RequestBody } from './body/request-body.ts';
import type { PathParams } from './http/http-router.ts';

/** One request on its way through the edge: an argument of every hook and handler, filled in as it goes. */
export interface RequestContext {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Generation id, made before anything could fail. */
  readonly id: string;
  readonly credential: RequestCredential;
  /** Monotonic ms at which the head had arrived. */
  readonly startedAt: number;
  /** Asks for a body that the client announced and holds back (`Expect: 100-continue`); null for any other request. */
  readonly invite: (() => void) | null;
  /** Parameters of the route's path, decoded. The object has no prototype. */
  params: PathParams;
  /** The query as sent, undecoded; empty without one. */
  query: string;
  /** Null until the key was found; stays null for a credential that no key has. */
  caller: Caller | null;
  /** Digest of the presented key; null without one. */
  digest: string | null;
  /** True once the caller's rate budget was charged for this request. */
  counted: boolean;
  /** The body of a route that takes JSON, from when it was read until its handler takes it. */
  body: RequestBody | null;
  /** How a refusal is written; a dialect puts its own here once the body is read. */
  errorEnvelope: ErrorEnvelope;
}

const NO_PARAMS: PathParams = Object.freeze(Object.create(null) as PathParams);

/** The context of a request whose head has just arrived. */
export function beginRequest(
  arrived: Pick<RequestContext, 'request' | 'response' | 'id' | 'credential' | 'startedAt' | 'invite'>,
): RequestContext {
  const { request, response, id, credential, startedAt, invite } = arrived;
  return {
    request,
    response,
    id,
    credential,
    startedAt,
    invite,
    params: NO_PARAMS,
    query: '',
    caller: null,
    digest: null,
    counted: false,
    body: null,
    errorEnvelope: standardEnvelope,
  };
}

/** The caller, on a route whose policy asks for a key. */
export function callerOf({ caller }: RequestContext): Caller {
  if (!caller) throw new Error('a route without a key policy needs a caller');
  return caller;
}

/** The parsed body, on a route that takes JSON; the context keeps no reference to it. */
export function takeBody({ body }: RequestContext): { readonly value: unknown; readonly bytes: number } {
  if (!body) throw new Error('a route that takes no JSON needs a body');
  return { value: body.take(), bytes: body.bytes };
}

/** A parameter that the route's path names. */
export function paramOf({ params }: RequestContext, name: string): string {
  const value = params[name];
  if (value === undefined) throw new Error(`the route's path has no parameter ${name}`);
  return value;
}
