import { endpointsOn } from '../../../actors/endpoint/endpoint.ts';
import { catalogueModels } from '../../catalogue/models.ts';
import type { RouteAnswer } from '../../http/write-answer.ts';
import { INDEX } from '../api-docs/api-docs.ts';
import type { Published } from '../api-docs/published.ts';
import { html } from '../kit/html.ts';
import { layout } from '../kit/layout.ts';
import { pageAnswer } from '../kit/page-answer.ts';
import { openPage, type PageRoute, type Visit } from '../kit/page-route.ts';
import { inputField } from '../kit/parts/fields.ts';
import { type Found, isMatch } from './found.ts';
import { findOwn } from './own.ts';
import { ACCOUNT_ACTIONS, ACCOUNT_PAGES, PUBLIC_PAGES } from './places.ts';

const TEXT_CHARACTERS_MAX = 200;
const MODELS_MAX = 6;
const FOUND_MAX = 16;

/**
 * `/find`: pages, actions, models and operations of the API by name, and what the account of the visitor has by id or
 * name. The palette of the pages shows the same answer.
 */
export function findRoutes(api: () => Published): readonly PageRoute[] {
  return openPage('/find', (visit) => showFound(visit, api()));
}

async function showFound(visit: Visit, api: Published): Promise<RouteAnswer> {
  const text = (new URLSearchParams(visit.context.query).get('q') ?? '').trim().slice(0, TEXT_CHARACTERS_MAX);
  const found = await find(visit, api, text);
  const links = found.map(
    ({ name, what, path }) =>
      html`<li><a href="${path}"><span>${name}</span><span class="muted">${what}</span></a></li>`,
  );
  const content = html`<div class="page-head"><h1>Find</h1></div>
<form class="filters" method="get" action="/find" role="search" aria-label="Everything" data-filter="#found">
${inputField({ name: 'q', title: LABEL }, text, html`type="search" maxlength="${TEXT_CHARACTERS_MAX}" autofocus`)}
<button type="submit">Find</button>
</form>
<div id="found" class="panel">
${links.length > 0 ? html`<ul class="offers">${links}</ul>` : html`<p class="empty muted">Nothing has this id or name.</p>`}
</div>`;
  return pageAnswer(layout({ title: 'Find', person: visit.session, content }), visit.site);
}

const LABEL = 'An id, a name, a model, a page or an action';

async function find(visit: Visit, api: Published, text: string): Promise<readonly Found[]> {
  const { session } = visit;
  const own = session === null ? [] : await findOwn({ ...visit, session }, text);
  const places = session === null ? PUBLIC_PAGES : [...ACCOUNT_PAGES, ...ACCOUNT_ACTIONS, ...PUBLIC_PAGES];
  const named = (all: readonly Found[]) => all.filter((one) => isMatch(one, text));
  const models = text === '' ? [] : named(modelsOf(visit)).slice(0, MODELS_MAX);
  const operations = text === '' ? [] : named(operationsOf(api));
  return [...own, ...named(places), ...models, ...operations].slice(0, FOUND_MAX);
}

function modelsOf({ services }: Visit): readonly Found[] {
  return catalogueModels(endpointsOn(services.cluster.board)).map(({ id, summary }) => ({
    name: String(summary.name),
    what: id,
    path: `/models/${id}`,
  }));
}

function operationsOf({ operations }: Published): readonly Found[] {
  return operations.map(({ operationId, summary, method, path }) => ({
    name: summary.replaceAll('`', ''),
    what: `${method.toUpperCase()} ${path}`,
    path: `${INDEX}/${operationId}`,
  }));
}
