import { endpointsOn } from '../../../actors/endpoint/endpoint.ts';
import { changeKey, createKey, editKey, showKey } from '../../../actors/key/key.ts';
import type { KeyView } from '../../../actors/key/statement.ts';
import { AskError } from '../../../actors/runtime/index.ts';
import { keyAddress, keyDigest, keyHandle, keyId, keyText, maskKey } from '../../../actors/terms/ids.ts';
import { paramOf } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { PREFIX } from '../../http/http-router.ts';
import type { RouteAnswer } from '../../http/route-answer.ts';
import { notFound } from '../../terms/not-found.ts';
import { firstModel, snippets } from '../catalogue/snippets.ts';
import { type Html, html } from '../kit/html.ts';
import { listSection, openList } from '../kit/list/list-view.ts';
import { redirectAnswer } from '../kit/page-answer.ts';
import { type PrivateFormVisit, type PrivateVisit, privateForm, privatePage } from '../kit/page-route.ts';
import { badge, buttonForm, facts, section } from '../kit/parts/elements.ts';
import { time, usd } from '../kit/parts/text.ts';
import { accountPage } from './account-page.ts';
import { type EntryProblems, entriesOf, type KeyEntries, keyForm, NO_ENTRIES, readEntries } from './key-form.ts';
import { KEY_ID, KEYS_PATH, keyList, keyTable, MAY } from './key-list.ts';
import { localOf, type Names, namesOf } from './names.ts';

/** `/account/keys`: create a key, limit it, revoke it. */
export const keyPageRoutes: readonly Route[] = [
  ...privatePage(KEYS_PATH, (visit) => showList(visit)),
  privateForm(KEYS_PATH, create),
  ...privatePage(`${KEYS_PATH}/:id`, (visit) => showOne(visit)),
  privateForm(`${KEYS_PATH}/:id`, edit),
  privateForm(`${KEYS_PATH}/:id/disable`, (visit) => change(visit, 'disable')),
  privateForm(`${KEYS_PATH}/:id/enable`, (visit) => change(visit, 'enable')),
  privateForm(`${KEYS_PATH}/:id/revoke`, (visit) => change(visit, 'revoke')),
];

interface Entered {
  readonly entries: KeyEntries;
  readonly problems: EntryProblems;
}

const NOTHING_ENTERED: Entered = { entries: NO_ENTRIES, problems: {} };

async function showList(visit: PrivateVisit, { entries, problems }: Entered = NOTHING_ENTERED): Promise<RouteAnswer> {
  const { token } = visit.session;
  const isRefused = Object.keys(problems).length > 0;
  const form = keyForm({ action: KEYS_PATH, token, label: 'Create key', entries, problems, hasKind: true });
  const opened = await openList(visit, keyList(visit));
  const content = html`${section('New key', form)}
${listSection('Keys', opened, await keyTable(visit, opened.page.items))}`;
  return accountPage(visit, { title: 'Keys', place: KEYS_PATH, content, status: isRefused ? 400 : 200 });
}

/** The text of the new key is on this page and nowhere else, so the form is answered by the page itself. */
async function create(visit: PrivateFormVisit): Promise<RouteAnswer> {
  const { edge, session, form } = visit;
  const { cluster, random, pepper, askMs } = edge.services;
  const entries = entriesOf(form);
  const read = readEntries(entries, cluster.now());
  if ('problems' in read) return showList(visit, { entries, problems: read.problems });
  const address = keyAddress(session.account, keyId(random));
  const text = keyText(random);
  const made = { digest: keyDigest(pepper, text), handle: keyHandle(text), label: maskKey(text), perMinute: null };
  await createKey(cluster, address, { ...made, ...read, by: session.by }, askMs);
  const content = html`<div class="notice good" role="status">The key <strong>${read.name}</strong> is ready. Save it now: it is not stored and cannot be shown again.</div>
<section class="card"><label for="text">Key</label>
<div class="copied"><input id="text" readonly value="${text}" spellcheck="false" autofocus><button class="second" type="button" data-copy="text" hidden>Copy</button></div>
<div class="actions"><a class="button" href="${KEYS_PATH}">I saved it</a><a class="button second" href="${KEYS_PATH}/${localOf(address)}">Open the key</a></div></section>
${read.kind === 'inference' && section('First request', firstRequest(visit, text))}`;
  return accountPage(visit, { title: 'New key', place: KEYS_PATH, content });
}

