import { endpointsOn } from '../../../../actors/endpoint/endpoint.ts';
import { CREDENTIAL_ACCOUNT, type Credential } from '../../../../actors/key/credential.ts';
import { changeKey, createKey, editKey, showKey } from '../../../../actors/key/key.ts';
import type { KeyView } from '../../../../actors/key/statement.ts';
import { AskError, type RowRecord } from '../../../../actors/runtime/index.ts';
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
import { PREFIX } from '../../http/http-router.ts';
import type { Route } from '../../http/route.ts';
import type { RouteAnswer } from '../../http/route-answer.ts';
import { paramOf } from '../../request-context.ts';
import { firstModel, snippets } from '../catalogue/snippets.ts';
import { type Html, html } from '../html.ts';
import type { List } from '../list/list.ts';
import { listSection, openList } from '../list/list-view.ts';
import { statusOption } from '../list/timed-order.ts';
import { redirectAnswer } from '../page-answer.ts';
import { type PrivateFormVisit, type PrivateVisit, privateForm, privatePage } from '../page-route.ts';
import { badge, buttonForm, facts, section, type TableParts } from '../parts/elements.ts';
import { time, usd, usdCell } from '../parts/text.ts';
import { accountPage } from './account-page.ts';
import { type EntryProblems, entriesOf, type KeyEntries, keyForm, NO_ENTRIES, readEntries } from './key-form.ts';
import { localOf, type Names, namesOf } from './names.ts';

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
  const { token } = visit.session;
  const isRefused = Object.keys(problems).length > 0;
  const form = keyForm({ action: PATH, token, label: 'Create key', entries, problems, hasKind: true });
  const opened = await openList(visit, keyList(visit));
  const content = html`${section('New key', form)}
${listSection('Keys', opened, await keyTable(visit, opened.page.items))}`;
  return accountPage(visit, { title: 'Keys', place: PATH, content, status: isRefused ? 400 : 200 });
}

function keyList({ edge, session }: PrivateVisit): List<Credential> {
  const { cluster } = edge.services;
  const rowOf = async (id: string): Promise<RowRecord | null> => {
    if (!KEY_ID.test(id)) return null;
    const address = keyAddress(session.account, id);
    return (await cluster.rows.rows({ collection: 'credential', address, limit: 1 }))[0] ?? null;
  };
  const equals = accountAddress(session.account);
  return {
    path: PATH,
    noun: 'keys',
    rows: { collection: 'credential', where: { column: CREDENTIAL_ACCOUNT, equals } },
    pageRows: 25,
    read: ({ body }) => JSON.parse(body) as Credential,
    timeOf: ({ createdAt }) => createdAt,
    // The row's own id is the key's digest, which no address shows.
    nameOf: ({ address }) => localOf(address),
    positionOf: async (name) => {
      const row = await rowOf(name);
      return row === null ? null : { sort: row.sort, id: row.id };
    },
    find: rowOf,
    texts: ({ name, label, key, handle }) => [name, label, localOf(key), handle],
    filters: [
      {
        ...{ name: 'status', title: 'Status', options: STATUSES.map(statusOption) },
        matches: (one, value) => statusOf(one, cluster.now()) === value,
      },
      {
        ...{ name: 'may', title: 'May', options: Object.entries(MAY).map(([value, text]) => ({ value, text })) },
        matches: ({ kind }, value) => kind === value,
      },
    ],
    sorts: [
      { value: 'name', text: 'By name', compare: (a, b) => a.name.localeCompare(b.name) },
      { value: 'expires', text: 'Soonest to expire', compare: (a, b) => endOf(a) - endOf(b) },
    ],
  };
}

const STATUSES = ['active', 'disabled', 'expired', 'revoked'];

function statusOf({ status, expiresAt }: Credential, now: number): string {
  return status === 'active' && expiresAt !== null && expiresAt <= now ? 'expired' : status;
}

function endOf({ expiresAt }: Credential): number {
  return expiresAt ?? Number.MAX_SAFE_INTEGER;
}

/** The keys that are shown are asked for their spend; rows decide which those are. */
async function keyTable({ edge }: PrivateVisit, credentials: readonly Credential[]): Promise<TableParts> {
  const { cluster, askMs } = edge.services;
  const keys = await Promise.all(credentials.map(({ key }) => showKey(cluster, key, askMs)));
  return {
    caption: 'Keys',
    columns: [
      ...['Name', 'Key', 'Status', 'May'],
      ...[{ number: 'Spent, month' }, { number: 'Limit' }, { number: 'Left' }],
      ...['Expires (UTC)', 'Created (UTC)'],
    ],
    rows: keys.map(rowOf),
    empty: 'No key yet: create the first one above.',
  };
}

const MAY: Readonly<Record<KeyView['kind'], string>> = {
  ...{ inference: 'send requests', management: 'manage keys', provider: 'report for a provider' },
};

function rowOf(key: KeyView): readonly (Html | string)[] {
  const { name, label, status, kind, usageMonthly, limit, limitWindow, limitRemaining, expiresAt, createdAt } = key;
  return [
    html`<a href="${PATH}/${localOf(key.key)}">${name === '' ? label : name}</a>${key.origin !== null && html`<br><span class="hint">${key.origin}</span>`}`,
    ...[html`<code>${label}</code>`, badge(status), MAY[kind]],
    usdCell(usageMonthly),
    limit === null ? 'none' : html`${usd(limit)}${limitWindow !== null && ` ${limitWindow}`}`,
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
<div class="actions"><a class="button" href="${PATH}">I saved it</a><a class="button second" href="${PATH}/${localOf(address)}">Open the key</a></div></section>
${read.kind === 'inference' && section('First request', firstRequest(visit, text))}`;
  return accountPage(visit, { title: 'New key', place: PATH, content });
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
  const action = `${PATH}/${localOf(key.key)}`;
  const { entries, problems } = entered ?? { entries: entriesFrom(key), problems: {} };
  const isAlive = key.status !== 'revoked';
  const form = keyForm({ action, token, label: 'Save', entries, problems, hasKind: false });
  const content = html`${section('Spend', spend(key), links(key))}
${isAlive && section('Change', form)}
${section('Key', identity(key, names))}
${isAlive && section('End it', endings(key, action, token))}`;
  return accountPage(visit, {
    ...{ title: key.name === '' ? key.label : key.name, place: PATH, content },
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
