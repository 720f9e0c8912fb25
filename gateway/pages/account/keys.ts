import { endpointsOn } from '../../../actors/endpoint/endpoint.ts';
import type { KeyView } from '../../../actors/key/statement.ts';
import { paramOf } from '../../edge/request-context.ts';
import { PREFIX } from '../../edge/route.ts';
import type { RouteAnswer } from '../../http/write-answer.ts';
import { changeKeyOf, findKey, makeKey, revokeKey } from '../../management/keys.ts';
import { firstModel, snippets } from '../catalogue/snippets.ts';
import { type Html, html } from '../kit/html.ts';
import { listSection, openList } from '../kit/list/list-view.ts';
import { redirectAnswer } from '../kit/page-answer.ts';
import {
  type PageRoute,
  type PrivateFormVisit,
  type PrivateVisit,
  privateForm,
  privatePage,
} from '../kit/page-route.ts';
import { badge, buttonForm, facts, section } from '../kit/parts/elements.ts';
import { idText, time, usd } from '../kit/parts/text.ts';
import { accountPage } from './account-page.ts';
import {
  type EntryProblems,
  entriesOf,
  type KeyEntries,
  keyForm,
  keyMembers,
  NO_ENTRIES,
  problemsOf,
} from './key-form.ts';
import { KEYS_PATH, keyList, keyTable, MAY } from './key-list.ts';
import { localOf, type Names, namesOf } from './names.ts';

/** `/account/keys`: create a key, limit it, revoke it. */
export const keyPageRoutes: readonly PageRoute[] = [
  ...privatePage(KEYS_PATH, (visit) => showList(visit)),
  privateForm(KEYS_PATH, create),
  ...privatePage(`${KEYS_PATH}/:id`, (visit) => showOne(visit)),
  privateForm(`${KEYS_PATH}/:id`, edit),
  privateForm(`${KEYS_PATH}/:id/disable`, (visit) => setDisabled(visit, true)),
  privateForm(`${KEYS_PATH}/:id/enable`, (visit) => setDisabled(visit, false)),
  privateForm(`${KEYS_PATH}/:id/revoke`, revoke),
];

interface Entered {
  readonly entries: KeyEntries;
  readonly problems: EntryProblems;
}

const NOTHING_ENTERED: Entered = { entries: NO_ENTRIES, problems: {} };

async function showList(visit: PrivateVisit, { entries, problems }: Entered = NOTHING_ENTERED): Promise<RouteAnswer> {
  const { token } = visit.session;
  const isRefused = Object.keys(problems).length > 0;
  const form = keyForm({ action: KEYS_PATH, token, label: 'Create key', entries, problems });
  const opened = await openList(visit, keyList(visit));
  const content = html`${section('New key', form)}
${listSection('Keys', opened, await keyTable(visit, opened.page.items))}`;
  return accountPage(visit, { title: 'Keys', place: KEYS_PATH, content, status: isRefused ? 400 : 200 });
}

/** The text of the new key is on this page and nowhere else, so the form is answered by the page itself. */
async function create(visit: PrivateFormVisit): Promise<RouteAnswer> {
  const { services, session, form } = visit;
  const entries = entriesOf(form);
  // The form has no kind: one that is sent all the same is refused as any other.
  const input = { ...keyMembers(entries), kind: form.get('kind') ?? null };
  const made = await makeKey(services, session, input).catch(problemsOf);
  if (!('view' in made)) return showList(visit, { entries, problems: made });
  const { view, text } = made;
  const content = html`<div class="notice good" role="status">The key <strong>${view.name}</strong> is ready. Save it now: it is not stored and cannot be shown again.</div>
<section class="panel"><label for="text">Key</label>
<div class="copied"><input id="text" readonly value="${text}" spellcheck="false" autofocus><button type="button" data-copy="text" hidden>Copy</button></div>
<div class="actions"><a class="button primary" href="${KEYS_PATH}">I saved it</a><a class="button" href="${KEYS_PATH}/${localOf(view.key)}">Open the key</a></div></section>
${section('First request', firstRequest(visit, text))}`;
  return accountPage(visit, { title: 'New key', place: KEYS_PATH, content });
}

/** A request to paste, with the new key in it. */
function firstRequest({ services, site }: PrivateVisit, key: string): Html {
  const base = `${site.origin}${PREFIX}`;
  const model = firstModel(endpointsOn(services.cluster.board));
  if (model === null) return html`<p>The catalogue is empty: ask your operator for a provider.</p>`;
  return html`<p class="hint">This key is in it, so keep it to yourself. <a href="/models">Every model</a> works the same way.</p>
${snippets(model, { base, key })}`;
}

