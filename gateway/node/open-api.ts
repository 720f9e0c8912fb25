import { generationId } from '../../actors/terms/ids.ts';
import type { EdgeRoutes } from '../edge/edge-routes.ts';
import type { RequestContext } from '../edge/request-context.ts';
import { serve } from '../edge/serve.ts';
import { HttpRouter } from '../http/http-router.ts';
import { Listener } from '../http/listener.ts';
import type { Arrival } from '../overload/arrivals.ts';
import { publicRoutes } from './public-routes.ts';

/** The public API of one node: the listener with every route and every page. */
export function openApi(edge: EdgeRoutes): Listener {
  const { limits, clock, random, measures } = edge.services;
  const { authentication, arrivals, overload, clients } = edge;
  const arrivalOf = (context: RequestContext): Arrival => {
    const account = authentication.accountOf(context);
    return {
      holder: account ?? clients.of(context.request),
      isRefused: account !== null && !overload.mayDispatch('live', account),
      begin: () => void serve(context, router, edge),
    };
  };
  const router = new HttpRouter(publicRoutes());
  return new Listener({
    limits,
    clock,
    generation: () => generationId(random, clock.now()),
    serve: (context) => arrivals.add(arrivalOf(context)),
    ended: ({ route, response, startedAt }) =>
      measures.requestEnded(route, response.statusCode, clock.monotonic() - startedAt),
    upgrades: ({ method = '', url = '' }) => router.find(method, url)?.route.upgrades === true,
  });
}
