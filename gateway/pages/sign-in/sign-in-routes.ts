import { closeSession } from '../../../actors/session/session.ts';
import { endedCookie, sessionCookie } from '../../edge/auth/session-cookie.ts';
import type { RouteAnswer } from '../../http/route-answer.ts';
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
import { nextPath } from './next-path.ts';
import { openByInvitation } from './open-by-invitation.ts';
import { openByKey } from './open-by-key.ts';
import type { SignInParts } from './opened.ts';
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
