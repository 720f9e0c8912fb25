/**
 * The routes of the operator port as tables: each says who may call it, what it takes and what it answers. The server
 * checks all of that before a handler runs, and the published document is made of the same tables.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Static, TObject, TSchema } from 'typebox';
import type { Cluster } from '../../../actors/runtime/index.ts';
import type { Principal } from '../../../actors/terms/principal.ts';
import type { ClientSocket, SocketUser } from '../../http/client-socket.ts';
import type { Method, PathParams, RouteAddress } from '../../http/http-router.ts';
import { absentWords } from '../absent.ts';

/** `viewer` reads; `operator` changes as well. */
export type Role = 'viewer' | 'operator';

/** The tokens in the secrets folder, by the role that each gives. */
export type OperatorTokens = Readonly<Record<Role, string>>;

/** The parameters in a path, by name. */
export type ParamsOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? { readonly [K in Name]: string } & ParamsOf<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? { readonly [K in Name]: string }
    : object;

/** A request whose sender may make it, and whose query and body fit their schemas. */
export interface OperatorRequest<Params = PathParams, Query = unknown, Body = unknown> {
  readonly cluster: Cluster;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** For the audit log. */
  readonly principal: Principal;
  readonly role: Role;
  readonly headers: IncomingHttpHeaders;
  /** False: the cluster uses TLS, and the sender has no certificate of it. */
  readonly mayShowToken: boolean;
  /** Aborts when the client leaves before it has its answer. */
  readonly signal: AbortSignal;
}

interface RouteWords {
  /** One plain sentence, for the published document. */
  readonly summary: string;
  /** The schema of a 200, for the published document. */
  readonly answers?: TSchema;
}

export interface OperatorRoute extends RouteAddress, RouteWords {
  /** `open` needs no credential, and is served while the node starts. */
  readonly policy: 'open' | Role;
  /** Absent: the route takes no query. */
  readonly query?: TObject;
  /** Absent: the body is not read. */
  readonly body?: TObject;
  /** Absent: 64 KiB. */
  readonly bodyBytesMax?: number;
  /** Answers a value that becomes JSON, or a `PortAnswer`. Throws OperatorFault. */
  readonly answer: (request: OperatorRequest) => unknown;
  /** The route is a WebSocket: what speaks over it. */
  readonly socket?: (request: OperatorRequest) => PortSocketUser;
}

export interface PortSocketUser extends SocketUser {
  /** Called once, before any frame. */
  bind(socket: ClientSocket): void;
}

interface RouteParts<Path extends string, Query extends TObject, Body extends TObject>
  extends Omit<OperatorRoute, 'path' | 'query' | 'body' | 'answer'> {
  readonly method: Method;
  readonly path: Path;
  readonly query?: Query;
  readonly body?: Body;
  readonly answer: (request: OperatorRequest<ParamsOf<Path>, Static<Query>, Static<Body>>) => unknown;
}

/** A route whose handler sees path, query and body in the types of their schemas. */
export function operatorRoute<const Path extends string, Query extends TObject, Body extends TObject>(
  route: RouteParts<Path, Query, Body>,
): OperatorRoute {
  return route as unknown as OperatorRoute;
}

/** A failure that its caller reads: `{ error: { code, message, member } }`. */
export class OperatorFault extends Error {
  override readonly name = 'OperatorFault';
  readonly status: number;
  readonly code: string;
  readonly member: string | null;

  /** `member` names what is wrong of a query or a body, such as `limit`. */
  constructor(status: number, code: string, message: string, member: string | null = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.member = member;
  }
}

/** 404: nothing has this name; an address, an id, or words such as `living node n9`. */
export function isAbsent(name: string): OperatorFault {
  return new OperatorFault(404, 'not_found', absentWords(name));
}

/** 400 that names a member. */
export function isInvalid(member: string, rule: string): OperatorFault {
  return new OperatorFault(400, 'invalid_request', `${member} ${rule}`, member);
}

/** An answer that is not JSON, has another status, or further headers. */
export class PortAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Uint8Array;
  /** Names in lower case and values, flat. */
  readonly headers: readonly string[];
  /** Value of `cache-control`. */
  readonly cache: string;

  /** Absent: status 200, no further headers, kept by no cache. */
  constructor(answer: {
    readonly status?: number;
    readonly type: string;
    readonly body: string | Uint8Array;
    readonly headers?: readonly string[];
    readonly cache?: string;
  }) {
    this.status = answer.status ?? 200;
    this.type = answer.type;
    this.body = answer.body;
    this.headers = answer.headers ?? [];
    this.cache = answer.cache ?? 'no-store';
  }
}
