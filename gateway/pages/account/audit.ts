import { actionColumn, auditLog } from '../../../actors/audit/audit.ts';
import type { AuditEntry } from '../../../actors/audit/audit-entry.ts';
import type { RouteAnswer } from '../../http/write-answer.ts';
import { type Html, html } from '../kit/html.ts';
import { chainOrder } from '../kit/list/chain-order.ts';
import type { List } from '../kit/list/list.ts';
import { listSection, openList } from '../kit/list/list-view.ts';
import { type PageRoute, type PrivateVisit, privatePage } from '../kit/page-route.ts';
import { badge, type TableParts } from '../kit/parts/elements.ts';
import type { Option } from '../kit/parts/fields.ts';
import { countText } from '../kit/parts/format.ts';
import { browserText, time } from '../kit/parts/text.ts';
import { accountPage } from './account-page.ts';
import { type Names, namesOf } from './names.ts';

const PATH = '/account/audit';

/** `/account/audit`: who changed what, and when. */
export const auditPageRoutes: readonly PageRoute[] = privatePage(PATH, showAudit);

async function showAudit(visit: PrivateVisit): Promise<RouteAnswer> {
  const opened = await openList(visit, auditList(visit));
  const { items } = opened.page;
  const names = await namesOf(
    visit,
    items.flatMap(({ target, by }) => [target, by.id]),
  );
  const content = listSection('Changes', opened, auditTable(items, names));
  return accountPage(visit, { title: 'Audit log', place: PATH, content });
}

function auditList({ services, session }: PrivateVisit): List<AuditEntry> {
  const { rows } = services.cluster;
  const log = auditLog(session.account);
  return {
    path: PATH,
    noun: 'changes',
    rows: log,
    pageRows: 50,
    read: ({ body }) => JSON.parse(body) as AuditEntry,
    timeOf: ({ at }) => at,
    ...chainOrder((query) => rows.rows(query), log),
    texts: ({ action, target, by, detail }) => [action, target, by.id, by.address, JSON.stringify(detail)],
    filters: [
      {
        name: 'action',
        title: 'Action',
        options: ACTIONS,
        where: actionColumn,
        matches: ({ action }, value) => action === value,
      },
      {
        name: 'by',
        title: 'By',
        options: MAKERS,
        matches: ({ by }, value) => by.kind === value,
      },
      {
        name: 'result',
        title: 'Result',
        options: RESULTS,
        matches: ({ result }, value) => result === value,
      },
    ],
    sorts: [],
  };
}

const option = (value: string): Option => ({ value, text: value });
const ACTIONS: readonly Option[] = [
  'key.create',
  'key.edit',
  'key.move',
  'key.disable',
  'key.enable',
  'key.revoke',
  'session.open',
  'session.close',
  'invitation.create',
  'grant.approve',
  'grant.trade',
  'workspace.create',
  'workspace.update',
  'workspace.delete',
  'workspace.budget',
  'workspace.members.add',
  'workspace.members.remove',
  'deposit.credit',
  'adjustment.record',
  'payment.resolve',
  'notice.set',
  'account.suspend',
  'account.resume',
  'batch.cancel',
  'video.cancel',
].map(option);
const MAKERS: readonly Option[] = ['session', 'key', 'operator', 'system'].map(option);
const RESULTS: readonly Option[] = ['done', 'refused'].map(option);

function auditTable(entries: readonly AuditEntry[], names: Names): TableParts {
  return {
    caption: 'Audit entries',
    columns: ['Action', 'Time (UTC)', 'Target', 'By', 'From', 'Result', 'Detail'],
    rows: entries.map(({ sequence, at, action, target, by, result, detail }) => [
      html`<code>${action}</code> <span class="hint">#${countText(sequence)}</span>`,
      time(at),
      names.of(target),
      names.principal(by),
      addressText(by.address),
      badge(result),
      detailText(detail),
    ]),
    empty: 'Nothing has been changed yet.',
  };
}

/** A client address as people write it: `127.0.0.1`, or the network `2001:db8:0:1::/64`. */
function addressText(address = ''): string {
  if (!address.startsWith('v6-')) return address.replace(/^v4-/, '');
  return `${address.slice('v6-'.length).replaceAll('.', ':')}::/64`;
}

/** `limit 5, window daily`: what is null says nothing. */
function detailText(detail: AuditEntry['detail']): Html | null {
  if (detail === null || typeof detail !== 'object' || Array.isArray(detail)) return null;
  const parts = Object.entries(detail).flatMap(([name, value]) => {
    if (value === null) return [];
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return [
      html`<span class="hint">${name.replaceAll('_', ' ')}</span> ${name === 'agent' ? browserText(text) : text} `,
    ];
  });
  return html`${parts}`;
}
