import { ownerOf } from '../../../actors/runtime/index.ts';
import { openSession } from '../../../actors/session/session.ts';
import { oneTimeSecret, secretDigest, sessionAddress } from '../../../actors/terms/one-time.ts';
import type { Authenticated } from '../../edge/auth/authentication.ts';
import { GatewayError } from '../../terms/gateway-error.ts';
import type { FormVisit } from '../kit/page-route.ts';
import type { Opened, SignInParts } from './opened.ts';

const UNKNOWN = 'This is no valid management key. Check that you copied all of it.';
const INFERENCE = 'This key is for requests to models. Signing in needs a management key.';

/**
 * Opens a session for a management key. The key is judged as the credential of any request: a wrong one is counted by
 * its client address and by itself, and a dead one is not distinguished from an unknown one. Throws 429 and 503.
 */
export async function openByKey(
  { context, services }: FormVisit,
  { authentication, clients }: SignInParts,
  text: string,
): Promise<Opened> {
  const presented: Authenticated = {
    credential: { type: 'key', key: text.trim() },
    digest: null,
    caller: null,
    address: null,
    counted: false,
  };
  try {
    await authentication.enter(presented, 'management', context.request);
    const refusal = await authentication.count(presented);
    if (refusal !== null) throw refusal;
  } catch (thrown) {
    if (thrown instanceof GatewayError && thrown.status === 401) return { problem: UNKNOWN };
    if (thrown instanceof GatewayError && thrown.status === 403) return { problem: INFERENCE };
    throw thrown;
  }
  if (presented.caller === null) throw new Error('a management key was accepted without its caller');
  const { key } = presented.caller;
  const { cluster, random, pepper, askMs, config } = services;
  const secret = oneTimeSecret(random);
  const { 'user-agent': agent = '' } = context.request.headers;
  const made = {
    digest: secretDigest(pepper, 'session', secret),
    lifetimeMs: config.signIn.sessionMs,
    agent,
    by: { kind: 'key', id: key, address: clients.of(context.request) },
  } as const;
  await openSession(cluster, sessionAddress(ownerOf(key), random), made, askMs);
  return { secret };
}
