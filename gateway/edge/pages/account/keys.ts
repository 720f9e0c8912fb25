import type { Credential } from '../../../../actors/key/credential.ts';
import { changeKey, createKey, editKey, showKey } from '../../../../actors/key/key.ts';
import type { KeyView } from '../../../../actors/key/statement.ts';
import { AskError } from '../../../../actors/runtime/index.ts';
import {
  accountAddress,
  keyAddress,
  keyDigest,
  keyHandle,
  keyId,
  keyText,
  maskKey,
} from '../../../../actors/terms/ids.ts';
import { notFound } from '../../../terms/not-found.ts';
import type { Route } from '../../http/route.ts';
import type { RouteAnswer } from '../../http/route-answer.ts';
import { paramOf } from '../../request-context.ts';
import { type Html, html } from '../html.ts';
import { redirectAnswer } from '../page-answer.ts';
import { type PrivateFormVisit, type PrivateVisit, privateForm, privatePage } from '../page-route.ts';
import { badge, buttonForm, facts, olderLink, table } from '../parts/elements.ts';
import { shortId, time, usd, usdCell } from '../parts/text.ts';
import { accountPage, section } from './account-page.ts';
import { type EntryProblems, entriesOf, type KeyEntries, keyForm, NO_ENTRIES, readEntries } from './key-form.ts';

const PAGE = 50;
const PATH = '/account/keys';
const KEY_ID = /^key_[0-9A-Za-z]{1,64}$/;

/** `/account/keys`: create a key, limit it, revoke it. */
export const keyPageRoutes: readonly Route[] = [
  ...privatePage(PATH, (visit) => showList(visit)),
  privateForm(PATH, create),
  ...privatePage(`${PATH}/:id`, (visit) => showOne(visit)),
  privateForm(`${PATH}/:id`, edit),
  privateForm(`${PATH}/:id/disable`, (visit) => change(visit, 'disable')),
  privateForm(`${PATH}/:id/enable`, (visit) => change(visit, 'enable')),
  privateForm(`${PATH}/:id/revoke`, (visit) => change(visit, 'revoke')),
];

interface Entered {
  readonly entries: KeyEntries;
  readonly problems: EntryProblems;
}

const NOTHING_ENTERED: Entered = { entries: NO_ENTRIES, problems: {} };

async function showList(visit: PrivateVisit, { entries, problems }: Entered = NOTHING_ENTERED): Promise<RouteAnswer> {
  const { keys, last } = await readKeys(visit);
  const { token } = visit.session;
  const isRefused = Object.keys(problems).length > 0;
  const form = keyForm({ action: PATH, token, label: 'Create key', entries, problems, hasKind: true });
  const list = table({
    caption: 'Keys, newest first',
    columns: [
      ...['Name', 'Key', 'Status', 'May'],
      ...[{ number: 'Spent, month' }, { number: 'Limit' }, { number: 'Left' }],
      ...['Expires (UTC)', 'Created (UTC)'],
    ],
    rows: keys.map(rowOf),
    empty: 'No key yet: create the first one above.',
  });
  const content = html`${section('New key', form)}
${section('Keys', list)}
${olderLink(PATH, last)}`;
  return accountPage(visit, { title: 'Keys', place: PATH, content, status: isRefused ? 400 : 200 });
}

async function readKeys({ context, edge, session }: PrivateVisit) {
  const { cluster, askMs } = edge.services;
  const asked = new URLSearchParams(context.query).get('after');
  const address = accountAddress(session.account);
  const after = asked !== null && KEY_ID.test(asked) ? await createdAt(asked) : null;
  const rows = await cluster.rows.rows({
    ...{ collection: 'credential', where: { column: 0, equals: address }, order: 'descending', limit: PAGE + 1 },
    ...(after === null ? {} : { after }),
  });
  const addresses = rows.slice(0, PAGE).map(({ body }) => (JSON.parse(body) as Credential).key);
  const keys = await Promise.all(addresses.map((key) => showKey(cluster, key, askMs)));
  const oldest = keys.at(-1);
  return { keys, last: rows.length > PAGE && oldest !== undefined ? localOf(oldest.key) : null };

  /** The cursor behind a key of this account; an unknown one begins anew. */
  async function createdAt(id: string): Promise<{ sort: number; id: string } | null> {
    const view = await showKey(cluster, keyAddress(session.account, id), askMs).catch(() => null);
    return view === null || view.createdAt === null ? null : { sort: view.createdAt, id: '' };
  }
}

const MAY: Readonly<Record<KeyView['kind'], string>> = {
  ...{ inference: 'send requests', management: 'manage keys', provider: 'report for a provider' },
};

function rowOf(key: KeyView): readonly (Html | string)[] {
  const { name, label, status, kind, usageMonthly, limit, limitWindow, limitRemaining, expiresAt, createdAt } = key;
  const title = name === '' ? localOf(key.key) : name;
  return [
    html`<a href="${PATH}/${localOf(key.key)}">${title}</a>${key.origin !== null && html`<br><span class="hint">${key.origin}</span>`}`,
    ...[html`<code>${label}</code>`, badge(status), MAY[kind]],
    ...[
      usdCell(usageMonthly),
      limit === null ? 'none' : html`${usd(limit)}${limitWindow !== null && ` ${limitWindow}`}`,
    ],
    limitRemaining === null ? '–' : usdCell(limitRemaining),
    ...[expiresAt === null ? 'never' : time(expiresAt), time(createdAt)],
  ];
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
<div class="actions"><a class="button" href="${PATH}">I saved it</a><a class="button second" href="${PATH}/${localOf(address)}">Open the key</a></div></section>`;
  return accountPage(visit, { title: 'New key', place: PATH, content });
}

async function showOne(visit: PrivateVisit, entered: Entered | null = null): Promise<RouteAnswer> {
  const key = await requireKey(visit);
  const { token } = visit.session;
  const action = `${PATH}/${localOf(key.key)}`;
  const { entries, problems } = entered ?? { entries: entriesFrom(key), problems: {} };
  const isAlive = key.status !== 'revoked';
  const form = keyForm({ action, token, label: 'Save', entries, problems, hasKind: false });
  const content = html`${section('Spend', spend(key))}
${isAlive && section('Change', form)}
${section('Key', identity(key))}
${isAlive && section('End it', endings(key, action, token))}`;
  return accountPage(visit, {
    ...{ title: key.name === '' ? localOf(key.key) : key.name, place: PATH, content },
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

function identity(key: KeyView): Html {
  return facts([
    ['Key', html`<code>${key.label}</code>`],
    ['Id', shortId(key.key)],
    ['Hash', html`<code>${key.handle}</code>`],
    ['May', MAY[key.kind]],
    ['Workspace', key.workspace ?? 'the default one'],
    ['Member', key.member],
    ['Approved for', key.origin],
    ['Created (UTC)', time(key.createdAt)],
    ['Created by', key.createdBy !== null && html`${key.createdBy.kind} ${shortId(key.createdBy.id)}`],
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
  return redirectAnswer(`${PATH}/${localOf(key.key)}`, site);
}

async function change(visit: PrivateFormVisit, what: 'disable' | 'enable' | 'revoke'): Promise<RouteAnswer> {
  const { edge, session, site } = visit;
  const { cluster, askMs } = edge.services;
  const { key } = await requireKey(visit);
  await changeKey(cluster, key, what, askMs, session.by);
  return redirectAnswer(`${PATH}/${localOf(key)}`, site);
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

function localOf(address: string): string {
  return address.slice(address.indexOf('/') + 1);
}
