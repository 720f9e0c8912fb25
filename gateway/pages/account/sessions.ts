import type { SessionRecord } from '../../../actors/session/session-record.ts';
import { endedCookie } from '../../edge/auth/session-cookie.ts';
import type { RouteAnswer } from '../../http/write-answer.ts';
import { endSession, openSessions } from '../../management/sessions.ts';
import { accountPage } from '../account/account-page.ts';
import { localOf, type Names, namesOf } from '../account/names.ts';
import { type Html, html } from '../kit/html.ts';
import { redirectAnswer } from '../kit/page-answer.ts';
import {
  type PageRoute,
  type PrivateFormVisit,
  type PrivateVisit,
  privateForm,
  privatePage,
} from '../kit/page-route.ts';
import type { PageSession } from '../kit/page-session.ts';
import { buttonForm, section, table } from '../kit/parts/elements.ts';
import { browserText, time } from '../kit/parts/text.ts';

const PATH = '/account/sessions';

/** The open sessions of the account, each of which its owner may end. */
export const sessionRoutes: readonly PageRoute[] = [...privatePage(PATH, showSessions), privateForm(PATH, end)];

async function showSessions(visit: PrivateVisit): Promise<RouteAnswer> {
  const { services, session } = visit;
  const open = await openSessions(services, session);
  const names = await namesOf(
    visit,
    open.map(({ by }) => by.id),
  );
  const list = table({
    caption: 'Browsers that are signed in to this account',
    columns: ['Browser', 'Opened by', 'Opened (UTC)', 'Ends (UTC)', ''],
    rows: open.map((record) => row(record, session, names)),
    empty: 'No browser is signed in.',
  });
  const content = html`${section('Browsers', list)}
<p class="hint">A session also ends with the key that opened it.</p>`;
  return accountPage(visit, { title: 'Sessions', place: PATH, content });
}

function row(
  { session: address, by, agent, createdAt, expiresAt }: SessionRecord,
  session: PageSession,
  names: Names,
): readonly Html[] {
  const isOwn = address === session.session;
  const opener = by.kind === 'key' ? names.key(by.id) : html`a link of the operator`;
  return [
    html`${browserText(agent)} ${isOwn && html`<span class="badge good">this one</span>`}`,
    opener,
    time(createdAt),
    time(expiresAt),
    buttonForm({
      action: PATH,
      token: session.token,
      label: 'End',
      isDangerous: true,
      about: `the session opened ${new Date(createdAt).toISOString()}`,
      fields: { session: localOf(address) },
    }),
  ];
}

/** A session of another account is one that does not exist. */
async function end({ services, site, session, form }: PrivateFormVisit): Promise<RouteAnswer> {
  const id = form.get('session') ?? '';
  await endSession(services, session, id);
  if (id === localOf(session.session)) return redirectAnswer('/sign-in?out', site, { cookies: [endedCookie()] });
  return redirectAnswer(PATH, site);
}
