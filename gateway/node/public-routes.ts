import { apiRoutes } from '../api/api-routes.ts';
import type { Route } from '../edge/route.ts';
import { PREFIX } from '../http/http-router.ts';
import { pageRoutes } from '../pages/page-routes.ts';

/** Every route of the public port: the API below its prefix, and the pages for browsers beside it. */
export function publicRoutes(): readonly Route[] {
  const api = apiRoutes().map((route) => ({ ...route, path: `${PREFIX}${route.path}` }));
  return [...api, ...pageRoutes()];
}
