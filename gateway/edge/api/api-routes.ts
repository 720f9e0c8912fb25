import type { Route } from '../http/route.ts';
import { jsonAnswer } from '../http/route-answer.ts';
import { creditsRoute } from './credits.ts';
import { generationRoute } from './generation.ts';
import { keyRoute } from './key.ts';
import { modelRoutes } from './models.ts';
import { openApiRoute } from './openapi.ts';
import { turnRoutes } from './turn-routes.ts';

/** Every route of the public API, below its prefix. The published OpenAPI document lists the same routes. */
export function apiRoutes(): readonly Route[] {
  const routes: Route[] = [
    aliveAt(''),
    aliveAt('/'),
    ...turnRoutes,
    creditsRoute,
    generationRoute,
    keyRoute,
    ...modelRoutes,
  ];
  routes.push(openApiRoute(routes));
  return routes;
}

const ALIVE = JSON.stringify({ name: 'troupe', status: 'ok' });

/** A liveness read: ignores credentials, and answers while the node is not ready. */
function aliveAt(path: string): Route {
  return { method: 'GET', path, policy: 'unguarded', body: 'none', answer: () => jsonAnswer(ALIVE) };
}