/** A request to paste, with the new key in it. */
function firstRequest({ edge, site }: PrivateVisit, key: string): Html {
  const base = `${site.origin}${PREFIX}`;
  const model = firstModel(endpointsOn(edge.services.cluster.board));
  if (model === null) return html`<p>The catalogue is empty: ask your operator for a provider.</p>`;
  return html`<p class="hint">This key is in it, so keep it to yourself. <a href="/models">Every model</a> works the same way.</p>
${snippets(model, { base, key })}`;
}

async function showOne(visit: PrivateVisit, entered: Entered | null = null): Promise<RouteAnswer> {
  const key = await requireKey(visit);
  const names = await namesOf(visit, [key.createdBy?.id]);
  const { token } = visit.session;
  const action = `${KEYS_PATH}/${localOf(key.key)}`;
  const { entries, problems } = entered ?? { entries: entriesFrom(key), problems: {} };
  const isAlive = key.status !== 'revoked';
  const form = keyForm({ action, token, label: 'Save', entries, problems, hasKind: false });
  const content = html`${section('Spend', spend(key), links(key))}
${isAlive && section('Change', form)}
${section('Key', identity(key, names))}
${isAlive && section('End it', endings(key, action, token))}`;
  return accountPage(visit, {
    title: key.name === '' ? key.label : key.name,
    place: KEYS_PATH,
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
    ['Id', html`<code>${localOf(key.key)}</code>`],
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
<div class="actions">${buttonForm({ ...onOff, token })}${buttonForm({ action: `${action}/revoke`, token, label: 'Revoke for good', kind: 'danger' })}</div>`;
}

function entriesFrom({ name, limit, limitWindow, expiresAt, kind }: KeyView): KeyEntries {
  const expires = expiresAt === null ? '' : new Date(expiresAt).toISOString().slice(0, 10);
  return { name, limit: limit ?? '', window: limit === null ? '' : (limitWindow ?? ''), expires, kind };
}

async function edit(visit: PrivateFormVisit): Promise<RouteAnswer> {
  const { edge, session, site, form } = visit;
  const { cluster, askMs: withinMs } = edge.services;
  const key = await requireKey(visit);
  const entries = { ...entriesOf(form), kind: key.kind };
  // The day of an expiry is kept where the person left it alone: the key may expire within that day.
  const isKept = entries.expires === entriesFrom(key).expires;
  const read = readEntries(isKept ? { ...entries, expires: '' } : entries, cluster.now());
  if ('problems' in read) return showOne(visit, { entries, problems: read.problems });
  const { name, limit, limitWindow, expiresAt } = read;
  const expiry = isKept ? {} : { expiresAt };
  // The form shows no window without a limit, so it does not remove one.
  const limits = limit === null ? { limit } : { limit, limitWindow };
  await editKey(cluster, key.key, { name, ...limits, ...expiry }, { by: session.by, withinMs });
  return redirectAnswer(`${KEYS_PATH}/${localOf(key.key)}`, site);
}

async function change(visit: PrivateFormVisit, what: 'disable' | 'enable' | 'revoke'): Promise<RouteAnswer> {
  const { edge, session, site } = visit;
  const { cluster, askMs } = edge.services;
  const { key } = await requireKey(visit);
  await changeKey(cluster, key, what, askMs, session.by);
  return redirectAnswer(`${KEYS_PATH}/${localOf(key)}`, site);
}

/** A key of another account is one that does not exist. */
async function requireKey({ context, edge, session }: PrivateVisit): Promise<KeyView> {
  const id = paramOf(context, 'id');
  const { cluster, askMs } = edge.services;
  const missing = notFound('Your account has no such key');
  if (!KEY_ID.test(id)) throw missing;
  try {
    return await showKey(cluster, keyAddress(session.account, id), askMs);
  } catch (thrown) {
    throw thrown instanceof AskError && thrown.failure.code === 'absent' ? missing : thrown;
  }
}
