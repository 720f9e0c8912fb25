/** What a person sees of an approval: the request, the code, the end. */

import { type GrantRequest, withParameter } from '../../management/grant-request.ts';
import { type Html, html } from '../kit/html.ts';
import { layout } from '../kit/layout.ts';
import type { PageSession } from '../kit/page-session.ts';
import { facts } from '../kit/parts/elements.ts';
import { exactUsdText } from '../kit/parts/format.ts';
import { TOKEN_FIELD } from '../kit/same-origin.ts';

const frame = { width: 'narrow' } as const;

/** The question. `grant` is the natural id of the answer: a second press of the button is the same approval. */
export function approvalPage(request: GrantRequest, session: PageSession, grant: string): Html {
  const { host, origin, limit, mode } = request;
  const content = html`<h1>Give ${host} a key?</h1>
<p class="muted">An application asks for a key to your account. With it the application sends requests that you pay.</p>
<div class="panel">
${facts([
  ['Application', html`<strong>${origin}</strong>`],
  ['Your account', html`<code>${session.account}</code>`],
  ['It may spend', limit === null ? UNLIMITED : html`at most <strong>${exactUsdText(limit)} USD</strong> in all`],
  ['Delivery', DELIVERY[mode](origin)],
])}
<form method="post" action="/auth" data-once>
${hidden(request, session, grant)}
<div class="actions">
<button class="primary" type="submit" name="decision" value="approve">Approve</button>
<button type="submit" name="decision" value="decline">Decline</button>
</div>
</form>
</div>
<p class="hint">Approve only if you have just started this in the application yourself. You can limit or revoke the key
at any time: it is listed under <strong>${origin}</strong>.${mode === 'return' && STAYS}</p>`;
  return layout({ title: `A key for ${host}`, person: session, content, ...frame });
}

const UNLIMITED = html`<strong>without a limit</strong>: all the money of the account`;

/** Chromium stops a callback that redirects to another origin: the application has the answer, and the page stays. */
const STAYS = ' If this page stays after your answer, go back to the application: it has it.';

const DELIVERY: Readonly<Record<GrantRequest['mode'], (origin: string) => string>> = {
  return: (origin) => `Your browser returns to ${origin} with a one-time code`,
  local: () => 'This page shows a one-time code for the application on your machine',
  manual: () => 'This page shows a one-time code to copy into the application',
};

function hidden({ callback, challenge, limit, mode }: GrantRequest, { token }: PageSession, grant: string): Html {
  const fields: readonly (readonly [string, string | null])[] = [
    [TOKEN_FIELD, token],
    ['grant', grant],
    ['callback_url', callback],
    ['code_challenge', challenge],
    ['limit', limit],
    ['response_mode', mode === 'manual' ? 'manual' : null],
  ];
  return html`${fields.map(([name, value]) => value !== null && html`<input type="hidden" name="${name}" value="${value}">`)}`;
}

/** The code, to copy; for an application on the person's own machine also a link that delivers it. */
export function codePage({ callback, host, mode }: GrantRequest, session: PageSession, code: string): Html {
  const content = html`<h1>Approved</h1>
<div class="panel">
<p>Copy this code into the application at <strong>${host}</strong>. It works once, within ten minutes.</p>
<label for="code">One-time code</label>
<div class="copied"><input id="code" type="text" readonly value="${code}"><button type="button" data-copy="code" hidden>Copy</button></div>
${mode === 'local' && html`<div class="actions"><a class="button" href="${withParameter(callback, 'code', code)}">Open the application</a></div>`}
</div>
<p class="hint">You can close this page once the application has its key.</p>`;
  return layout({ title: 'Approved', person: session, content, ...frame });
}

export function declinedPage({ host }: GrantRequest, session: PageSession): Html {
  const content = html`<h1>Declined</h1>
<div class="panel">
<p>The application at <strong>${host}</strong> gets no key. You can close this page.</p>
</div>`;
  return layout({ title: 'Declined', person: session, content, ...frame });
}

/** A request that is refused. It leads nowhere: its callback cannot be trusted. */
export function refusedPage(problem: string): Html {
  const content = html`<h1>This request cannot be approved</h1>
<div class="panel">
<p role="alert">${problem}.</p>
<p>The application that sent you here has made a mistake, or is not what it seems. Nothing was approved.</p>
</div>`;
  return layout({ title: 'Refused', person: null, content, ...frame });
}
