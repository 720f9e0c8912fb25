import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { Principal } from '../../../actors/terms/principal.ts';
import { clientAddress } from '../../http/client-addresses.ts';
import { bearsAny, type ClusterTls } from '../../outbound/mutual-tls.ts';
import { OperatorFault, type OperatorTokens, type Role } from './operator-route.ts';
import { type OperatorSessions, requireOwnPage, requireSameOrigin } from './sessions.ts';

/** Who sent a request, and what they may do. */
export interface Sender {
  readonly role: Role;
  readonly principal: Principal;
}

interface Doorkeeper {
  readonly tokens: OperatorTokens;
  readonly sessions: OperatorSessions;
  readonly tls?: ClusterTls | undefined;
}

/** A certificate with this name opens the operator port, never a link. */
const OPERATOR_NAME = 'operator';

const SCHEME = 'Bearer ';

/**
 * By token, or by the cookie of a session. A cookie travels with requests that its person did not begin, so by cookie a
 * change needs the token of its page, and a WebSocket its origin. Throws 401 and 403.
 */
export function senderOf(request: IncomingMessage, door: Doorkeeper): Sender {
  const { headers, socket, method } = request;
  const { tokens, sessions } = door;
  const { authorization } = headers;
  const address = clientAddress(socket.remoteAddress);
  if (authorization?.startsWith(SCHEME)) {
    const role = roleOf(authorization.slice(SCHEME.length), tokens);
    if (role === null) throw unknown();
    if (!mayShowToken(request, door)) throw withoutCertificate();
    return { role, principal: { kind: 'operator', id: `${role} token`, address } };
  }
  const session = authorization === undefined ? sessions.of(headers) : null;
  if (session === null) throw unknown();
  if (method !== 'GET') requireOwnPage(headers, session);
  else if (headers.upgrade !== undefined) requireSameOrigin(headers);
  return { role: session.role, principal: { kind: 'operator', id: session.name, address } };
}

/** Where the cluster uses TLS, a token counts together with a certificate of a node or of an operator. (rule N32) */
export function mayShowToken({ socket }: Pick<IncomingMessage, 'socket'>, { tls }: Pick<Doorkeeper, 'tls'>): boolean {
  if (tls === undefined) return true;
  const { authorized, getPeerCertificate } = socket as TLSSocket;
  return authorized && bearsAny(getPeerCertificate.call(socket), [...tls.names, OPERATOR_NAME]);
}

/** 403: the token is right, and not enough. */
export function withoutCertificate(): OperatorFault {
  return new OperatorFault(403, 'forbidden', 'the token needs a certificate of this cluster beside it');
}

/** The role of a token; null for text that is none. */
export function roleOf(given: string, { operator, viewer }: OperatorTokens): Role | null {
  // Both are compared, so that the duration does not tell which one it is.
  const [isOperator, isViewer] = [isSame(given, operator), isSame(given, viewer)];
  return isOperator ? 'operator' : isViewer ? 'viewer' : null;
}

function unknown(): OperatorFault {
  return new OperatorFault(401, 'unauthorized', 'the operator token is missing or wrong');
}

/** Compares digests, so that the duration reveals neither length nor content of the token. */
function isSame(given: string, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}
