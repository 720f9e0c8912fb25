import { ownerOf } from '../../../actors/runtime/index.ts';
import { acceptInvitation, findInvitation } from '../../../actors/session/invitation.ts';
import { oneTimeSecret, secretDigest, sessionAddress } from '../../../actors/terms/one-time.ts';
import type { FormVisit } from '../kit/page-route.ts';
import type { Opened, SignInParts } from './opened.ts';

const SPENT = 'This link was used before or has expired. Ask your operator for a new one.';
const SECRET = /^[0-9a-f]{64}$/;

/** Opens a session for a one-time link, which ends in the same commit. */
export async function openByInvitation(
  { context, services }: FormVisit,
  { clients }: SignInParts,
  text: string,
): Promise<Opened> {
  const { cluster, random, pepper, askMs, config } = services;
  const found = SECRET.test(text) ? await findInvitation(cluster, secretDigest(pepper, 'invitation', text)) : null;
  if (found === null) return { problem: SPENT };
  const secret = oneTimeSecret(random);
  const acceptance = {
    session: sessionAddress(ownerOf(found.invitation), random),
    digest: secretDigest(pepper, 'session', secret),
    lifetimeMs: config.signIn.sessionMs,
    agent: context.request.headers['user-agent'] ?? '',
    from: clients.of(context.request),
  };
  return (await acceptInvitation(cluster, found.invitation, acceptance, askMs)) ? { secret } : { problem: SPENT };
}
