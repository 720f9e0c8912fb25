import { endpointsOn } from '../../../actors/endpoint/endpoint.ts';
import { paramOf } from '../../edge/request-context.ts';
import { PREFIX } from '../../edge/route.ts';
import type { RouteAnswer } from '../../http/write-answer.ts';
import { firstModel } from '../catalogue/snippets.ts';
import { assetPath } from '../kit/assets.ts';
import { type Html, html } from '../kit/html.ts';
import { layout } from '../kit/layout.ts';
import { pageAnswer, redirectAnswer } from '../kit/page-answer.ts';
import { openPage, type PageRoute, type Visit } from '../kit/page-route.ts';
import { operationContent } from './operation-page.ts';
import { type Published, publishedApi } from './published.ts';
import { startContent } from './start-content.ts';

const INDEX = `${PREFIX}/docs`;

/**
 * `GET /api/v1/docs`: how to start, and every operation of the OpenAPI document on a page of its own. An
 * unknown operation leads to the list.
 */
export function apiDocsRoutes(document: () => object): readonly PageRoute[] {
  let published: Published | null = null;
  // Made once: the document does not change while a node runs.
  const api = (): Published => {
    published ??= publishedApi(document());
    return published;
  };
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
  const head = html`<link rel="stylesheet" href="${assetPath('api-docs.css')}">`;
  return pageAnswer(layout({ title, current: INDEX, person: session, head, content }), site);
}
