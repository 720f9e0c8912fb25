import { localId } from '../../../actors/terms/one-time.ts';
import type { FormFields } from '../../edge/body/form-fields.ts';
import type { RouteAnswer } from '../../http/write-answer.ts';
import { approveKey } from '../../management/approvals.ts';
import { type GrantRequest, parseGrant, REPEATED, withParameter } from '../../management/grant-request.ts';
import { invalid } from '../../terms/gateway-error.ts';
import { pageAnswer, redirectAnswer } from '../kit/page-answer.ts';
import {
  openPage,
  type PageRoute,
  type PrivateFormVisit,
  privateForm,
  toSignIn,
  type Visit,
} from '../kit/page-route.ts';
import { approvalPage, codePage, declinedPage, refusedPage } from './auth-pages.ts';

/** The page on which a person approves a key for an application. (rule K27, rule K31) */
export const authRoutes: readonly PageRoute[] = [...openPage('/auth', showApproval), privateForm('/auth', decide)];

const GRANT = /^[0-9a-f]{32}$/;

function showApproval(visit: Visit): RouteAnswer {
  const { context, services, site, session } = visit;
  const query = new URLSearchParams(context.query);
  const request = parseGrant((name) => {
    const [value, second] = query.getAll(name);
    return second === undefined ? (value ?? null) : REPEATED;
  });
  if ('problem' in request) return pageAnswer(refusedPage(request.problem), site, { status: 400 });
  if (session === null) return toSignIn(visit);
  return pageAnswer(approvalPage(request, session, localId(services.random)), site, formOriginOf(request));
}

/** Browsers hold the redirect that answers a form to the policy of the form's page. */
function formOriginOf({ mode, origin }: GrantRequest): { readonly formOrigin?: string } {
  return mode === 'manual' ? {} : { formOrigin: origin };
}

async function decide(visit: PrivateFormVisit): Promise<RouteAnswer> {
  const { site, session, form } = visit;
  const request = parseGrant((name) => form.get(name) ?? null);
  if ('problem' in request) return pageAnswer(refusedPage(request.problem), site, { status: 400 });
  if (form.get('decision') === 'approve') return approve(visit, request);
  if (form.get('decision') !== 'decline') throw invalid('The form has no decision');
  if (request.mode === 'manual') return pageAnswer(declinedPage(request, session), site);
  return redirectAnswer(withParameter(request.callback, 'error', 'access_denied'), site, formOriginOf(request));
}

/** Issues the code of the approval, once: its natural id is that of the page which asked. */
async function approve(
  { services, site, session, form }: PrivateFormVisit,
  request: GrantRequest,
): Promise<RouteAnswer> {
  const { callback: callback_url, challenge: code_challenge, limit } = request;
  const input = { callback_url, code_challenge, limit };
  const { code } = await approveKey(services, session, input, grantOf(form));
  if (request.mode !== 'return') return pageAnswer(codePage(request, session, code), site);
  return redirectAnswer(withParameter(request.callback, 'code', code), site, formOriginOf(request));
}

function grantOf(form: FormFields): string {
  const grant = form.get('grant') ?? '';
  if (!GRANT.test(grant)) throw invalid('The form is incomplete; open the page again');
  return grant;
}
