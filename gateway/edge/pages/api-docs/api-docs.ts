import { PREFIX } from '../../http/http-router.ts';
import type { Route } from '../../http/route.ts';
import { assetPath } from '../assets.ts';
import { html } from '../html.ts';
import { layout } from '../layout.ts';
import { pageAnswer } from '../page-answer.ts';
import { openPage } from '../page-route.ts';

export const API_DOCS_PATH = `${PREFIX}/docs`;

/**
 * `GET /api/v1/docs`: the OpenAPI document in a browser. The viewer's files are served by this site and call nobody else;
 * a key that a reader enters stays in the page. (issue 21)
 */
export const apiDocsRoutes: readonly Route[] = openPage(API_DOCS_PATH, ({ site, session }) => {
  const head = html`<link rel="stylesheet" href="${assetPath('swagger-ui.css')}">
<link rel="stylesheet" href="${assetPath('api-docs.css')}">
<script src="${assetPath('swagger-ui-bundle.js')}" defer></script>
<script src="${assetPath('api-docs.js')}" defer></script>`;
  const content = html`<div id="api" data-document="${PREFIX}/openapi.json">
<noscript><p class="card">This page needs JavaScript. The same is in <a href="${PREFIX}/openapi.json">openapi.json</a>.</p></noscript>
</div>`;
  return pageAnswer(layout({ title: 'API', current: API_DOCS_PATH, person: session, head, content }), site);
});
