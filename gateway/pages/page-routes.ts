import type { ErrorEnvelope } from '../dialects/reply/error-envelope.ts';
import { type Route, withHead } from '../edge/route.ts';
import type { GatewayError } from '../terms/gateway-error.ts';
import { type AccountParts, accountRoutes } from './account/account-routes.ts';
import { apiDocsRoutes } from './api-docs/api-docs.ts';
import { type Published, publishedApi } from './api-docs/published.ts';
import { authRoutes } from './auth/auth-routes.ts';
import { cataloguePageRoutes } from './catalogue/catalogue-pages.ts';
import { EndpointHistories } from './catalogue/endpoint-histories.ts';
import { findRoutes } from './find/find.ts';
import { homeRoutes } from './home/home.ts';
import { assetRoutes, serveAsset } from './kit/assets.ts';
import { type Html, html } from './kit/html.ts';
import { layout } from './kit/layout.ts';
import { HTML_TYPE, pageHeaders } from './kit/page-answer.ts';
import type { PageNode, PageRoute } from './kit/page-route.ts';
import { siteOf } from './kit/site.ts';
import type { SignInParts } from './sign-in/opened.ts';
import { signInRoutes } from './sign-in/sign-in-routes.ts';

export interface PageParts extends AccountParts {
  readonly node: PageNode & SignInParts;
  /** The OpenAPI document, which the pages of the API show. */
  readonly apiDocument: () => object;
}

/** Every page for browsers, with what its forms send and the files it loads. Refusals are pages too. */
export function pageRoutes({ node, apiDocument, ...account }: PageParts): readonly Route[] {
  let published: Published | null = null;
  // Made once: the document does not change while a node runs.
  const api = (): Published => {
    published ??= publishedApi(apiDocument());
    return published;
  };
  const routes: readonly PageRoute[] = [
    ...homeRoutes,
    ...cataloguePageRoutes(new EndpointHistories(node.services.cluster)),
    ...assetRoutes,
    ...siteFileRoutes,
    ...apiDocsRoutes(api),
    ...findRoutes(api),
    ...signInRoutes(node),
    ...authRoutes,
    ...accountRoutes(account),
  ];
  return routes.map(({ answer, ...route }) => ({
    errorEnvelope: pageEnvelope,
    ...route,
    answer: (context) => answer(context, node),
  }));
}

/** What a crawler may read: the first page, the catalogue and its files. The rest is of persons, or of programs. */
const ROBOTS = `User-agent: *
Allow: /$
Allow: /models
Allow: /assets/
Allow: /favicon.ico
Allow: /sitemap.xml
Disallow: /
`;
const DAY_S = 24 * 60 * 60;

/** The files that browsers and crawlers ask a site for by themselves. */
const siteFileRoutes: readonly PageRoute[] = [
  ...withHead<PageRoute>({
    method: 'GET',
    path: '/favicon.ico',
    policy: 'unguarded',
    answer: (context) => serveAsset(context, 'favicon.ico'),
  }),
  ...withHead<PageRoute>({
    method: 'GET',
    path: '/robots.txt',
    policy: 'unguarded',
    answer: ({ request }, { clients }) => ({
      type: 'text/plain; charset=utf-8',
      body: `${ROBOTS}\nSitemap: ${siteOf(request, clients).origin}/sitemap.xml\n`,
      headers: ['cache-control', `public, max-age=${DAY_S}`, 'x-content-type-options', 'nosniff'],
    }),
  }),
];

const TITLES: Readonly<Record<number, string>> = {
  400: 'This request cannot be read',
  401: 'Not signed in',
  403: 'Not permitted',
  404: 'No such page',
  429: 'Too many requests',
  503: 'Not available at the moment',
};

/** How a reader goes on after a refusal. */
const WAYS_ON: Readonly<Record<number, Html>> = {
  401: html`<div class="actions"><a class="button primary" href="/sign-in">Sign in</a></div>`,
  403: html`<p>Go on at <a href="/account">your account</a>, or ask its owner.</p>`,
  404: html`<p><a href="/find">Find it</a> by its id or name, or go on at <a href="/models">the models</a>.</p>`,
  503: html`<p>Nothing was changed, and what you have is kept. Load this page again in a moment; <a href="/models">the models</a>
are served meanwhile.</p>`,
};

/** A refusal of a page, as a page. It names the request, so that its reader can ask about it. */
const pageEnvelope: ErrorEnvelope = (error, request) => {
  const title = TITLES[error.status] ?? (error.status < 500 ? 'This request was refused' : 'Something went wrong');
  const content = html`<div class="panel">
<h1>${title}</h1>
<p role="alert">${error.message}</p>
${waitOf(error)}
${WAYS_ON[error.status]}
<p class="hint">Request <code>${request}</code></p>
</div>`;
  const list = pageHeaders();
  const headers: Record<string, string> = {};
  for (let at = 0; at < list.length; at += 2) headers[list[at] as string] = list[at + 1] as string;
  return {
    type: HTML_TYPE,
    headers,
    body: `<!doctype html>\n${layout({ title, person: null, width: 'narrow', content })}`,
  };
};

function waitOf({ headers }: GatewayError): Html | null {
  const seconds = headers['retry-after'];
  return seconds === undefined ? null : html`<p>Try again in ${seconds} s.</p>`;
}
