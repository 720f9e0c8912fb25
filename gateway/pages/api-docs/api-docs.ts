import { endpointsOn } from '../../../actors/endpoint/endpoint.ts';
import { paramOf } from '../../edge/request-context.ts';
import { PREFIX } from '../../edge/route.ts';
import type { RouteAnswer } from '../../http/write-answer.ts';
import { firstModel } from '../catalogue/snippets.ts';
import type { Html } from '../kit/html.ts';
import { layout } from '../kit/layout.ts';
import { pageAnswer, redirectAnswer } from '../kit/page-answer.ts';
import { openPage, type PageRoute, type Visit } from '../kit/page-route.ts';
import { operationContent } from './operation-page.ts';
import type { Published } from './published.ts';
import { startContent } from './start-content.ts';

export const INDEX = `${PREFIX}/docs`;

/**
 * `GET /api/v1/docs`: how to start, and every operation of the OpenAPI document on a page of its own. An
 * unknown operation leads to the list.
 */
export function apiDocsRoutes(api: () => Published): readonly PageRoute[] {
  return [
    ...openPage(INDEX, (visit) => showStart(visit, api())),
    ...openPage(`${INDEX}/:operation`, (visit) => showOperation(visit, api())),
  ];
}

function showStart(visit: Visit, api: Published): RouteAnswer {
  const model = firstModel(endpointsOn(visit.services.cluster.board));
  const document = `${PREFIX}/openapi.json`;
  return page(visit, 'API', startContent({ api, access: accessOf(visit), model, index: INDEX, document }));
}

function showOperation(visit: Visit, api: Published): RouteAnswer {
  const id = paramOf(visit.context, 'operation');
  const operation = api.operations.find(({ operationId }) => operationId === id);
  if (operation === undefined) return redirectAnswer(INDEX, visit.site);
  const model = firstModel(endpointsOn(visit.services.cluster.board))?.id ?? 'author/model';
  const content = operationContent({ operation, api, index: INDEX, access: accessOf(visit), model });
  return page(visit, operation.summary, content);
}

function accessOf({ site }: Visit): { readonly base: string } {
  return { base: `${site.origin}${PREFIX}` };
}

function page({ site, session }: Visit, title: string, content: Html): RouteAnswer {
  return pageAnswer(layout({ title, current: INDEX, person: session, content }), site);
}
