import type { ErrorEnvelope } from '../../dialects/reply/error-envelope.ts';
import type { GatewayError } from '../../terms/gateway-error.ts';
import { html } from './html.ts';
import { layout } from './layout.ts';
import { HTML_TYPE, pageHeaders } from './page-answer.ts';

const TITLES: Readonly<Record<number, string>> = {
  400: 'This request cannot be read',
  401: 'Not signed in',
  403: 'Not permitted',
  404: 'No such page',
  429: 'Too many requests',
  503: 'Not available at the moment',
};

/** A refusal of a page, as a page. It names the request, so that its reader can ask about it. */
export const pageEnvelope: ErrorEnvelope = (error, request) => {
  const title = TITLES[error.status] ?? (error.status < 500 ? 'This request was refused' : 'Something went wrong');
  const content = html`<div class="card">
<h1>${title}</h1>
<p role="alert">${error.message}</p>
${waitOf(error)}
<p class="hint">Request <code>${request}</code></p>
</div>`;
  const list = pageHeaders();
  const headers: Record<string, string> = {};
  for (let at = 0; at < list.length; at += 2) headers[list[at] as string] = list[at + 1] as string;
  return {
    type: HTML_TYPE,
    headers,
    body: `<!doctype html>\n${layout({ title, person: null, width: 'narrow', content })}`,
  };
};

function waitOf({ headers }: GatewayError): ReturnType<typeof html> | null {
  const seconds = headers['retry-after'];
  return seconds === undefined ? null : html`<p>Try again in ${seconds} s.</p>`;
}
