import { ownerOf } from '../../../actors/runtime/index.ts';
import { acceptInvitation, findInvitation } from '../../../actors/session/invitation.ts';
import { closeSession } from '../../../actors/session/session.ts';
import { oneTimeSecret, secretDigest, sessionAddress } from '../../../actors/terms/one-time.ts';
import { endedCookie, sessionCookie } from '../../edge/auth/session-cookie.ts';
import type { RouteAnswer } from '../../http/write-answer.ts';
import { GatewayError } from '../../terms/gateway-error.ts';
import { pageAnswer, redirectAnswer } from '../kit/page-answer.ts';
import {
  type FormVisit,
  openForm,
  openPage,
  type PageRoute,
  type PrivateFormVisit,
  privateForm,
  type Visit,
} from '../kit/page-route.ts';
import { openByKey } from './open-by-key.ts';
import type { Opened, SignInParts } from './opened.ts';
import { signInPage } from './sign-in-page.ts';

/** Signing in and out. (rule K36) */
export function signInRoutes(parts: SignInParts): readonly PageRoute[] {
  return [
    ...openPage('/sign-in', showSignIn),
    openForm('/sign-in', (visit) => signIn(visit, parts)),
    privateForm('/sign-out', signOut),
  ];
}

const SIGNED_OUT = 'You are signed out.';

function showSignIn({ context, site, session }: Visit): RouteAnswer {
  const query = new URLSearchParams(context.query);
  const next = nextPath(query.get('next'));
  const invitation = query.get('invite');
  if (session !== null && invitation === null) return redirectAnswer(next, site);
  const note = query.has('out') ? SIGNED_OUT : null;
  return pageAnswer(signInPage({ site, next, invitation, problem: null, note }), site);
}

/** Every sign-in opens a session with a new secret, and ends the one that the browser had. */
async function signIn(visit: FormVisit, parts: SignInParts): Promise<RouteAnswer> {
  const { services, site, session, form } = visit;
  const next = nextPath(form.get('next'));
  const invitation = form.get('invite') ?? null;
  if (!site.isSecure) {
    const message = 'Signing in needs HTTPS, or this address as localhost';
    throw new GatewayError({ status: 403, type: 'permission_denied', message });
  }
  const opened =
    invitation === null
      ? await openByKey(visit, parts, form.get('key') ?? '')
      : await openByInvitation(visit, parts, invitation);
  if ('problem' in opened) {
    const { problem } = opened;
    return pageAnswer(signInPage({ site, next, invitation, problem }), site, { status: 401 });
  }
  const { cluster, askMs, config } = services;
  if (session !== null) await closeSession(cluster, session.session, session.by, askMs);
  return redirectAnswer(next, site, { cookies: [sessionCookie(opened.secret, config.signIn.sessionMs)] });
}

async function signOut({ services, site, session }: PrivateFormVisit): Promise<RouteAnswer> {
  const { cluster, askMs } = services;
  await closeSession(cluster, session.session, session.by, askMs);
  return redirectAnswer('/sign-in?out', site, { cookies: [endedCookie()] });
}

const CHARACTERS_MAX = 8 * 1024;
/** Stands for this site while a path is resolved. */
const HERE = 'http://here.invalid';
/** Where a person is led who came for no particular page. */
export const START_PAGE = '/account';

/** The page to open after the sign-in: a path of this site, whatever the text says; never another site. */
function nextPath(text: string | null | undefined): string {
  if (text === null || text === undefined || text.length > CHARACTERS_MAX || !text.startsWith('/')) return START_PAGE;
  if (!URL.canParse(text, HERE)) return START_PAGE;
  const { origin, pathname, search } = new URL(text, HERE);
  // A path that begins with two slashes would name a host.
  return origin === HERE && !pathname.startsWith('//') ? `${pathname}${search}` : START_PAGE;
}

const SPENT = 'This link was used before or has expired. Ask your operator for a new one.';
const SECRET = /^[0-9a-f]{64}$/;

/** Opens a session for a one-time link, which ends in the same commit. */
async function openByInvitation(
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
