/** The first page of the site: what the service is, whether it serves, and how to begin. */

import type { CatalogueModel } from '../../catalogue/models.ts';
import { PREFIX } from '../../edge/route.ts';
import { snippets } from '../catalogue/snippets.ts';
import { type Html, html } from '../kit/html.ts';
import { badge, figures, section } from '../kit/parts/elements.ts';
import { countText } from '../kit/parts/format.ts';

export interface ServiceStatus {
  readonly models: number;
  readonly providers: number;
  readonly endpoints: number;
  /** Endpoints that answer no requests now: down, or paused by an operator. */
  readonly down: number;
}

interface HomePage {
  readonly status: ServiceStatus;
  /** The model of the first request; null: the catalogue is empty. */
  readonly model: CatalogueModel | null;
  /** Address of the API. */
  readonly base: string;
  readonly isSignedIn: boolean;
}

export function homeContent({ status, model, base, isSignedIn }: HomePage): Html {
  return html`<section class="front">
<h1>One API for the models of many providers</h1>
<p>Send requests in the format that you use already: OpenAI chat or responses, or Anthropic messages. Each model has
endpoints at several providers; when one fails, the next one answers. You pay for exactly what was delivered.</p>
<p class="actions"><a class="button primary" href="/models">Browse the models</a>
<a class="button" href="${PREFIX}/docs">Read the docs</a>
${isSignedIn ? html`<a class="button" href="/account">Your account</a>` : html`<a class="button" href="/sign-in">Sign in</a>`}</p>
</section>
<div class="flow">
${figures([
  ['Models', html`<a href="/models">${countText(status.models)}</a>`],
  ['Providers', countText(status.providers)],
  ['Endpoints that serve', `${countText(status.endpoints - status.down)} of ${countText(status.endpoints)}`],
])}
${section('First request', model === null ? html`<p>The catalogue is empty: ask your operator for a provider.</p>` : snippets(model, { base }))}
${section('Status', statusText(status), statusBadge(status))}
</div>`;
}

function statusBadge({ endpoints, down }: ServiceStatus): Html {
  if (endpoints === 0 || down === endpoints) return badge('failed', 'not serving');
  return down === 0 ? badge('active', 'serving') : badge('waiting', 'serving in part');
}

function statusText({ endpoints, down }: ServiceStatus): Html {
  const words =
    down === 0 && endpoints > 0
      ? 'Every endpoint serves.'
      : `${countText(down)} of ${countText(endpoints)} endpoints do not answer now; requests go to the others of their model.`;
  return html`<p>${words} The page of each <a href="/models">model</a> shows latency, speed and uptime of its endpoints, measured
by this service. Programs read <a href="${PREFIX}/ready">${PREFIX}/ready</a>.</p>`;
}
