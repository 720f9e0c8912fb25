import { generationId } from '../../../actors/terms/ids.ts';
import { apiRoutes } from '../api/api-routes.ts';
import type { EdgeRoutes } from './edge-routes.ts';
import { HttpRouter, PREFIX } from './http-router.ts';
import { Listener } from './listener.ts';
import { serve } from './serve.ts';

/** The public API of one node: the listener with every route. */
export function openApi(edge: EdgeRoutes): Listener {
  const { limits, clock, random } = edge.services;
  const router = new HttpRouter(apiRoutes(), PREFIX);
  return new Listener({
    limits,
    clock,
    generation: () => generationId(random, clock.now()),
    serve: (context) => void serve(context, router, edge),
    upgrades: ({ method = '', url = '' }) => router.find(method, url)?.route.upgrades === true,
  });
}
