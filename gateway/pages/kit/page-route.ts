import { FORM_BODY } from '../../edge/body/route-body.ts';
/** The ways in which a page is served: open to all, for a signed-in person, and what its forms send. */

import type { FormFields } from '../../edge/body/form-fields.ts';
import { formOf, type RequestContext } from '../../edge/request-context.ts';
import { type Route, withHead } from '../../edge/route.ts';
import type { RouteAnswer } from '../../http/write-answer.ts';
import type { ManagementServices } from '../../management/services.ts';
import type { Background } from '../../overload/background.ts';
import { GatewayError } from '../../terms/gateway-error.ts';
import { html } from './html.ts';
import { layout } from './layout.ts';
import { pageAnswer, redirectAnswer } from './page-answer.ts';
import { type PageSession, type PageSessionParts, pageSessionOf } from './page-session.ts';
import { isFromElsewhere, requireSameOrigin, requireToken } from './same-origin.ts';
import { type Site, siteOf } from './site.ts';

/** What every page takes of its node. */
export interface PageNode extends PageSessionParts {
  /** Reads the rows of long lists. */
  readonly background: Pick<Background, 'step'>;
}

/** A route whose handler is given what every page takes of its node. */
export interface PageRoute extends Omit<Route, 'answer'> {
  readonly answer: (context: RequestContext, node: PageNode) => ReturnType<Route['answer']>;
}

/** One request for a page. */
export interface Visit {
  readonly context: RequestContext;
  /** What the person of the session may do with the account. */
  readonly services: ManagementServices;
  readonly background: PageNode['background'];
  readonly site: Site;
  readonly session: PageSession | null;
}

export interface PrivateVisit extends Visit {
  readonly session: PageSession;
}

export interface FormVisit extends Visit {
  readonly form: FormFields;
}

export interface PrivateFormVisit extends PrivateVisit {
  readonly form: FormFields;
}

type Answer = RouteAnswer | Promise<RouteAnswer>;

/** A page for everybody; `session` is null without one. */
export function openPage(path: string, answer: (visit: Visit) => Answer): readonly PageRoute[] {
  return withHead<PageRoute>({
    method: 'GET',
    path,
    policy: 'open',
    answer: async (context, node) => {
      const visit = await visitOf(context, node);
      return visit.session === null && isReturning(visit) ? comeBack(visit) : answer(visit);
    },
  });
}

/** A page of a signed-in person. Anybody else is led to sign in, and back. */
export function privatePage(path: string, answer: (visit: PrivateVisit) => Answer): readonly PageRoute[] {
  return openPage(path, (visit) => {
    const { session } = visit;
    return session === null ? toSignIn(visit) : answer({ ...visit, session });
  });
}

/** Bytes for a signed-in person, which the handler writes by itself, such as a download. */
export function privateContent(path: string, answer: (visit: PrivateVisit) => Promise<null>): readonly PageRoute[] {
  return withHead<PageRoute>({
    method: 'GET',
    path,
    policy: 'open',
    answer: async (context, node) => {
      const visit = await visitOf(context, node);
      const { session } = visit;
      return session === null ? toSignIn(visit) : answer({ ...visit, session });
    },
  });
}

/** What a form of a page for everybody sends. */
export function openForm(path: string, answer: (visit: FormVisit) => Answer): PageRoute {
  return {
    method: 'POST',
    path,
    policy: 'open',
    body: FORM_BODY,
    answer: async (context, node) => {
      const site = siteOf(context.request, node.clients);
      requireSameOrigin(context.request.headers, site);
      return answer({ ...(await visitOf(context, node)), form: formOf(context) });
    },
  };
}

/** What a form of a signed-in person sends: refused without the token of the session. */
export function privateForm(path: string, answer: (visit: PrivateFormVisit) => Answer): PageRoute {
  return openForm(path, (visit) => {
    const { session, form } = visit;
    if (session === null) {
      const message = 'Your session has ended. Sign in and try again.';
      throw new GatewayError({ status: 401, type: 'authentication', message });
    }
    requireToken(form, session.token);
    return answer({ ...visit, session });
  });
}

/** The sign-in page, which leads back to this one. */
export function toSignIn({ context, site }: Visit): RouteAnswer {
  const { url = '/' } = context.request;
  return redirectAnswer(`/sign-in?${new URLSearchParams({ next: url })}`, site);
}

async function visitOf(context: RequestContext, node: PageNode): Promise<Visit> {
  const site = siteOf(context.request, node.clients);
  const { services, background } = node;
  return { context, services, background, site, session: await pageSessionOf(context, node) };
}

/** A strict cookie is absent from a request that another site has begun, so it does not tell whether there is one. */
function isReturning({ context: { request } }: Visit): boolean {
  return isFromElsewhere(request.headers) && request.headers['sec-fetch-mode'] === 'navigate';
}

/** Opens the same page again, now from this site. */
function comeBack({ context, site }: Visit): RouteAnswer {
  const { url = '/' } = context.request;
  const head = html`<meta http-equiv="refresh" content="0; url=${url}">`;
  const content = html`<div class="panel"><p><a href="${url}">Continue</a></p></div>`;
  return pageAnswer(layout({ title: 'Continue', person: null, width: 'narrow', head, content }), site);
}
