import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Principal } from '../../../actors/terms/principal.ts';
import { clientAddress } from '../../http/client-addresses.ts';
import { OperatorFault, type Role } from './operator-route.ts';

/** Who sent a request, and what they may do. */
export interface Sender {
  readonly role: Role;
  readonly principal: Principal;
}

const SCHEME = 'Bearer ';

/** Throws 401 without a valid credential. */
export function senderOf({ headers, socket }: IncomingMessage, token: string): Sender {
  const { authorization = '' } = headers;
  if (authorization.startsWith(SCHEME) && isSame(authorization.slice(SCHEME.length), token)) {
    const address = clientAddress(socket.remoteAddress);
    return { role: 'operator', principal: { kind: 'operator', id: 'operator token', address } };
  }
  throw new OperatorFault(401, 'unauthorized', 'the operator token is missing or wrong');
}

/** Compares digests, so that the duration reveals neither length nor content of the token. */
function isSame(given: string, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}
