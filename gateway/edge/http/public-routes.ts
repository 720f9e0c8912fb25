import { apiRoutes } from '../api/api-routes.ts';
import { pageRoutes } from '../pages/page-routes.ts';
import { PREFIX } from './http-router.ts';
import type { Route } from './route.ts';

/** Every route of the public port: the API below its prefix, and the pages for browsers beside it. */
export function publicRoutes(): readonly Route[] {
  const api = apiRoutes().map((route) => ({ ...route, path: `${PREFIX}${route.path}` }));
  return [...api, ...pageRoutes()];
}
