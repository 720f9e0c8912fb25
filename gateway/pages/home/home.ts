import { endpointsOn } from '../../../actors/endpoint/endpoint.ts';
import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import { PREFIX } from '../../edge/route.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/write-answer.ts';
import { firstModel } from '../catalogue/snippets.ts';
import { layout } from '../kit/layout.ts';
import { pageAnswer } from '../kit/page-answer.ts';
import { openPage, type PageRoute, type Visit } from '../kit/page-route.ts';
import { homeContent, type ServiceStatus } from './home-content.ts';

/** `GET /`: what this is, as a page for browsers and as JSON for every other client. */
export const homeRoutes: readonly PageRoute[] = openPage('/', (visit) =>
  visit.context.request.headers.accept?.includes('text/html') ? showHome(visit) : jsonAnswer(addressesOf(visit)),
);

const DESCRIPTION =
  'Models of many providers behind one API: one key, one price list, and the next endpoint when one fails.';

function showHome({ site, session, services }: Visit): RouteAnswer {
  const topic = endpointsOn(services.cluster.board);
  const content = homeContent({
    status: statusOf([...topic.values()] as unknown as readonly Endpoint[]),
    model: firstModel(topic),
    base: `${site.origin}${PREFIX}`,
    isSignedIn: session !== null,
  });
  const listing = { address: `${site.origin}/`, description: DESCRIPTION };
  return pageAnswer(layout({ title: 'One API for many models', person: session, listing, content }), site);
}

function statusOf(endpoints: readonly Endpoint[]): ServiceStatus {
  return {
    models: new Set(endpoints.map(({ model }) => model)).size,
    providers: new Set(endpoints.map(({ provider }) => provider.slug)).size,
    endpoints: endpoints.length,
    down: endpoints.filter(({ health, paused }) => health === 'down' || paused !== undefined).length,
  };
}

/** Where a program finds what it needs. */
function addressesOf({ site: { origin } }: Visit): string {
  const api = `${origin}${PREFIX}`;
  return JSON.stringify({
    name: 'troupe',
    api,
    models: `${api}/models`,
    openapi: `${api}/openapi.json`,
    docs: `${api}/docs`,
    status: `${api}/ready`,
  });
}