async function showOne(visit: PrivateVisit, entered: Entered | null = null): Promise<RouteAnswer> {
  const key = await keyOf(visit);
  const names = await namesOf(visit, [key.createdBy?.id]);
  const { token } = visit.session;
  const action = `${KEYS_PATH}/${localOf(key.key)}`;
  const { entries, problems } = entered ?? { entries: entriesFrom(key), problems: {} };
  const isAlive = key.status !== 'revoked';
  const form = keyForm({ action, token, label: 'Save', entries, problems });
  const content = html`${section('Spend', spend(key), links(key))}
${isAlive && section('Change', form)}
${section('Key', identity(key, names))}
${isAlive && section('End it', endings(key, action, token))}`;
  return accountPage(visit, {
    title: key.name === '' ? key.label : key.name,
    place: KEYS_PATH,
    what: idText(localOf(key.key)),
    content,
    action: badge(key.status),
    status: Object.keys(problems).length > 0 ? 400 : 200,
  });
}

function spend(key: KeyView): Html {
  return facts([
    ['Today', usd(key.usageDaily)],
    ['This week', usd(key.usageWeekly)],
    ['This month', usd(key.usageMonthly)],
    ['In all', usd(key.usage)],
    ['Held', usd(key.held)],
    ['Left of the limit', key.limitRemaining !== null && usd(key.limitRemaining)],
    ['Limit resets (UTC)', key.limitResetAt !== null && time(key.limitResetAt)],
  ]);
}

function links({ key }: KeyView): Html {
  const id = localOf(key);
  return html`<span><a href="/account/generations?key=${id}">Requests</a> · <a href="/account/credits?key=${id}">Charges</a></span>`;
}

function identity(key: KeyView, names: Names): Html {
  return facts([
    ['Key', html`<code>${key.label}</code>`],
    ['Hash', html`<code>${key.handle}</code>`],
    ['May', MAY[key.kind]],
    ['Workspace', key.workspace ?? 'the default one'],
    ['Member', key.member],
    ['Approved for', key.origin],
    ['Created (UTC)', time(key.createdAt)],
    ['Created by', key.createdBy !== null && names.principal(key.createdBy)],
    ['Changed (UTC)', key.updatedAt !== null && time(key.updatedAt)],
  ]);
}

function endings({ status }: KeyView, action: string, token: string): Html {
  const isOff = status === 'disabled';
  const onOff = isOff
    ? { action: `${action}/enable`, label: 'Enable' }
    : { action: `${action}/disable`, label: 'Disable' };
  return html`<p>${isOff ? 'Requests with this key are refused until it is enabled.' : 'A disabled key refuses requests until it is enabled.'} A revoked key never works again.</p>
<div class="actions">${buttonForm({ ...onOff, token })}${buttonForm({ action: `${action}/revoke`, token, label: 'Revoke for good', isDangerous: true })}</div>`;
}

function entriesFrom({ name, limit, limitWindow, expiresAt }: KeyView): KeyEntries {
  const expires = expiresAt === null ? '' : new Date(expiresAt).toISOString().slice(0, 10);
  return { name, limit: limit ?? '', window: limit === null ? '' : (limitWindow ?? ''), expires };
}

async function edit(visit: PrivateFormVisit): Promise<RouteAnswer> {
  const { services, session, site, form } = visit;
  const key = await keyOf(visit);
  const entries = entriesOf(form);
  const { limit_reset, expires_at, ...members } = keyMembers(entries);
  const input = {
    ...members,
    // The form shows no window without a limit, so it does not remove one.
    ...(members.limit === null ? {} : { limit_reset }),
    // The day of an expiry is kept where the person left it alone: the key may expire within that day.
    ...(entries.expires === entriesFrom(key).expires ? {} : { expires_at }),
  };
  const changed = await changeKeyOf(services, session, { name: nameOf(visit), input }).catch(problemsOf);
  if (!('key' in changed)) return showOne(visit, { entries, problems: changed });
  return redirectAnswer(`${KEYS_PATH}/${localOf(key.key)}`, site);
}

async function setDisabled(visit: PrivateFormVisit, disabled: boolean): Promise<RouteAnswer> {
  const { services, session, site } = visit;
  const { key } = await changeKeyOf(services, session, { name: nameOf(visit), input: { disabled } });
  return redirectAnswer(`${KEYS_PATH}/${localOf(key)}`, site);
}

async function revoke(visit: PrivateFormVisit): Promise<RouteAnswer> {
  const { services, session, site } = visit;
  const { key } = await revokeKey(services, session, nameOf(visit));
  return redirectAnswer(`${KEYS_PATH}/${localOf(key)}`, site);
}

function keyOf(visit: PrivateVisit): Promise<KeyView> {
  return findKey(visit.services, visit.session, nameOf(visit));
}

function nameOf({ context }: PrivateVisit): { readonly id: string } {
  return { id: paramOf(context, 'id') };
}
