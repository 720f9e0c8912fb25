import { listSessions } from '../../../../actors/session/session.ts';
import type { SessionRecord } from '../../../../actors/session/session-record.ts';
import { endSession } from '../../api/sessions/session-routes.ts';
import type { Route } from '../../http/route.ts';
import type { RouteAnswer } from '../../http/route-answer.ts';
import { accountPage, section } from '../account/account-page.ts';
import { type Html, html } from '../html.ts';
import { redirectAnswer } from '../page-answer.ts';
import { type PrivateFormVisit, type PrivateVisit, privateForm, privatePage } from '../page-route.ts';
import type { PageSession } from '../page-session.ts';
import { buttonForm, table } from '../parts/elements.ts';
import { shortId, time } from '../parts/text.ts';
import { endedCookie } from '../session-cookie.ts';

const PATH = '/account/sessions';

/** The open sessions of the account, each of which its owner may end. */
export const sessionRoutes: readonly Route[] = [...privatePage(PATH, showSessions), privateForm(PATH, end)];

async function showSessions(visit: PrivateVisit): Promise<RouteAnswer> {
  const { edge, session } = visit;
  const { cluster } = edge.services;
  const open = await listSessions(cluster.rows, session.account, cluster.now());
  const list = table({
    caption: 'Browsers that are signed in to this account',
    columns: ['Browser', 'Opened by', 'Opened (UTC)', 'Ends (UTC)', ''],
    rows: open.map((record) => row(record, session)),
    empty: 'No browser is signed in.',
  });
  const content = html`${section('Browsers', list)}
<p class="hint">A session also ends with the key that opened it.</p>`;
  return accountPage(visit, { title: 'Sessions', place: PATH, content });
}

function row(
  { session: address, by, agent, createdAt, expiresAt }: SessionRecord,
  session: PageSession,
): readonly Html[] {
  const isOwn = address === session.session;
  const opener = by.kind === 'key' ? shortId(by.id) : html`a link of the operator`;
  return [
    html`${agent === '' ? 'unknown' : browserOf(agent)} ${isOwn && html`<span class="badge good">this one</span>`}`,
    ...[opener, time(createdAt), time(expiresAt)],
    buttonForm({
      ...{ action: PATH, token: session.token, label: 'End', kind: 'danger' },
      about: `the session opened ${new Date(createdAt).toISOString()}`,
      fields: { session: localOf(address) },
    }),
  ];
}

/** A session of another account is one that does not exist. */
async function end({ edge, site, session, form }: PrivateFormVisit): Promise<RouteAnswer> {
  const id = form.get('session') ?? '';
  await endSession(edge.services, session, id);
  if (id === localOf(session.session)) return redirectAnswer('/sign-in?out', site, { cookies: [endedCookie()] });
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
