import { AskError } from '../../../../actors/runtime/index.ts';
import { closeSession, listSessions } from '../../../../actors/session/session.ts';
import type { SessionRecord } from '../../../../actors/session/session-record.ts';
import { notFound } from '../../../terms/not-found.ts';
import type { Route } from '../../http/route.ts';
import type { RouteAnswer } from '../../http/route-answer.ts';
import { type Html, html } from '../html.ts';
import { layout } from '../layout.ts';
import { pageAnswer, redirectAnswer } from '../page-answer.ts';
import { type PrivateFormVisit, type PrivateVisit, privateForm, privatePage } from '../page-route.ts';
import type { PageSession } from '../page-session.ts';
import { TOKEN_FIELD } from '../same-origin.ts';
import { endedCookie } from '../session-cookie.ts';

const PATH = '/account/sessions';
const SESSION_ID = /^ses_[0-9a-f]{32}$/;

/** The open sessions of the account, each of which its owner may end. */
export const sessionRoutes: readonly Route[] = [...privatePage(PATH, showSessions), privateForm(PATH, endSession)];

async function showSessions({ edge, site, session }: PrivateVisit): Promise<RouteAnswer> {
  const { cluster } = edge.services;
  const open = await listSessions(cluster.rows, session.account, cluster.now());
  const content = html`<h1>Sessions</h1>
<p class="lead">Browsers that are signed in to this account. A session also ends with the key that opened it.</p>
<div class="card"><table class="stack">
<thead><tr><th>Browser</th><th>Opened by</th><th>Opened</th><th>Ends</th><th><span class="unseen">Action</span></th></tr></thead>
<tbody>${open.map((record) => row(record, session))}</tbody>
</table></div>`;
  return pageAnswer(layout({ title: 'Sessions', current: PATH, person: session, content }), site);
}

function row({ session: address, by, agent, createdAt, expiresAt }: SessionRecord, session: PageSession): Html {
  const isOwn = address === session.session;
  const opener = by.kind === 'key' ? html`<code>${localOf(by.id)}</code>` : html`a link of the operator`;
  return html`<tr>
<td data-label="Browser"><span>${agent === '' ? 'unknown' : browserOf(agent)} ${isOwn && html`<span class="badge good">this one</span>`}</span></td>
<td data-label="Opened by">${opener}</td>
<td data-label="Opened">${timeOf(createdAt)}</td>
<td data-label="Ends">${timeOf(expiresAt)}</td>
<td class="number"><form method="post" action="${PATH}" data-once>
<input type="hidden" name="${TOKEN_FIELD}" value="${session.token}"><input type="hidden" name="session" value="${localOf(address)}">
<button class="danger small" type="submit">End<span class="unseen"> the session opened ${timeText(createdAt)}</span></button>
</form></td></tr>`;
}

/** A session of another account is one that does not exist. */
async function endSession({ edge, site, session, form }: PrivateFormVisit): Promise<RouteAnswer> {
  const id = form.get('session') ?? '';
  const { cluster, askMs } = edge.services;
  const address = `session:${session.account}/${id}`;
  if (!SESSION_ID.test(id)) throw notFound('No such session');
  await closeSession(cluster, address, session.by, askMs).catch((thrown: unknown) => {
    throw thrown instanceof AskError && thrown.failure.code === 'absent' ? notFound('No such session') : thrown;
  });
  if (address === session.session) return redirectAnswer('/sign-in?out', site, { cookies: [endedCookie()] });
  return redirectAnswer(PATH, site);
}

const BROWSERS = ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari', 'curl'] as const;
const NAMES: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera' };
const SYSTEMS = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS X', 'Linux'] as const;

/** What a person recognises of a browser's description of itself; the description where nothing of it is known. */
export function browserOf(agent: string): string {
  const browser = BROWSERS.find((name) => agent.includes(`${name}/`));
  const system = SYSTEMS.find((name) => agent.includes(name));
  if (browser === undefined) return agent.slice(0, 60);
  const name = NAMES[browser] ?? browser;
  return system === undefined ? name : `${name} on ${system === 'Mac OS X' ? 'macOS' : system}`;
}

function localOf(address: string): string {
  return address.slice(address.indexOf('/') + 1);
}

/** A time in UTC to the minute. */
function timeText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function timeOf(at: number): Html {
  return html`<time datetime="${new Date(at).toISOString()}">${timeText(at)}</time>`;
}
