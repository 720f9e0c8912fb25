import type { Route } from '../edge/route.ts';
import { accountRoutes } from './account/account-routes.ts';
import { sessionRoutes } from './account/sessions.ts';
import { apiDocsRoutes } from './api-docs/api-docs.ts';
import { authRoutes } from './auth/auth-routes.ts';
import { cataloguePageRoutes } from './catalogue/catalogue-pages.ts';
import { assetRoutes } from './kit/assets.ts';
import { pageEnvelope } from './kit/page-refusal.ts';
import { signInRoutes } from './sign-in/sign-in-routes.ts';
import { siteFileRoutes } from './site-files.ts';

/** Every page for browsers, with what its forms send and the files it loads. Refusals are pages too. */
export function pageRoutes(): readonly Route[] {
  const routes: readonly Route[] = [
    ...cataloguePageRoutes,
    ...assetRoutes,
    ...siteFileRoutes,
    ...apiDocsRoutes,
    ...signInRoutes,
    ...sessionRoutes,
    ...authRoutes,
    ...accountRoutes,
  ];
  return routes.map((route) => ({ errorEnvelope: pageEnvelope, ...route }));
}
