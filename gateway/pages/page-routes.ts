import type { Route } from '../edge/route.ts';
import { type AccountParts, accountRoutes } from './account/account-routes.ts';
import { apiDocsRoutes } from './api-docs/api-docs.ts';
import { authRoutes } from './auth/auth-routes.ts';
import { cataloguePageRoutes } from './catalogue/catalogue-pages.ts';
import { EndpointHistories } from './catalogue/endpoint-histories.ts';
import { assetRoutes } from './kit/assets.ts';
import { pageEnvelope } from './kit/page-refusal.ts';
import type { PageNode, PageRoute } from './kit/page-route.ts';
import type { SignInParts } from './sign-in/opened.ts';
import { signInRoutes } from './sign-in/sign-in-routes.ts';
import { siteFileRoutes } from './site-files.ts';

export interface PageParts extends AccountParts {
  readonly node: PageNode & SignInParts;
  /** The OpenAPI document, which the pages of the API show. */
  readonly apiDocument: () => object;
}

/** Every page for browsers, with what its forms send and the files it loads. Refusals are pages too. */
export function pageRoutes({ node, apiDocument, ...account }: PageParts): readonly Route[] {
  const routes: readonly PageRoute[] = [
    ...cataloguePageRoutes(new EndpointHistories(node.services.cluster)),
    ...assetRoutes,
    ...siteFileRoutes,
    ...apiDocsRoutes(apiDocument),
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
