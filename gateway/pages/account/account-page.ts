import type { RouteAnswer } from '../../http/write-answer.ts';
import { type Html, html } from '../kit/html.ts';
import { layout } from '../kit/layout.ts';
import { pageAnswer } from '../kit/page-answer.ts';
import type { PrivateVisit } from '../kit/page-route.ts';

/** The pages of an account, in the order of its navigation. */
export const PLACES = [
  { path: '/account', name: 'Overview' },
  { path: '/account/keys', name: 'Keys' },
  { path: '/account/usage', name: 'Usage' },
  { path: '/account/generations', name: 'Generations' },
  { path: '/account/batches', name: 'Batches' },
  { path: '/account/videos', name: 'Videos' },
  { path: '/account/files', name: 'Files' },
  { path: '/account/credits', name: 'Credits' },
  { path: '/account/webhooks', name: 'Webhooks' },
  { path: '/account/audit', name: 'Audit log' },
  { path: '/account/sessions', name: 'Sessions' },
] as const;

type AccountPlace = (typeof PLACES)[number]['path'];

interface AccountPage {
  readonly title: string;
  readonly place: AccountPlace;
  /** Below the heading: what the page is about, such as an id. */
  readonly what?: Html;
  /** Beside the heading: the one thing that a visitor of this page does most. */
  readonly action?: Html | null;
  readonly content: Html;
  /** Absent: 200. */
  readonly status?: number;
  /** Something on the page still moves: a browser with scripts loads it again every few seconds. */
  readonly isLive?: boolean;
}

/** A page of the signed-in person's account: heading, navigation of the account, content. */
export function accountPage(visit: PrivateVisit, page: AccountPage): RouteAnswer {
  const { session, site } = visit;
  const { title, place, what, action = null, status = 200, isLive = false } = page;
  const links = PLACES.map(({ path, name }) =>
    path === place
      ? html`<li><a href="${path}" aria-current="page">${name}</a></li>`
      : html`<li><a href="${path}">${name}</a></li>`,
  );
  const content = html`<nav class="tabs" aria-label="Account"><ul>${links}</ul></nav>
<div class="page-head"><div><h1>${title}</h1>${what !== undefined && html`<p>${what}</p>`}</div>${action}</div>
<div class="flow"${isLive && html` data-live`}>
${page.content}
</div>`;
  const { account, token } = session;
  return pageAnswer(layout({ title, current: '/account', person: { account, token }, content }), site, { status });
}
