/** What a list without rows says: what it will show, and a request to paste that makes its first row. */
import { endpointsOn } from '../../../actors/endpoint/endpoint.ts';
import { catalogueModels } from '../../catalogue/models.ts';
import { PREFIX } from '../../edge/route.ts';
import { copyable, curlText, firstModel } from '../catalogue/snippets.ts';
import { type Html, html } from '../kit/html.ts';
import type { PrivateVisit } from '../kit/page-route.ts';

interface FirstRequest {
  /** Of the API. */
  readonly path: string;
  readonly members?: Readonly<Record<string, unknown>>;
  /** Further options of curl. */
  readonly options?: readonly string[];
}

export function emptyList({ site }: PrivateVisit, words: Html, request: FirstRequest): Html {
  const access = { base: `${site.origin}${PREFIX}` };
  return html`<p>${words}</p>
${copyable(curlText({ access, ...request }), 'first-row')}`;
}

/** The body of a first chat. */
export function chatBody({ services }: PrivateVisit): Readonly<Record<string, unknown>> {
  const model = firstModel(endpointsOn(services.cluster.board))?.id ?? 'author/model';
  return { model, messages: [{ role: 'user', content: 'Hello' }] };
}

/** The id of a model that renders videos. */
export function videoModel({ services }: PrivateVisit): string {
  const renders = catalogueModels(endpointsOn(services.cluster.board)).find(({ endpoints }) =>
    endpoints.some(({ outputModalities }) => outputModalities.includes('video')),
  );
  return renders?.id ?? 'author/model';
}
