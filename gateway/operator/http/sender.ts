import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Principal } from '../../../actors/terms/principal.ts';
import { clientAddress } from '../../http/client-addresses.ts';
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
}

const SCHEME = 'Bearer ';

/**
 * By token, or by the cookie of a session. A cookie travels with requests that its person did not begin, so by cookie a
 * change needs the token of its page, and a WebSocket its origin. Throws 401 and 403.
 */
export function senderOf({ headers, socket, method }: IncomingMessage, { tokens, sessions }: Doorkeeper): Sender {
  const { authorization } = headers;
  const address = clientAddress(socket.remoteAddress);
  if (authorization?.startsWith(SCHEME)) {
    const role = roleOf(authorization.slice(SCHEME.length), tokens);
    if (role === null) throw unknown();
    return { role, principal: { kind: 'operator', id: `${role} token`, address } };
  }
  const session = authorization === undefined ? sessions.of(headers) : null;
  if (session === null) throw unknown();
  if (method !== 'GET') requireOwnPage(headers, session);
  else if (headers.upgrade !== undefined) requireSameOrigin(headers);
  return { role: session.role, principal: { kind: 'operator', id: session.name, address } };
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
