import type { Route } from '../http/route.ts';
import { assetRoutes } from './assets.ts';
import { pageEnvelope } from './page-refusal.ts';

/** Every page for browsers, with what its forms send and the files it loads. Refusals are pages too. */
export function pageRoutes(): readonly Route[] {
  const routes: readonly Route[] = [...assetRoutes];
  return routes.map((route) => ({ errorEnvelope: pageEnvelope, ...route }));
}
